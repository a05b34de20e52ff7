// Reads alerts of unknown sources, JSON or text, by the names that fields commonly have.

import type { Alert } from '../../schema/session.ts';
import { type AlertFacts, type FactName, type FactPlaces, NO_FACTS } from '../fields/adapter.ts';
import { earliestDate, latestDate, looseDate } from '../fields/dates.ts';
import { runbookIn } from '../fields/fields.ts';
import { worstSeverity } from '../fields/severity.ts';
import { countStatuses, relevantEntries, statusOf, statusOfGroup } from '../fields/status.ts';
import { entriesOf, findKey, findText, layersOf, lowerCaseKeys, mapsIn } from './layers.ts';
import { factsOfShape } from './shapes.ts';

const NAMES = [
  'title',
  'alertname',
  'alarmname',
  'alert_title',
  'alerttitle',
  'alert_name',
  'rule_name',
  'rulename',
  'monitor_name',
  'check_name',
  'checkname',
];
const HEADLINES = ['summary', 'subject', 'name', 'message', 'description', 'text'];
const SUMMARIES = ['summary', 'message', 'description'];
const STATUSES = [
  'status',
  'state',
  'newstatevalue',
  'alert_transition',
  'transition',
  'event_type',
  'action',
];
const SEVERITIES = ['severity', 'priority', 'level', 'urgency'];
/** Fields that stay the same from the first message about a problem to the one that resolves it. */
const IDENTITIES = [
  'fingerprint',
  'groupkey',
  'dedup_key',
  'dedupkey',
  'incident_key',
  'alert_cycle_key',
  'alertid',
  'alert_id',
  'incident_id',
  'incidentid',
  'issue_id',
  'alarmarn',
  'alias',
];
const STARTS = [
  'startsat',
  'started_at',
  'startedat',
  'start_time',
  'starttime',
  'start',
  'activeat',
  'triggered_at',
  'triggeredat',
  'statechangetime',
  'occurred_at',
  'created_at',
  'createdat',
  'timestamp',
  'time',
  'date',
];
const ENDS = [
  'endsat',
  'ended_at',
  'endedat',
  'end_time',
  'endtime',
  'resolved_at',
  'resolvedat',
  'closed_at',
  'closedat',
  'statechangetime',
];
const LINKS = ['url', 'link', 'html_url', 'externalurl', 'generatorurl'];
const LABELS = ['labels', 'commonlabels', 'grouplabels', 'tags'];
const ANNOTATIONS = ['annotations', 'commonannotations'];
/** The keys that each fact is read from, for the trace of a reading. */
const KEYS_OF: Partial<Record<FactName, readonly string[]>> = {
  title: [...NAMES, ...HEADLINES],
  status: STATUSES,
  severity: SEVERITIES,
  identity: IDENTITIES,
  summary: SUMMARIES,
  url: LINKS,
  startedAt: STARTS,
  labels: LABELS,
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
export function readJson(
  payload: unknown,
  { readEntry, places = {} }: JsonOptions = {},
  lists = MAX_LISTS,
): AlertFacts {
  if (typeof payload === 'string') return readText(payload);
  const layers = layersOf(payload);
  const envelope = readLayers(layers, places);
  if (lists === 0) return envelope;
  // An entry that is neither an object nor text is no alert, and is left out.
  const entries = (Array.isArray(payload) ? payload : entriesOf(layers))
    .filter((entry) => typeof entry === 'string' || (typeof entry === 'object' && entry !== null))
    .map((entry) => readEntry?.(entry) ?? readJson(entry, readEntry && { readEntry }, lists - 1));
  return entries.length > 0 ? readGroup(envelope, entries) : envelope;
}

/** Reads any text: the first line that is not blank is the title, and can start with a state in brackets. */
export function readText(text: string): AlertFacts {
  const title = /\S.*/.exec(text)?.[0];
  return { ...NO_FACTS, title, status: statusOf(stateInTitle(title)) };
}

/** Reads one alert. Fields of the envelope take precedence over those inside, but a firing status takes precedence anywhere. */
function readLayers(layers: readonly Record<string, unknown>[], places: FactPlaces): AlertFacts {
  const labelMaps = mapsIn(layers, LABELS);
  const labels = labelMaps.map(lowerCaseKeys);
  const annotations = mapsIn(layers, ANNOTATIONS).map(lowerCaseKeys);
  const name = findText(layers, NAMES) ?? findText(labels, ['alertname']);
  for (const [field, keys] of Object.entries(KEYS_OF)) {
    const key = findKey(layers, keys);
    if (key !== undefined) places[field as FactName] = [key];
  }
  return {
    ...NO_FACTS,
    title: name ?? findText(layers, HEADLINES) ?? findText(annotations, HEADLINES),
    status: statusIn(layers, name),
    severity: findText(layers, SEVERITIES) ?? findText(labels, SEVERITIES),
    identity: findText(layers, IDENTITIES) ?? findText(layers.slice(-1), ['id']),
    summary: findText(layers, SUMMARIES) ?? findText(annotations, ['description', 'message', 'summary']),
    url: findText(layers, LINKS),
    runbookUrl: runbookIn([...annotations, ...layers, ...labels]),
    startedAt: dateIn(layers, STARTS),
    endedAt: dateIn(layers, ENDS),
    labels: labelMaps[0] ?? {},
    ...factsOfShape(layers[0], places),
  };
}

/** The first of the keys that holds a moment. */
function dateIn(layers: readonly Record<string, unknown>[], keys: readonly string[]): Date | null {
  return keys.map((key) => looseDate(findText(layers, [key]))).find((date) => date !== null) ?? null;
}

/** Combines the facts of several alerts with those of their envelope. */
function readGroup(envelope: AlertFacts, entries: readonly AlertFacts[]): AlertFacts {
  const relevant = relevantEntries(entries);
  const statuses = entries.map(({ status }) => status);
  const first = <K extends keyof AlertFacts>(key: K) =>
    relevant.find((entry) => entry[key] !== undefined)?.[key];
  return {
    ...envelope,
    title: envelope.title ?? first('title'),
    counts: countStatuses(statuses) ?? relevant[0]?.counts,
    status: statusOfGroup(envelope.status, statuses),
    severity: worstSeverity([envelope.severity, ...relevant.map(({ severity }) => severity)]),
    identity: envelope.identity ?? (entries.length === 1 ? entries[0]?.identity : undefined),
    summary: envelope.summary ?? first('summary'),
    url: envelope.url ?? first('url'),
    runbookUrl: envelope.runbookUrl ?? first('runbookUrl'),
    startedAt: envelope.startedAt ?? earliestDate(relevant.map(({ startedAt }) => startedAt)),
    endedAt: envelope.endedAt ?? latestDate(entries.map(({ endedAt }) => endedAt)),
    labels: Object.keys(envelope.labels).length > 0 ? envelope.labels : (relevant[0]?.labels ?? {}),
    links: relevant[0]?.links ?? [],
    members: entries.length > 1 ? entries : (entries[0]?.members ?? []),
  };
}

/** Datadog and others put the status only into the title: `[Recovered] CPU is high`. */
function statusIn(layers: readonly Record<string, unknown>[], title: string | undefined): Alert['status'] {
  const stated = layers.flatMap((layer) => STATUSES.map((key) => statusOf(findText([layer], [key]))));
  for (const status of ['firing', 'resolved', 'acknowledged', 'test'] as const) {
    if (stated.includes(status)) return status;
  }
  return statusOf(stateInTitle(title));
}

/** `Recovered` of `[P1] [Recovered on {host:db-7}] CPU is high`. */
function stateInTitle(title: string | undefined): string | undefined {
  return /^\s*(?:\[P[1-5]\]\s*)?\[(No data|[\w-]+)/i.exec(title ?? '')?.[1];
}
