// Reads alerts of unknown sources, JSON or text, by the names that fields commonly have.

import { worstSeverity } from '../../contract/severity.ts';
import { type AlertFacts, type FactName, type FactPlaces, NO_FACTS } from '../fields/adapter.ts';
import { earliestDate, latestDate, looseDate } from '../fields/dates.ts';
import { runbookIn } from '../fields/fields.ts';
import {
  countStatuses,
  parseStatusWord,
  relevantEntries,
  statusInTitle,
  statusOfGroup,
} from '../fields/status.ts';
import * as names from './fieldNames.ts';
import { findKey, findLayerEntries, findText, listLayers, mapsIn } from './flattenPayload.ts';
import { factsOfShape } from './readShape.ts';
import { readIdentity, readLabels, withBareKeys } from './usualLabels.ts';
import { readSeverity, readStatus } from './usualStatus.ts';

type Fields = Record<string, unknown>;

/** The keys that each fact is read from, for the trace of a reading. */
const KEYS_OF: Partial<Record<FactName, readonly string[]>> = {
  title: [...names.TITLES, ...names.HEADLINES],
  status: [...names.STATUSES, ...names.EVENTS],
  severity: names.SEVERITIES,
  identity: [...names.IDENTITIES, ...names.LAST_IDENTITIES],
  summary: names.SUMMARIES,
  url: names.LINKS,
  startedAt: names.STARTS,
  labels: names.LABELS,
};
/** Deepest nesting of lists that is read; only a hostile message nests deeper. */
const MAX_LISTS = 3;

/** Reads an entry of a list when it is of a known source; undefined for any other. */
export type EntryReader = (entry: unknown) => AlertFacts | undefined;

/** How JSON is read. */
interface JsonOptions {
  /** Tried for each entry of a list; none are known by default. */
  readEntry?: EntryReader;
  /** Gets the names of the fields that were used. */
  places?: FactPlaces;
}

/** Reads any JSON value: one alert, a list of them, or an envelope around either. */
export function readJsonAlert(
  payload: unknown,
  { readEntry, places = {} }: JsonOptions = {},
  lists = MAX_LISTS,
): AlertFacts {
  if (typeof payload === 'string') return readTextAlert(payload);
  const layers = listLayers(payload);
  // An entry that is neither an object nor text is no alert, and is left out.
  const list = (Array.isArray(payload) ? payload : findLayerEntries(layers)).filter(
    (entry) => typeof entry === 'string' || (typeof entry === 'object' && entry !== null),
  );
  // Each alert of a list has its own resource.
  const envelope = readLayers(list.length > 0 ? undefined : payload, layers, places);
  if (lists === 0) return envelope;
  const entries = list.map(
    (entry) => readEntry?.(entry) ?? readJsonAlert(entry, readEntry && { readEntry }, lists - 1),
  );
  return entries.length > 0 ? readGroup(envelope, entries) : envelope;
}

/** Reads any text: the first line that is not blank is the title, and can start with a state in brackets. */
export function readTextAlert(text: string): AlertFacts {
  const title = /\S.*/.exec(text)?.[0];
  return { ...NO_FACTS, title, status: statusInTitle(title) };
}

/** Reads one alert. Fields of the envelope take precedence; a firing status takes precedence anywhere. */
function readLayers(payload: unknown, layers: readonly Fields[], places: FactPlaces): AlertFacts {
  const annotations = mapsIn(layers, names.ANNOTATIONS).map(withBareKeys);
  for (const [field, keys] of Object.entries(KEYS_OF)) {
    const key = findKey(layers, keys);
    if (key !== undefined) places[field as FactName] = [key];
  }
  const shape = factsOfShape(layers, places);
  const { labels, maps } = readLabels(payload, layers, shape.labels);
  const title =
    findText(layers, names.TITLES) ??
    findText(maps, ['alertname']) ??
    findTitle(layers) ??
    findText(annotations, names.HEADLINES);
  const status = readStatus(layers, title);
  return {
    ...NO_FACTS,
    title,
    status,
    severity: readSeverity(layers, maps),
    identity: readIdentity(layers, labels, status !== 'unknown'),
    summary:
      findText(layers, names.SUMMARIES) ?? findText(annotations, ['description', 'message', 'summary']),
    url: findText(layers, names.LINKS),
    runbookUrl: runbookIn([...annotations, ...layers, ...maps]),
    startedAt: dateIn(layers, names.STARTS),
    endedAt: dateIn(layers, names.ENDS),
    ...shape,
    labels,
  };
}

/** The first headline that is more than a word for a status, such as `trigger: down`. */
function findTitle(layers: readonly Fields[]): string | undefined {
  const texts = names.HEADLINES.map((key) => findText(layers, [key]));
  return texts.find((text) => text !== undefined && parseStatusWord(text) === 'unknown');
}

/** The first of the keys that holds a moment. */
function dateIn(layers: readonly Record<string, unknown>[], keys: readonly string[]): Date | null {
  return keys.map((key) => looseDate(findText(layers, [key]))).find((date) => date !== null) ?? null;
}

function readGroup(envelope: AlertFacts, entries: readonly AlertFacts[]): AlertFacts {
  const relevant = relevantEntries(entries);
  const statuses = entries.map(({ status }) => status);
  // An envelope with a name of its own knows the status of entries that state none.
  const isAlert = envelope.title !== undefined || envelope.identity !== undefined;
  const known =
    isAlert && envelope.status !== 'unknown' ? statuses.filter((one) => one !== 'unknown') : statuses;
  const first = <K extends keyof AlertFacts>(key: K) =>
    relevant.find((entry) => entry[key] !== undefined)?.[key];
  return {
    ...envelope,
    title: envelope.title ?? first('title'),
    counts: countStatuses(statuses) ?? relevant[0]?.counts,
    status: statusOfGroup(envelope.status, known),
    severity: worstSeverity([envelope.severity, ...relevant.map(({ severity }) => severity)]),
    identity: envelope.identity ?? (entries.length === 1 ? entries[0]?.identity : undefined),
    summary: envelope.summary ?? first('summary'),
    url: envelope.url ?? first('url'),
    runbookUrl: envelope.runbookUrl ?? first('runbookUrl'),
    startedAt: envelope.startedAt ?? earliestDate(relevant.map(({ startedAt }) => startedAt)),
    endedAt: envelope.endedAt ?? latestDate(entries.map(({ endedAt }) => endedAt)),
    labels: { ...relevant[0]?.labels, ...envelope.labels },
    links: relevant[0]?.links ?? [],
    members: entries.length > 1 ? entries : (entries[0]?.members ?? []),
  };
}
