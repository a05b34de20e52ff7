// The parts of a document: the data of each feature in a session, under a name of its own.

import * as z from 'zod';
import { type QuickCheck, quickCheck } from '../../text/schema/quickCheck.ts';

/** The field of a document for its parts, by name. Parts of unknown features are kept and not read. */
export const partsSchema = z.record(z.string(), z.unknown());
/** A document with parts. */
export interface WithParts {
  parts: z.infer<typeof partsSchema>;
}
/** A document without parts. */
export const NO_PARTS: WithParts = { parts: {} };

/** The part of a feature. A document without it has nothing of the feature. */
export interface Part<T = unknown> {
  /** The name of the type of its documents: `session`. */
  readonly document: string;
  /** The name in `parts`. */
  readonly name: string;
  /** What a valid part is. */
  readonly schema: z.ZodType<T>;
}

/** Defines a part, which has a line in the list of all parts. */
export const definePart = <T>(document: string, name: string, schema: z.ZodType<T>): Part<T> => ({
  document,
  name,
  schema,
});

/** The part of a document; undefined without one. The document is valid: the store checked it. */
export const readPart = <T>({ name }: Part<T>, { parts }: WithParts): T | undefined =>
  parts[name] as T | undefined;

/** The document with another value of a part; without the part if `value` is undefined. Keeps other parts. */
export function withPart<T, D extends WithParts>({ name }: Part<T>, document: D, value: T | undefined): D {
  const { [name]: _, ...others } = document.parts;
  return { ...document, parts: value === undefined ? others : { ...others, [name]: value } };
}

/** The parts that a program knows, and their check. */
export interface KnownParts {
  /** The schema of `parts` of a document type; undefined if no feature has a part of it. */
  schema(document: string): z.ZodType | undefined;
  /** A check that copies nothing. False leaves the decision to the schema. */
  isValid(document: string, parts: unknown): boolean;
}

/** The check of a list of parts. @throws TypeError when two parts of a document have the same name. */
export function knowParts(list: readonly Part[]): KnownParts {
  const byDocument = new Map<string, { schema: z.ZodType; isValid?: QuickCheck }>();
  for (const [document, parts] of Map.groupBy(list, (part) => part.document)) {
    if (new Set(parts.map(({ name }) => name)).size < parts.length)
      throw new TypeError(`two parts of a ${document} have the same name`);
    const fields = parts.map(({ name, schema }) => [name, schema.optional()]);
    byDocument.set(document, { schema: z.looseObject(Object.fromEntries(fields)) });
  }
  return {
    schema: (document) => byDocument.get(document)?.schema,
    isValid(document, parts) {
      const known = byDocument.get(document);
      if (known === undefined) return true;
      known.isValid ??= quickCheck(known.schema);
      return known.isValid(parts);
    },
  };
}
