// Zod schemas for the fields of configuration files, with messages that explain how to correct them.

import * as z from 'zod';
import { BUILT_IN_TOOLS } from '../core/schema/agent.ts';
import { closestTo, describeExpected } from '../text/suggest.ts';
import { parseDuration, parseShownSize, parseSize, type Quantity } from '../text/units.ts';
import { maskQuoted, quotePart } from './configError.ts';
import { expandVariables } from './variables.ts';

/** Names that are defined elsewhere; undefined if unknown, because their file could not be read. */
export type KnownNames = readonly string[] | undefined;

/** A mapping that refuses unknown keys. Its message has one line for each unknown key, in their order. */
export function strictMapping<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => describeExpected(key, known)).join('\n')
        : undefined,
  });
}

/** The schema that `choose` picks for a value. Faults keep the paths they have without the choice. */
export function schemaByValue<T>(choose: (value: unknown) => z.ZodType<T>) {
  return z.unknown().transform((value, context): T => {
    const result = choose(value).safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues)
      context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  });
}

/** One value, or a list of 1 to `most` different ones; read as a list. */
export function oneOrMany<T extends string>(one: z.ZodType<T>, most: number) {
  const many = z.array(one).min(1).max(most).superRefine(eachOnce);
  const single = one.transform((value): T[] => [value]);
  return schemaByValue<T[]>((value) => (Array.isArray(value) ? many : single));
}

/** Refuses a value that is in a list already. */
export function eachOnce(values: readonly string[], context: z.RefinementCtx): void {
  for (const [index, value] of values.entries()) {
    if (values.indexOf(value) === index) continue;
    context.addIssue({ code: 'custom', path: [index], message: `${value} is already in this list` });
  }
}

/** A duration with a unit, read as milliseconds. `max` is written the same way, such as `8m`. */
export const duration = (max: string) => quantityField(parseDuration, max);

/** A size with a unit, read as bytes. `max` is written the same way, such as `400KB`. */
export const size = (max: string) => quantityField(parseSize, max);

/** A size with a unit, or a number of tokens (4 bytes each), read as bytes. */
export const shownSize = (max: string) => quantityField(parseShownSize, max);

/** A quantity with a unit that `parse` reads. `max` is written the same way. */
export function quantityField(parse: (text: string) => Quantity, max: string) {
  const limit = parse(max);
  return z.unknown().transform((value, context) => {
    const parsed = parse(typeof value === 'string' ? value : '');
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.message });
    else if (limit.ok && parsed.value > limit.value) {
      context.addIssue({ code: 'custom', message: `must be at most ${max}` });
    } else return parsed.value;
    return z.NEVER;
  });
}

/** The name of something defined elsewhere; messages name its `kind`: agent, model, chain. */
export function referenceTo(kind: string, known: KnownNames) {
  return z.string().superRefine((name, context) => {
    if (known === undefined || known.includes(name)) return;
    context.addIssue({
      code: 'custom',
      message: `unknown ${kind} "${name}"; ${describeExpected(name, known)}`,
    });
  });
}

/**
 * `server` or `server.tool`, or a built-in tool (`search`). Tools of servers are not checked: they are known
 * only after connecting to it.
 * @param ownSources names accepted in place of a server, in addition to those of servers.yaml.
 */
export function toolReference(servers: KnownNames, ownSources: readonly string[]) {
  return z.string().superRefine((text, context) => {
    if (BUILT_IN_TOOLS.includes(text)) {
      if (servers?.includes(text) !== true) return;
      const message = `is a built-in tool and a server of servers.yaml, too; give the server another name`;
      context.addIssue({ code: 'custom', message });
    }
    const [server = '', ...tool] = text.split('.');
    if (tool.length > 0 && tool.join('.') === '') {
      context.addIssue({
        code: 'custom',
        message: `names no tool after the dot; write ${maskQuoted(server)} for all its tools`,
      });
    }
    if (servers === undefined || [...servers, ...ownSources].includes(server)) return;
    const closest = closestTo(server, [...servers, ...ownSources]);
    const defined = `servers.yaml defines ${servers.join(', ') || 'none'}`;
    const expected = ownSources.length === 0 ? defined : `${defined}; built in: ${ownSources.join(', ')}`;
    const hint = closest === undefined ? '' : `; did you mean "${closest}"?`;
    context.addIssue({
      code: 'custom',
      message: `unknown server ${quotePart(server, text)}; ${expected}${hint}`,
    });
  });
}

/** Each model takes an iteration beside `maxIterations`; interaction ids have three digits for it. */
const MAX_FALLBACK = 5;

/** The models that take over from an agent's own one. */
export const fallbackModels = (models: KnownNames) =>
  z.array(referenceTo('model', models)).max(MAX_FALLBACK).superRefine(eachOnce);

/** Text whose `${NAME}` and `${NAME:-default}` are replaced from `env`. */
export function expandedText(env: NodeJS.ProcessEnv) {
  return z.string().transform((text, context) => {
    const expansion = expandVariables(text, env);
    if (expansion.ok) return expansion.text;
    for (const message of expansion.messages) context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}
