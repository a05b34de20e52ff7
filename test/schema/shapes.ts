// Stored shapes as plain values in `shared/schema/shapes.yaml`: of each type its current version and the
// other one that is read.

import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { DocumentType } from '../../shared/core/schema/documentType.ts';
import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { PARTS } from '../../shared/lists/parts.ts';

/** A text is a value with limits, a list of one an array, an object its fields; `?` optional. */
export type Shape = string | Shape[] | { [field: string]: Shape };

/** Shapes by type and version: `execution 2`. */
export type Shapes = Record<string, Shape>;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Where the pins are, from the root of the repository. */
export const PINS = 'shared/schema/shapes.yaml';

const HEADING = `# The shapes of stored documents that this code reads, by type and version: the current one, and that of the
# oldest release that is read. A pinned shape never changes: a new one gets a new version. Written by \`npm run
# pin-shapes\`, which removes versions between them.
`;

/** The key of a version of a document type. */
export const pinOf = (name: string, version: number): string => `${name} ${version}`;

/** The sentence for a shape that changed under its version. */
export const shapeChanged = (name: string): string =>
  `the shape of ${name} changed: raise its version beside its schema, state \`oldest\` and \`upcast\`, add a test with a document of the last release, then run \`npm run pin-shapes\``;

/** Every document type with the schemas of its parts, in the order of its collections. */
export const documentTypes: DocumentType<unknown>[] = Object.values(COLLECTIONS).map(withPartSchemas);

/** A document type whose schema knows the parts of all features. */
export function withPartSchemas<T extends DocumentType<unknown>>(type: T): T {
  const parts = PARTS.schema(type.name);
  const { schema } = type;
  return parts !== undefined && schema instanceof z.ZodObject
    ? { ...type, schema: schema.extend({ parts }) }
    : type;
}

/** Today's shape of every document type. */
export const currentShapes = (): Shapes =>
  Object.fromEntries(documentTypes.map((type) => [pinOf(type.name, type.version), shapeOf(type.schema)]));

/**
 * The pins and today's shapes together.
 * @throws Error when a version is pinned with another shape.
 */
export function addShapes(pins: Shapes, shapes: Shapes): Shapes {
  for (const [key, shape] of Object.entries(shapes)) {
    if (pins[key] !== undefined && !isDeepStrictEqual(pins[key], shape)) {
      throw new Error(shapeChanged(key.replace(/ \d+$/, '')));
    }
  }
  return { ...pins, ...shapes };
}

/** The pins of the versions that are read: of each type `oldest` and the current one. */
export function listReadPins(pins: Shapes): Shapes {
  const read = new Set(
    documentTypes.flatMap(({ name, ...type }) => readVersions(type).map((one) => pinOf(name, one))),
  );
  return Object.fromEntries(Object.entries(pins).filter(([key]) => read.has(key)));
}

/** The versions of a type that are read, in order. */
export const readVersions = ({
  oldest,
  version,
}: Pick<DocumentType<unknown>, 'oldest' | 'version'>): number[] => [...new Set([oldest, version])];

/** Pins from the text of their file. */
export const parsePins = (text: string): Shapes => parse(text) ?? {};

/** The text of the file of pins, sorted by type and version. */
export function formatPins(pins: Shapes): string {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const sorted = Object.entries(pins).sort(([a], [b]) => compare(a, b));
  const entry = ([key, shape]: [string, Shape]) =>
    stringify({ [key]: shape }, { aliasDuplicateObjects: false, lineWidth: 0 });
  return [HEADING, ...sorted.map(entry)].join('\n');
}

/** The shape of what a schema reads, with all that JSON Schema can express; dates are `date`. */
export function shapeOf(schema: z.ZodType): Shape {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'date' });
    },
  });
  return outline(json);
}

function outline(schema: z.core.JSONSchema._JSONSchema): Shape {
  if (typeof schema === 'boolean') return schema ? 'anything' : 'nothing';
  const { anyOf, oneOf, items, ...rest } = schema;
  const options = anyOf ?? oneOf;
  if (options !== undefined) return { 'one of': options.map(outline) };
  if (schema.type === 'object') return fieldsOf(schema);
  if (schema.type !== 'array' || items === undefined || Array.isArray(items)) return describeValue(schema);
  const limits = describeValue(rest);
  return limits === 'array' ? [outline(items)] : { [limits]: [outline(items)] };
}

/** The fields of an object; `*` stands for those that the schema does not name. */
function fieldsOf({
  properties = {},
  required = [],
  additionalProperties,
  propertyNames,
}: JsonSchema): Shape {
  const fields = Object.entries(properties).map(([field, value]): [string, Shape] => [
    required.includes(field) ? field : `${field}?`,
    outline(value),
  ]);
  if (additionalProperties !== false) {
    const names = propertyNames === undefined ? 'string' : outline(propertyNames);
    fields.push([names === 'string' ? '*' : `* (${names})`, outline(additionalProperties ?? true)]);
  }
  return Object.fromEntries(fields);
}

/** A value and its limits: `string, minLength 1`. */
function describeValue({ type, ...limits }: JsonSchema): string {
  const rules = Object.entries(limits)
    // Every integer has these; they limit nothing.
    .filter(([, limit]) => limit !== Number.MAX_SAFE_INTEGER && limit !== Number.MIN_SAFE_INTEGER)
    .map(([name, limit]) => `${name} ${textOf(limit)}`);
  return [[type ?? 'anything'].flat().join(' | '), ...rules].join(', ');
}

function textOf(limit: unknown): string {
  if (Array.isArray(limit)) return limit.map(textOf).join(' | ');
  return typeof limit === 'string' ? limit : JSON.stringify(limit);
}
