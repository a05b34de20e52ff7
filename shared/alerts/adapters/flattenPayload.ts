// Takes a JSON alert of an unknown source apart: the objects it is wrapped in, the lists of alerts it holds,
// and its labels. Keys are compared as bare paths, because senders write them in every way: `monitor.name`,
// `monitor_name` and `MonitorName` are `monitorname`.

import { asArray, asObject, isObject, parseJson } from '../../text/json.ts';
import { firstText, labelsOfTags } from '../fields/fields.ts';

type Fields = Record<string, unknown>;

/** Fields in which senders commonly wrap an alert; SNS puts it as text into `Message`. */
const WRAPPERS = [
  ...['alert', 'incident', 'event', 'data', 'payload', 'detail', 'body', 'message', 'metricalert'],
  ...['attributes', 'issue', 'problem', 'result', 'notification', 'objectattributes', 'resourcedata'],
  ...['alertgroup', 'fields', 'finding', 'alarm', 'error', 'alertdata', 'eventdata'],
] as const;
/** Fields in which senders commonly list alerts. An envelope that holds a list lists alerts as well. */
const LISTS = ['alerts', 'incidents', 'events', 'items', 'records', 'attachments', ...WRAPPERS] as const;
/** An alert can be wrapped twice, such as PagerDuty's in `event` and `data`. */
const MAX_WRAPPERS = 2;
/** Names of a path that are joined to one key: `output_fields.k8s.pod.name`. */
const MAX_PATH = 5;
/** Fields of an object and of the objects in it that are read. */
const MAX_FIELDS = 1_000;

/** Characters of the name of an event. */
const MAX_NAME = 100;

/** A key or a path without case and without all that separates its words. */
export const bareKey = (key: string): string =>
  key
    .slice(0, MAX_NAME)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

/** A JSON object and the objects it wraps, outermost first, by bare path; none for another value. */
export function listLayers(value: unknown, wrappers = MAX_WRAPPERS): Fields[] {
  if (!isObject(value)) return [];
  const fields = barePaths(value);
  const layers = [fields];
  if (wrappers === 0) return layers;
  // incident.io names the envelope after the event.
  const named = bareKey((findText([fields], ['eventtype', 'type']) ?? '').slice(0, MAX_NAME));
  const own = new Set(Object.keys(value).map(bareKey));
  for (const key of new Set([...WRAPPERS, named])) {
    if (key === '' || !own.has(key)) continue;
    fields[key] = parseJsonText(fields[key]);
    layers.push(...listLayers(fields[key], wrappers - 1));
  }
  return layers;
}

function barePaths(value: Fields): Fields {
  const fields = new Map<string, unknown>();
  for (const { path, entry } of walkFields(value)) if (!fields.has(path)) fields.set(path, entry);
  return Object.fromEntries(fields);
}

/** The first text of each bare key in an object and in the objects in it, wherever it stands. */
export function findAnywhere(value: unknown): Fields {
  const found = new Map<string, string>();
  for (const { key, entry } of isObject(value) ? walkFields(value) : []) {
    const text = firstText({ entry }, 'entry');
    if (text !== undefined && !found.has(key)) found.set(key, text);
  }
  return Object.fromEntries(found);
}

/** The fields of an object and of objects in it, outermost first. Of a list the first entry is read. */
function* walkFields(value: Fields): Generator<{ path: string; key: string; entry: unknown }> {
  let level: [prefix: string, map: Fields][] = [['', value]];
  let left = MAX_FIELDS;
  for (let depth = 0; depth < MAX_PATH; depth++) {
    const next: typeof level = [];
    for (const [prefix, map] of level) {
      for (const [name, entry] of Object.entries(map)) {
        if (left-- === 0) return;
        const key = bareKey(name);
        const path = prefix + key;
        yield { path, key, entry };
        const inner = Array.isArray(entry) ? entry[0] : entry;
        if (isObject(inner)) next.push([path, inner]);
      }
    }
    level = next;
  }
}

/** The first list of objects in the outermost layer that has one; empty when there is none. */
export function findLayerEntries(layers: readonly Fields[]): unknown[] {
  const lists = layers.flatMap((layer) => LISTS.map((key) => asArray(layer[key])));
  return lists.find((list) => list.some(isObject) && pairsIn(list) === undefined) ?? [];
}

/** The text of the first key with a text, in the outermost layer that has it: keys win over layers. */
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

/**
 * The mappings that stand in the layers under one of `keys`, such as `labels`; their own keys are as they
 * came. Tags (`env:prod`) and pairs (`{ key, value }`) are mappings as well.
 */
export function mapsIn(layers: readonly Fields[], keys: readonly string[]): Fields[] {
  return layers
    .flatMap((layer) => keys.map((key) => toFieldMap(layer[key])))
    .filter((map) => Object.keys(map).length > 0);
}

function toFieldMap(value: unknown): Fields {
  const map = pairsIn(asArray(value)) ?? (isObject(value) ? value : labelsOfTags(value));
  return Object.fromEntries(Object.entries(map).map(([key, entry]) => [key, plainValue(entry)]));
}

const PAIR_NAMES = ['key', 'name', 'tag', 'title', 'label'];

/** A list of pairs as a mapping: `{ key, value }`, `{ name, value }`. Undefined for any other list. */
function pairsIn(list: readonly unknown[]): Fields | undefined {
  const pairs = list
    .filter(isObject)
    .map((entry): [string | undefined, unknown] => [firstText(entry, ...PAIR_NAMES), entry.value]);
  if (pairs.length === 0 || pairs.some(([name, value]) => name === undefined || value === undefined))
    return undefined;
  return Object.fromEntries(pairs);
}

/** The value of `{ value, color }` of Squadcast and `{ stringValue }` of OpenTelemetry. */
function plainValue(entry: unknown): unknown {
  return isObject(entry) ? (entry.value ?? entry.stringValue ?? entry.name) : entry;
}

/** A mapping with its top-level keys in lower case; an empty one for any other value. */
export function lowerCaseKeys(value: unknown): Fields {
  return Object.fromEntries(
    Object.entries(asObject(value)).map(([key, entry]) => [key.toLowerCase(), entry]),
  );
}

function parseJsonText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[{[]/.test(value) ? (parseJson(value) ?? value) : value;
}
