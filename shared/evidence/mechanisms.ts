// The table of mechanisms.yaml: the states and phrases of each mechanism, and effects of mechanisms.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { projectFile } from '../projectFiles.ts';
import { MECHANISMS } from '../text/mechanisms.ts';
import type { StateField, StateRecord } from './records/record.ts';
import { mechanismSchema } from './schema/mechanism.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** A number, the sample's `time`, a field of the record, or a series of the object at that time. */
const limit = z.union([
  z.number(),
  z.string(),
  z.strictObject({
    metric: z.string(),
    times: z.number().default(1),
    /** Labels in which the other series differs. */
    labels: z.record(z.string(), z.string()).default({}),
  }),
]);
/** The value of a field, one of several values, or exactly one comparison. */
const condition = z.union([
  scalar,
  z.array(scalar),
  z.strictObject({ atLeast: limit }),
  z.strictObject({ above: limit }),
  z.strictObject({ below: limit }),
  z.strictObject({ present: z.boolean() }),
  /** It is a time that has passed. */
  z.strictObject({ passed: z.literal(true) }),
  /** A sample is this many times the highest of the first three, and not 0. */
  z.strictObject({ rises: z.number().min(1) }),
]);
const row = z.strictObject({
  id: z.string(),
  mechanism: mechanismSchema,
  kind: z.string().optional(),
  container: z.literal(true).optional(),
  metric: z.string().optional(),
  /** Patterns of whole values; null: no such label. */
  labels: z.record(z.string(), z.string().nullable()).optional(),
  /** By canonical path; `*` is any text, equal in the other operand. Absent: the row has only words. */
  where: z.record(z.string(), condition).optional(),
  time: z.array(z.string()).default([]),
  /** Minutes before the alert in which the transition counts. */
  within: z.number().default(60),
  /** The metric only grows, so that its samples show nothing, and those of its rate do. */
  counter: z.literal(true).optional(),
  change: z.literal(true).optional(),
  /** It shows that something fails, and not how: no mechanism, it only counts beside a change. */
  symptom: z.literal(true).optional(),
  /** The state in words, `{value}` for the value of the first field. Default: the metric and its value. */
  says: z.string().optional(),
  words: z.array(z.string()).default([]),
  causes: z.array(z.string()).default([]),
  source: z.url(),
});
const table = z.strictObject({
  rows: z.array(row),
  leadsTo: z.array(z.strictObject({ from: z.enum(MECHANISMS), to: z.enum(MECHANISMS), source: z.url() })),
});

/** A row of the table. */
export type MechanismRow = z.infer<typeof row>;
type Mechanism = MechanismRow['mechanism'];
type Condition = z.infer<typeof condition>;

/** How a record matches a row. */
export interface RowMatch {
  /** The fields that the row names. */
  fields: StateField[];
  /** Milliseconds since 1970: of the transition, or of the first sample of the newest run that matches. */
  at?: number;
  /** Of a series: whether each sample matches. */
  samples?: readonly boolean[];
}

/** The context of a record. */
interface Reading {
  /** When its call was made, in milliseconds since 1970: ages count from it. */
  now?: number;
  /** Other series, for rows that compare two. */
  others?: readonly StateRecord[];
}

let read: z.infer<typeof table> | undefined;

function mechanismTable(): z.infer<typeof table> {
  read ??= table.parse(parse(readFileSync(projectFile('shared/evidence/mechanisms.yaml'), 'utf8')));
  return read;
}

/** All rows. The file is read at the first call. */
export const mechanismRows = (): readonly MechanismRow[] => mechanismTable().rows;

/** The rows of a mechanism. */
export const findMechanismRows = (mechanism: string): MechanismRow[] =>
  mechanismRows().filter((one) => one.mechanism === mechanism && one.symptom !== true);

/** The phrases of texts that speak of a mechanism. */
export const listMechanismWords = (mechanism: string): string[] =>
  findMechanismRows(mechanism).flatMap(({ words }) => words);

/** The mechanism of a cause of Cloud-OpsBench; undefined for a name that the table does not have. */
export const mechanismOfCause = (cause: string): Mechanism | undefined =>
  mechanismRows().find(({ causes }) => causes.includes(cause))?.mechanism;

/** Whether the second mechanism is a documented effect of the first. */
export const leadsTo = (from: string, to: string): boolean =>
  mechanismTable().leadsTo.some((one) => one.from === from && one.to === to);

/** Matches a record with a row. @returns undefined if a condition fails, or for a row of only words. */
export function matchesRow(
  row: MechanismRow,
  record: StateRecord,
  reading: Reading = {},
): RowMatch | undefined {
  if (row.where === undefined) return undefined;
  if (row.metric !== undefined) return matchSeries(row, record, reading);
  if (record.kind !== row.kind || (record.container !== undefined) !== (row.container === true))
    return undefined;
  const fields: StateField[] = [];
  for (const [path, condition] of Object.entries(row.where)) {
    const found = fieldsAt(record, path).find(({ field, star }) => {
      const value = (other: string) => fieldsAt(record, other.replace('*', star))[0]?.field.value;
      return holds(
        condition,
        field.value,
        (one) => (typeof one === 'string' ? value(one) : one),
        reading.now,
      );
    });
    const isAbsent = typeof condition === 'object' && 'present' in condition && !condition.present;
    // A table does not show every field: only an object lacks one.
    if ((found === undefined) !== isAbsent || (isAbsent && record.isObject !== true)) return undefined;
    if (found !== undefined) fields.push(found.field);
  }
  // No state is older than its object: the creation counts if the transition has no time.
  const paths = [...row.time, 'metadata.creationTimestamp', 'metadata.age', 'of.metadata.creationTimestamp'];
  const time = paths.flatMap((path) => fieldsAt(record, path))[0]?.field;
  const at = time && parseStateTime(time.value, reading.now);
  return { fields, ...(at !== undefined && { at }) };
}

/** The state that a record has, in words. */
export function describeRecordState(
  { says, metric }: MechanismRow,
  { samples, fields }: RowMatch,
  { series }: StateRecord,
) {
  const value = samples === undefined ? fields[0]?.value : series?.samples[samples.lastIndexOf(true)]?.[1];
  return says?.replace('{value}', String(value)) ?? `${metric ?? ''} ${value ?? ''}`.trim();
}

/** The fields at a path, with the text that `*` stands for. `of.` is the pod of a container. */
function fieldsAt(record: StateRecord, path: string): { field: StateField; star: string }[] {
  if (path.startsWith('of.')) return record.of === undefined ? [] : fieldsAt(record.of, path.slice(3));
  const [start = '', end] = path.split('*');
  if (end === undefined) {
    const field = record.fields.get(path);
    return field === undefined ? [] : [{ field, star: '' }];
  }
  return [...record.fields]
    .filter(([key]) => key.length > path.length - 1 && key.startsWith(start) && key.endsWith(end))
    .map(([key, field]) => ({ field, star: key.slice(start.length, key.length - end.length) }));
}

function matchSeries(row: MechanismRow, record: StateRecord, { others = [] }: Reading): RowMatch | undefined {
  const { series } = record;
  const labels = Object.entries(row.labels ?? {});
  if (series === undefined || series.metric !== row.metric) return undefined;
  const hasLabel = ([name, pattern]: [string, string | null]) =>
    pattern === null
      ? series.labels[name] === undefined
      : new RegExp(`^(?:${pattern})$`).test(series.labels[name] ?? '');
  const isRate = series.functions?.some((name) => /rate$|^increase$/.test(name)) === true;
  if (isRate !== (row.counter === true) || !labels.every(hasLabel)) return undefined;
  const condition = row.where?.value ?? { present: true };
  const first = Math.max(...series.samples.slice(0, 3).map(([, value]) => value));
  const samples = series.samples.map(([ms, value]) => {
    if (typeof condition === 'object' && 'rises' in condition)
      return value > 0 && value >= condition.rises * first;
    return holds(condition, value, (one) => {
      if (one === 'time') return ms / 1_000;
      return typeof one === 'object' ? findPairedSample(one, record, ms, others) : one;
    });
  });
  if (!samples.includes(true)) return undefined;
  const newest = samples.lastIndexOf(true);
  const at = series.samples[samples.lastIndexOf(false, newest) + 1]?.[0];
  return { fields: [...record.fields.values()], ...(at !== undefined && { at }), samples };
}

/** The newest sample up to a time of the other metric of the same object, several times. */
function findPairedSample(
  { metric, times, labels }: { metric: string; times: number; labels: Readonly<Record<string, string>> },
  { series }: StateRecord,
  ms: number,
  others: readonly StateRecord[],
): number | undefined {
  const own = others.find(
    (other) =>
      other.series?.metric === metric &&
      String(other.series.functions) === String(series?.functions) &&
      Object.entries(other.series.labels).every(
        ([name, value]) => name === '__name__' || (labels[name] ?? series?.labels[name] ?? value) === value,
      ),
  );
  const sample = own?.series?.samples.findLast(([at]) => at <= ms) ?? own?.series?.samples[0];
  return sample === undefined ? undefined : sample[1] * times;
}

type Limit = z.infer<typeof limit>;

function holds(
  condition: Condition,
  value: StateField['value'],
  limitOf: (limit: Limit) => StateField['value'] | Limit | undefined,
  now?: number,
): boolean {
  if (typeof condition !== 'object') return String(condition) === String(value);
  if (Array.isArray(condition)) return condition.some((one) => String(one) === String(value));
  if ('present' in condition) return true;
  if ('passed' in condition) return (parseStateTime(value, now) ?? Number.NaN) <= (now ?? Infinity);
  if ('rises' in condition) return false;
  const [[operator, limit] = ['', 0]] = Object.entries(condition) as [string, Limit][];
  const [own, other] = [quantity(value), quantity(limitOf(limit))];
  return operator === 'below' ? own < other : operator === 'above' ? own > other : own >= other;
}

const UNITS: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** The number of a quantity of Kubernetes: `500m`, `2Gi`; NaN for any other value. */
function quantity(value: unknown): number {
  const [, number, unit = ''] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)([A-Za-z]{0,2})$/.exec(String(value)) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}

const AGE_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 31_536_000_000,
};

/** A time, or an age as kubectl prints it (`2d3h`), in milliseconds since 1970. */
function parseStateTime(value: StateField['value'], now: number | undefined): number | undefined {
  if (typeof value === 'string' && /^(?:\d+[smhdy])+$/.test(value)) {
    const parts = [...value.matchAll(/(\d+)([smhdy])/g)];
    const age = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (AGE_MS[unit] ?? 0), 0);
    return now === undefined ? undefined : now - age;
  }
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
