// Groups of alerts as Prometheus' family writes them: Alertmanager, and Grafana's unified alerting after it.

import { worstSeverity } from '../../contract/severity.ts';
import { asObject } from '../../text/json.ts';
import type { AlertFacts, FieldReader, MemberFacts } from '../fields/adapter.ts';
import { earliestDate, latestDate, looseDate } from '../fields/dates.ts';
import { firstText, runbookIn } from '../fields/fields.ts';
import { countStatuses, parseStatusWord, relevantEntries, statusOfGroup } from '../fields/status.ts';

interface GroupEntry extends MemberFacts {
  /** Position in the list of the payload, from 0. */
  index: number;
  /** Its own labels, unchecked. */
  labels: Record<string, unknown>;
  /** Its own annotations, unchecked. */
  annotations: Record<string, unknown>;
  /** Reads its fields, and notes their places. */
  fields: FieldReader;
}

/**
 * Reads a group, or a bare list of alerts.
 * @param path where the alerts stand; empty when the payload is the list.
 * @param bareAt given for alerts that state no status, as Prometheus itself sends them: when they were
 *   received, null when that is not known. They fire unless their end had passed by then.
 */
export function readPrometheusGroup(
  fields: FieldReader,
  path: string,
  bareAt?: Date | null,
): Partial<AlertFacts> {
  const at = (index: number) => (path === '' ? `${index}` : `${path}.${index}`);
  const list = fields.list(path);
  const entries = list.map((_, index) => readEntry(fields.within(at(index)), index, bareAt));
  const hidden = Math.max(0, Math.trunc(Number(fields.peek('truncatedAlerts') ?? 0)) || 0);
  const statuses = entries.map(({ status }) => status);
  const relevant = relevantEntries(entries);
  const first = relevant.find(({ labels }) => Object.keys(labels).length > 0) ?? relevant[0];
  const common = {
    ...fields.map('labels', 'groupLabels'),
    ...fields.map('labels', 'commonLabels'),
  };
  const shared = { ...first?.annotations, ...fields.map('summary', 'commonAnnotations') };

  const name = firstText(common, 'alertname') ?? firstText(first?.labels ?? {}, 'alertname');
  const headline = firstText(shared, 'summary', 'message', 'description');
  noteName(fields, common, first, at);
  const severities = [firstText(common, 'severity'), ...relevant.map(({ severity }) => severity)];
  const only = entries.length + hidden === 1 ? first : undefined;
  if (first !== undefined) {
    if (Object.keys(common).length === 0) fields.note('labels', `${at(first.index)}.labels`);
    fields.note('startedAt', at(first.index));
    fields.note('status', at(first.index));
  }
  return {
    title: [name, headline].filter(Boolean).join(': ') || undefined,
    counts: countStatuses(statuses, hidden),
    // Alertmanager takes the group's status from the alerts that are in the message.
    status: statusOfGroup(parseStatusWord(fields.text('status', 'status')), statuses, hidden),
    severity: worstSeverity(severities),
    identity: fields.text('identity', 'groupKey') ?? only?.identity,
    summary: firstText(shared, 'description', 'message', 'summary'),
    url: only?.fields.text('url', 'generatorURL') ?? fields.text('url', 'externalURL'),
    runbookUrl: runbookIn([shared, ...relevant.map(({ annotations }) => annotations)]),
    links: listPanelLinks(first),
    startedAt: earliestDate(relevant.map(({ startedAt }) => startedAt)),
    endedAt: latestDate(entries.map((entry) => looseDate(entry.fields.peek('endsAt')))),
    labels: Object.keys(common).length > 0 ? common : (first?.labels ?? {}),
    members: entries.length > 1 ? entries : [],
  };
}

function noteName(
  fields: FieldReader,
  common: Record<string, unknown>,
  first: GroupEntry | undefined,
  at: (index: number) => string,
): void {
  if (Object.hasOwn(common, 'alertname')) fields.note('title', 'commonLabels.alertname');
  else if (first !== undefined) fields.note('title', `${at(first.index)}.labels.alertname`);
  if (first !== undefined) fields.note('severity', `${at(first.index)}.labels.severity`);
}

/** Reads one alert of the group. Its places are not kept: a group can have thousands of alerts. */
function readEntry(within: FieldReader, index: number, bareAt: Date | null | undefined): GroupEntry {
  const labels = asObject(within.raw('labels'));
  const annotations = asObject(within.raw('annotations'));
  const startedAt = looseDate(within.peek('startsAt') ?? within.peek('activeAt'));
  return {
    index,
    fields: within,
    labels,
    annotations,
    title: firstText(annotations, 'summary', 'message') ?? firstText(labels, 'alertname'),
    status: statusOfEntry(within, bareAt),
    severity: firstText(labels, 'severity'),
    identity: within.peek('fingerprint') ?? composeLabelIdentity(labels),
    startedAt,
  };
}

/** Alerts that Prometheus itself sends have no status: they are over when their end has passed. */
function statusOfEntry(within: FieldReader, bareAt: Date | null | undefined): MemberFacts['status'] {
  const word = within.peek('status') ?? within.peek('status.state') ?? within.peek('state');
  if (word !== undefined) return word === 'suppressed' ? 'acknowledged' : parseStatusWord(word);
  if (bareAt === undefined) return 'unknown';
  const end = looseDate(within.peek('endsAt'));
  return end !== null && bareAt !== null && end <= bareAt ? 'resolved' : 'firing';
}

/** The identity of an alert without a fingerprint: its labels, by which Prometheus distinguishes alerts. */
function composeLabelIdentity(labels: Record<string, unknown>): string | undefined {
  const pairs = Object.entries(labels)
    .filter(([, value]) => typeof value === 'string')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? undefined : JSON.stringify(pairs);
}

function listPanelLinks(entry: GroupEntry | undefined): { title: string; url: string }[] {
  const links = [
    ['Dashboard', 'dashboardURL'],
    ['Panel', 'panelURL'],
    ['Silence', 'silenceURL'],
    ['Picture', 'imageURL'],
  ] as const;
  return links.flatMap(([title, path]) => {
    const url = entry?.fields.peek(path);
    return url === undefined ? [] : [{ title, url }];
  });
}
