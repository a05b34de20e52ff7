// The schema of `collect`: the calls that a stage makes before its agents start.

import * as z from 'zod';
import { isObject } from '../text/json.ts';
import { labelFault } from '../text/labelText.ts';
import { type KnownNames, strictMapping, toolReference } from './fields.ts';

/** Maximum number of calls of one stage. Every request of its agents contains their results. */
const MAX_CALLS = 20;
/** Characters of the arguments of one call, as JSON. */
const MAX_ARGUMENTS = 4_000;
/** Maximum nesting of arguments. Typical arguments have two or three levels. */
const MAX_DEPTH = 10;
/** The time, and as a whole text the query of the alert's own condition. */
const FILLED = /\$\{now(?:-\d{1,5}[smhd])?\}|^\$\{condition\}$/g;

/** The calls of a stage, in order. */
export function collectCalls(servers: KnownNames, ownSources: readonly string[]) {
  const tool = toolReference(servers, ownSources).refine((name) => name.includes('.'), {
    error: ({ input }) => `names a server; name one tool of it: ${String(input)}.TOOL`,
  });
  const call = strictMapping({ tool, arguments: argumentsSchema.optional() });
  return z.array(call).min(1).max(MAX_CALLS).optional();
}

const argumentsSchema = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  checkValue(value, [], context);
  if (context.issues.length === 0 && JSON.stringify(value).length > MAX_ARGUMENTS)
    context.addIssue({ code: 'custom', message: `must have at most ${MAX_ARGUMENTS} characters as JSON` });
});

/** Rejects values that JSON cannot express, and references to anything but labels. */
function checkValue(value: unknown, path: PropertyKey[], context: z.RefinementCtx): void {
  const message =
    path.length > MAX_DEPTH ? `is nested more than ${MAX_DEPTH} levels deep` : findTemplateFault(value);
  if (message !== undefined) context.addIssue({ code: 'custom', path, message });
  else if (Array.isArray(value))
    for (const [index, entry] of value.entries()) checkValue(entry, [...path, index], context);
  else if (isObject(value))
    for (const [key, entry] of Object.entries(value)) checkValue(entry, [...path, key], context);
}

function findTemplateFault(value: unknown): string | undefined {
  if (typeof value === 'string') return labelFault(value.replace(FILLED, ''));
  const isNumber = typeof value !== 'number' || Number.isFinite(value);
  return isNumber ? undefined : 'must be a number that JSON can hold';
}
