// Status and severity of a payload, from the fields that commonly state them.

import { isKnownSeverity } from '../../contract/severity.ts';
import { looseDate } from '../fields/dates.ts';
import { parseStatusWord, statusInTitle, statusOfPhrase } from '../fields/status.ts';
import type { Alert } from '../schema/alert.ts';
import * as names from './fieldNames.ts';
import { findKey, findText } from './flattenPayload.ts';

type Fields = Record<string, unknown>;

/**
 * The status that a payload states: in the fields of a status, in flags, in the name of the event, by the
 * time of its end, or only in the title, as Datadog and others do.
 */
export function readStatus(layers: readonly Fields[], title: string | undefined): Alert['status'] {
  const words = (keys: readonly string[]) =>
    layers.flatMap((layer) => keys.map((key) => statusOfPhrase(findText([layer], [key]))));
  const flags = flagsIn(layers);
  if (flags.includes('test')) return 'test';
  return (
    foremost([...words(names.STATUSES), ...flags]) ??
    foremost(words(names.EVENTS)) ??
    foremost([statusInTitle(title), ...endsIn(layers)]) ??
    // A word such as `critical` is no answer to a status that is not understood.
    (findKey(layers, names.STATUSES) === undefined ? foremost(words(names.LEVELS)) : undefined) ??
    'unknown'
  );
}

function foremost(stated: readonly Alert['status'][]): Alert['status'] | undefined {
  return (['firing', 'resolved', 'acknowledged', 'test'] as const).find((status) => stated.includes(status));
}

function flagsIn(layers: readonly Fields[]): Alert['status'][] {
  return Object.entries(names.FLAGS).flatMap(([key, status]) =>
    layers.flatMap((layer) => {
      if (layer[key] === true) return [status];
      return layer[key] === false && status !== 'test' ? [status === 'firing' ? 'resolved' : 'firing'] : [];
    }),
  );
}

/** Firing for an end that is `null`, resolved for one that is a moment. */
function endsIn(layers: readonly Fields[]): Alert['status'][] {
  return names.RESOLUTIONS.flatMap((key) =>
    layers.flatMap((layer): Alert['status'][] => {
      if (!Object.hasOwn(layer, key)) return [];
      return [looseDate(findText([layer], [key])) === null ? 'firing' : 'resolved'];
    }),
  );
}

/** The first severity, a word before a number, else a word such as `critical` that a tool has as status. */
export function readSeverity(layers: readonly Fields[], labels: readonly Fields[]): string | undefined {
  const stated = [layers, labels].flatMap((maps) =>
    names.SEVERITIES.flatMap((key) => findText(maps, [key]) ?? []),
  );
  const words = names.STATUSES.flatMap((key) => findText(layers, [key]) ?? []);
  return (
    stated.find((word) => !/^[\d.]+$/.test(word)) ??
    words.find((word) => isKnownSeverity(word) && parseStatusWord(word) === 'firing') ??
    stated[0]
  );
}
