// Field lists of packs: fields that only a control plane writes, and how calls name an object.

import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { projectFile } from '../../projectFiles.ts';
import { closestPattern } from '../../text/pattern.ts';

/** Names of objects, and of containers. */
export const NAME = /^[a-z0-9](?:[-a-z0-9.:]{0,251}[a-z0-9])?$/;

const text = z.string().min(1);

const callSchema = z.strictObject({
  /** The kind of the objects, or the argument that names it. */
  kind: text.optional(),
  kindFrom: text.optional(),
  /** The arguments with name, namespace and cluster of an object. A call without a name is a listing. */
  names: text.optional(),
  namespace: text.optional(),
  cluster: text.optional(),
  /** The arguments with a range of times. */
  times: z.strictObject({ start: text, end: text }).optional(),
  /** The argument with a query; the answers are samples. */
  samples: text.optional(),
});
/** How the calls of a tool name an object. */
export type FieldCall = z.infer<typeof callSchema>;

const paths = z.array(text).transform((list) => list.flatMap(expandPath));

const kindSchema = z.strictObject({
  fields: paths,
  /** The lists of `status` with the states of containers, and the fields of each. */
  containers: z.strictObject({ from: z.array(text), fields: paths }).optional(),
  /**
   * By column and path: the form of a cell, whose first group is the value; or the value by the cell's text.
   * A column without a path cannot be written to by others either.
   */
  columns: z
    .record(text, z.record(text, z.union([text.transform(wholeText), z.record(text, text)])))
    .default({}),
});
type FieldKind = z.infer<typeof kindSchema>;

const listSchema = z.strictObject({
  calls: z.record(text, callSchema),
  /** By `apiVersion/kind`. */
  kinds: z.record(text, kindSchema).default({}),
  /** By metric: labels that name an object, by kind; also `namespace`, `cluster`, `container`, `node`. */
  samples: z
    .array(z.strictObject({ metrics: z.array(text), labels: z.record(text, text) }))
    .default([])
    .transform(
      (rows) => new Map(rows.flatMap(({ metrics, labels }) => metrics.map((metric) => [metric, labels]))),
    ),
});
/** A field list. */
export type FieldList = z.infer<typeof listSchema>;

/** The object that the arguments of a call name. */
export interface CallTarget {
  kind?: string;
  apiVersion?: string;
  name?: string;
  namespace?: string;
  cluster?: string;
}

/** A result with the object of its call. */
export interface Source {
  result: string;
  list: FieldList;
  target: CallTarget;
}

const lists = new Map<string, FieldList | undefined>();

/** The list with a name; undefined where there is none. @throws Error for a file with faults. */
export function fieldList(name: string): FieldList | undefined {
  if (!lists.has(name)) {
    const file = projectFile(`shared/evidence/fields/${name}.yaml`);
    const isThere = /^[a-z][a-z-]*$/.test(name) && existsSync(file);
    lists.set(name, isThere ? listSchema.parse(parse(readFileSync(file, 'utf8'))) : undefined);
  }
  return lists.get(name);
}

/** The tools that yield `state` without a field list that has them. To a verdict their results are texts. */
export function withoutFields(
  tools: readonly string[],
  { yields = {}, fields }: { yields?: Record<string, string> | undefined; fields?: string | undefined },
): string[] {
  const { calls = {} } = (fields === undefined ? undefined : fieldList(fields)) ?? {};
  const kindOfTool = (tool: string) => yields[closestPattern(tool, Object.keys(yields)) ?? ''];
  return tools.filter((tool) => kindOfTool(tool) === 'state' && !Object.hasOwn(calls, tool));
}

/** The fields of a kind by `apiVersion/kind`. */
export const findFieldKind = (list: FieldList, key: string): FieldKind | undefined =>
  Object.hasOwn(list.kinds, key) ? list.kinds[key] : undefined;

/** A tool's name without its server: `resources_get`. */
export const baseName = (tool: string): string => tool.slice(tool.indexOf('.') + 1);

/** The paths of a pattern: one for each of `{a,b}` and `[A,B]`. */
function expandPath(pattern: string): string[] {
  const match = /^(.*?)(\{([^{}]*,[^{}]*)\}|\[([^[\]]*,[^[\]]*)\])(.*)$/.exec(pattern);
  if (match === null) return [pattern];
  const [, before = '', , keys, items = '', after = ''] = match;
  const parts = keys?.split(',') ?? items.split(',').map((item) => `[${item}]`);
  return parts.flatMap((part) => expandPath(`${before}${part}${after}`));
}

function wholeText(form: string): RegExp {
  return new RegExp(`^(?:${form})$`, 'd');
}
