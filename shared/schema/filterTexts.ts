// The part of a session by which an index finds it in lists: a text for each value of a filter, and for each
// two values of different filters.

import * as z from 'zod';
import { definePart } from '../core/schema/parts.ts';
import { cutText } from '../text/cut.ts';

/** Written with each change of the session. Sessions of release 0.2.0 have none until they are migrated. */
export const listPart = definePart('session', 'list', z.strictObject({ filters: z.array(z.string()) }));
/** Where its texts are. */
export const LIST_FIELD = 'parts.list.filters';

/** Values by the name of a filter. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

/** UTF-8 bytes of a value. Two of them with their names are below the 1,500 that an index holds of a text. */
const MAX_BYTES = 400;

/** The texts of all values, and of all pairs of values of two filters. */
export function listFilterTexts(values: FilterValues): string[] {
  const each = describeValues(values);
  const pairs = each.flatMap((ones, index) => each.slice(index + 1).flatMap((others) => pair(ones, others)));
  return [...each.flat(), ...pairs];
}

/**
 * The texts of which each document of a list has one: those of the first two filters. Others are for the
 * reader of the documents. Undefined without filters.
 */
export function chooseFilterTexts(filter: FilterValues): string[] | undefined {
  const [first, second] = describeValues(Object.fromEntries(Object.entries(filter).slice(0, 2)));
  return first && second ? pair(first, second) : first;
}

/** The texts of each filter, in the order of the filters' names. */
function describeValues(values: FilterValues): string[][] {
  const names = Object.keys(values).sort();
  return names.map((name) => [
    ...new Set(values[name]?.map((value) => `${name}=${cutText(value, MAX_BYTES, 'bytes')}`)),
  ]);
}

const pair = (ones: readonly string[], others: readonly string[]): string[] =>
  ones.flatMap((one) => others.map((other) => `${one}\n${other}`));
