// Takes a JSON alert of an unknown source apart: the mappings it is wrapped in, and the lists of alerts it holds.
// Field names are compared in lower case.

import { asArray, asObject, isObject, parseJson } from '../../text/json.ts';
import { firstText } from '../fields/fields.ts';

type Fields = Record<string, unknown>;

/** Fields in which senders commonly wrap an alert; SNS puts it as text into `Message`. */
const WRAPPERS = [
  'alert',
  'incident',
  'event',
  'data',
  'payload',
  'detail',
  'body',
  'message',
  'metric_alert',
] as const;
/** Fields in which senders commonly list alerts. A wrapper that holds a list lists alerts as well. */
const LISTS = ['alerts', 'incidents', 'events', 'items', 'records', ...WRAPPERS] as const;
/** An alert can be wrapped twice, such as PagerDuty's in `event` and `data`. */
const MAX_WRAPPERS = 2;

/** A JSON object and the objects it wraps, each after the one it stands in; none for another value. Keys are in lower case. */
export function layersOf(value: unknown, wrappers = MAX_WRAPPERS): Fields[] {
  if (!isObject(value)) return [];
  const fields = lowerCaseKeys(value);
  const layers = [fields];
  if (wrappers === 0) return layers;
  for (const key of WRAPPERS) {
    if (!Object.hasOwn(fields, key)) continue;
    fields[key] = parseJsonText(fields[key]);
    layers.push(...layersOf(fields[key], wrappers - 1));
  }
  return layers;
}

/** The first list of objects in the outermost layer that has one; empty when there is none. */
export function entriesOf(layers: readonly Fields[]): unknown[] {
  const lists = layers.flatMap((layer) => LISTS.map((key) => asArray(layer[key])));
  return lists.find((list) => list.some(isObject)) ?? [];
}

/** The text of the first key that has one, in the outermost layer that has it: an early key wins over an outer layer. */
export function findText(layers: readonly Fields[], keys: readonly string[]): string | undefined {
  for (const key of keys) {
    for (const layer of layers) {
      const text = firstText(layer, key);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** The first of `keys` that stands in a layer with a value; undefined when none does. */
export function findKey(layers: readonly Fields[], keys: readonly string[]): string | undefined {
  return keys.find((key) => layers.some((layer) => Object.hasOwn(layer, key) && layer[key] !== null));
}

/** The mappings that stand in the layers under one of `keys`, such as `labels`; their own keys are as they came. */
export function mapsIn(layers: readonly Fields[], keys: readonly string[]): Fields[] {
  return layers
    .flatMap((layer) => keys.map((key) => asObject(layer[key])))
    .filter((map) => Object.keys(map).length > 0);
}

/** A mapping with its top-level keys in lower case; an empty one for any other value. */
export function lowerCaseKeys(value: unknown): Fields {
  return Object.fromEntries(
    Object.entries(asObject(value)).map(([key, entry]) => [key.toLowerCase(), entry]),
  );
}

/** Parses JSON in a text. */
function parseJsonText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[{[]/.test(value) ? (parseJson(value) ?? value) : value;
}
