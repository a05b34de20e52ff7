// Answers plain Prometheus selectors from a folder with one recorded range query for each metric.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** A query without a recording. The message lists the recorded queries. */
export class QueryError extends Error {}

/** A recording: samples at equal steps from `start`, null where there is none. */
const recordingSchema = z.strictObject({
  unit: z.enum(['bytes', 'count', 'per_second']),
  stepSeconds: z.int().positive(),
  series: z.array(
    z.strictObject({
      labels: z.record(z.string(), z.string()),
      start: z.iso.datetime(),
      values: z.array(z.number().nullable()),
    }),
  ),
});
type Recording = z.infer<typeof recordingSchema>;

const MATCHER = /\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*"([^"]*)"\s*(?:,|$)/y;
const MIB = 1024 * 1024;

interface Matcher {
  /** Name of the label; a series without it has an empty value. */
  label: string;
  /** `=`, `!=`, `=~` or `!~`. */
  operator: string;
  /** The text, or alternatives with `.*` and `.+`, of which one must match the whole value. */
  value: string;
}

/**
 * The samples of a selector such as `container_memory_working_set_bytes{pod=~"checkout-.*"}`, one block for
 * each series.
 * @param minutes how far back from the newest sample.
 * @throws QueryError for an unknown metric, and for a query that is not a plain selector.
 */
export async function queryMetrics(folder: string, query: string, minutes: number): Promise<string> {
  const parsed = /^\s*([A-Za-z_]\w*)\s*(?:\{(.*)\})?\s*$/s.exec(query);
  const available = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const known = available.map((file) => file.slice(0, -'.json'.length));
  if (parsed === null) {
    throw new QueryError(
      `parse error: only plain selectors like ${known[0]}{pod=~"x-.*"} can be asked, without functions or operators`,
    );
  }
  const [, metric = '', selector = ''] = parsed;
  const matchers = parseMatchers(selector);
  if (!known.includes(metric)) {
    throw new QueryError(`no metric "${metric}" was recorded; there are: ${known.join(', ')}`);
  }

  const recording = recordingSchema.parse(JSON.parse(await readFile(join(folder, `${metric}.json`), 'utf8')));
  const all = recording.series.map((series) => ({
    labels: series.labels,
    samples: expandSamples(series, recording),
  }));
  const newest = Math.max(...all.flatMap(({ samples }) => samples.map(({ at }) => at)));
  const since = newest - minutes * 60_000;
  const wanted = all
    .filter(({ labels }) => matchers.every((matcher) => matchesLabel(labels, matcher)))
    .map(({ labels, samples }) => ({ labels, samples: samples.filter(({ at }) => at >= since) }))
    .filter(({ samples }) => samples.length > 0);
  if (wanted.length === 0) return `(no samples of ${query.trim()} in the last ${minutes} minutes)`;
  return wanted
    .map(({ labels, samples }) =>
      [
        `${metric}{${describeLabels(labels)}}`,
        ...samples.map((entry) => rowText(entry, recording.unit)),
      ].join('\n'),
    )
    .join('\n\n');
}

interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  /** In the unit of the recording. */
  value: number;
}

function expandSamples(series: Recording['series'][number], { stepSeconds }: Recording): Sample[] {
  const start = Date.parse(series.start);
  return series.values.flatMap((value, index) =>
    value === null ? [] : [{ at: start + index * stepSeconds * 1_000, value }],
  );
}

function parseMatchers(selector: string): Matcher[] {
  const matchers: Matcher[] = [];
  let position = 0;
  while (selector.slice(position).trim() !== '') {
    MATCHER.lastIndex = position;
    const [, label, operator, value] = MATCHER.exec(selector) ?? [];
    if (label === undefined || operator === undefined || value === undefined) {
      throw new QueryError(`parse error: cannot read the label matchers at "${selector.slice(position)}"`);
    }
    matchers.push({ label, operator, value });
    position = MATCHER.lastIndex;
  }
  return matchers;
}

function matchesLabel(labels: Record<string, string>, { label, operator, value }: Matcher): boolean {
  const actual = labels[label] ?? '';
  const found = operator.endsWith('~') ? matchesPattern(actual, value) : actual === value;
  return operator.startsWith('!') ? !found : found;
}

/** Alternatives with only `.*` and `.+`: enough for pods' names, and never slow. */
function matchesPattern(actual: string, pattern: string): boolean {
  return pattern.split('|').some((alternative) => {
    const [first = '', ...rest] = alternative.split(/\.[*+]/);
    if (rest.length === 0) return actual === first;
    const last = rest.at(-1) ?? '';
    if (!actual.startsWith(first) || !actual.endsWith(last)) return false;
    let position = first.length;
    for (const piece of rest.slice(0, -1)) {
      const at = actual.indexOf(piece, position);
      if (at === -1) return false;
      position = at + piece.length;
    }
    return position <= actual.length - last.length;
  });
}

function describeLabels(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
}

function rowText({ at, value }: Sample, unit: Recording['unit']): string {
  const readable = unit === 'bytes' ? `  (${(value / MIB).toFixed(1)} MiB)` : '';
  return `  ${new Date(at).toISOString().replace('.000Z', 'Z')}  ${value}${readable}`;
}
