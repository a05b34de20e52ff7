// Labels and identity of a payload, from the fields that commonly hold them.

import * as names from './fieldNames.ts';
import { bareKey, findAnywhere, findText, mapsIn } from './flattenPayload.ts';
import { hostIn, readShapeText } from './readShape.ts';

type Fields = Record<string, unknown>;

interface UsualLabels {
  /** All of them. Labels that the payload calls so precede those from its other fields. */
  labels: Fields;
  /** The maps of labels, with bare keys. */
  maps: readonly Fields[];
}

/**
 * The labels of a payload, and those that name its resource.
 * @param known labels that the shape of its tool gives: they precede all others, and name the resource.
 * Undefined for none.
 */
export function readLabels(
  payload: unknown,
  layers: readonly Fields[],
  known: Fields | undefined,
): UsualLabels {
  const own = mapsIn(layers, names.LABELS);
  const maps = own.map(withBareKeys);
  const all = [
    ...(known === undefined ? [resourceLabels(payload, layers, maps)] : []),
    labelsIn([...layers, ...maps], names.SURROUNDINGS),
    ...own.toReversed(),
    known ?? {},
  ];
  return { labels: Object.fromEntries(all.flatMap((map) => Object.entries(map))), maps };
}

/** A mapping with bare keys. */
export const withBareKeys = (map: Fields): Fields =>
  Object.fromEntries(Object.entries(map).map(([key, entry]) => [bareKey(key), entry]));

/** Labels that name the resource: from common fields, a watched address, else a field anywhere. */
function resourceLabels(
  payload: unknown,
  layers: readonly Fields[],
  labels: readonly Fields[],
): Record<string, string> {
  const found = labelsIn([...layers, ...labels], names.RESOURCES);
  const address = findFirst(names.WATCHED_ADDRESSES, (key) => hostIn(findText(layers, [key]) ?? ''));
  const all = { ...(address !== undefined && { host: address }), ...found };
  return Object.keys(all).length > 0 ? all : labelsIn([findAnywhere(payload)], names.RESOURCES_ANYWHERE);
}

/** For each label the first of its fields that has a text. An address gives its host. */
function labelsIn(
  maps: readonly Fields[],
  fields: Readonly<Record<string, readonly string[]>>,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [label, keys] of Object.entries(fields)) {
    const text = findFirst(keys, (key) => findFirst(maps, (map) => readShapeText(map, [key])));
    if (text !== undefined) found[label] = hostIn(text) ?? text;
  }
  return found;
}

function findFirst<T>(list: readonly T[], read: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const found = read(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The value that all messages of a problem share; ids that can be those of a single message only if there is
 * nothing else. A check that states its status, and has no id, is known by its name and its resource.
 * @param isStated whether the payload states a status.
 */
export function readIdentity(
  layers: readonly Fields[],
  labels: Fields,
  isStated: boolean,
): string | undefined {
  const id =
    findText(layers, names.IDENTITIES) ??
    findText(layers.toReversed(), names.LAST_IDENTITIES) ??
    findText(layers, names.LINKS_OF_PROBLEMS);
  if (id !== undefined || !isStated) return id;
  const check = findText(layers, names.CHECKS);
  const resource = readShapeText(labels, ['host', 'pod', 'deployment', 'service', 'resource']);
  return check && resource && `${check} ${resource}`;
}
