// Reads the parts of a request, and reports their faults.

import type { Context } from 'hono';
import type * as z from 'zod';
import { describeIssue, innerIssue, valueAt } from '../../text/zodIssues.ts';
import { invalidField, Problem } from './problem.ts';

/** The query of a request. A parameter that occurs twice becomes a list, which no schema accepts. */
export function readRequestQuery(context: Context): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(context.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );
}

/**
 * The body of a request, as the schema parses it.
 * @throws Problem `REQUEST_INVALID` that names each field, or the content type.
 */
export function readJson<T>(context: Context, bytes: Buffer, schema: z.ZodType<T>): T {
  const text = bytes.toString('utf8');
  if (text.trim() === '') return parsePart(schema, undefined, 'body');
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
    throw new Problem('REQUEST_INVALID', 'header Content-Type: must be application/json');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('REQUEST_INVALID', 'body: is not JSON; send an object');
  }
  return parsePart(schema, value, 'body');
}

/**
 * A part of a request, as its schema parses it. Without a schema the part must be empty.
 * @param where the start of the names of its fields: `body`.
 * @throws Problem `REQUEST_INVALID` that names each field.
 */
export function parsePart<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  if (schema === undefined) {
    const [extra] = Object.keys(value as object);
    if (extra === undefined || where === 'path') return {} as T;
    throw invalidField(`${where}.${extra.slice(0, 100)}`, 'is unknown here; leave it out');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues
    .flatMap((issue) => fieldFaults(issue, value))
    .slice(0, 20)
    .map(({ path, message }) => ({
      field: [where, ...path.map(String)].join('.').slice(0, 300),
      message,
    }));
  const [first] = errors;
  throw new Problem('REQUEST_INVALID', `${first?.field}: ${first?.message}`, { errors });
}

function fieldFaults(found: z.core.$ZodIssue, value: unknown): { path: PropertyKey[]; message: string }[] {
  const issue = innerIssue(found);
  const { path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is unknown here; leave it out' }));
  // A list of the query is one text with commas, of which the issue is about one part.
  const [list, index] = [valueAt(value, path.slice(0, -1)), path.at(-1)];
  if (typeof list === 'string' && typeof index === 'number')
    return [{ path: path.slice(0, -1), message: describeIssue(issue, list.split(',')[index]) }];
  return [{ path, message: describeIssue(issue, valueAt(value, path)) }];
}
