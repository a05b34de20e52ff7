// Samples as a chart shows them: their series, named by the labels that differ.

import type { Series } from '../../../../shared/evidence/series.ts';

/** A line or a bar. */
export interface ChartSeries {
  /** The labels in which it differs from the others. */
  name: string;
  /** As `amountText` takes it; '' without one. */
  unit: string;
  /** In the order of time. NaN and infinite values are gaps. */
  samples: Series['samples'];
}

/** The samples of a result. */
export interface SampleSet {
  /** One value for each series at one time is a list of bars. */
  form: 'lines' | 'bars';
  /** The metric and the labels of all series. */
  shared: string;
  /** At least one. */
  series: readonly ChartSeries[];
  /** The unit of all series; '' where they differ. */
  unit: string;
  /** The metric of all series; undefined where they differ. */
  metric: string | undefined;
}

const LONGEST = 200;
/** From 2001 to 2100, in milliseconds since 1970: other numbers are no times. */
const [EARLIEST, LATEST] = [978_307_200_000, 4_102_444_800_000];

/** A set of series. @param unitOf The unit of a series. @returns undefined where none has a sample. */
export function makeSet(all: readonly Series[], unitOf: (one: Series) => string): SampleSet | undefined {
  const series = all.filter(({ samples }) => samples.every(([ms]) => ms > EARLIEST && ms < LATEST));
  if (!series.some(({ samples }) => samples.some(([, value]) => Number.isFinite(value)))) return undefined;
  const metrics = new Set(series.map(({ metric = '' }) => metric));
  const isOneMetric = metrics.size === 1;
  const { differing, shared } = compareLabels(series);
  const [first = ''] = metrics;
  const used = new Map<string, number>();
  const named = series.map((one) => {
    const own = [isOneMetric ? '' : (one.metric ?? ''), ...labelWords(one, differing)];
    const name = cut(own.filter(Boolean).join(' · ') || first || 'value');
    const times = (used.get(name) ?? 0) + 1;
    used.set(name, times);
    return { name: times === 1 ? name : `${name} (${times})`, unit: unitOf(one), samples: one.samples };
  });
  const units = new Set(named.map(({ unit }) => unit));
  const words = series[0] === undefined ? [] : labelWords(series[0], shared);
  return {
    form: isInstant(series) ? 'bars' : 'lines',
    shared: cut([isOneMetric ? first : '', ...words].filter(Boolean).join(' · ')),
    series: named,
    unit: units.size === 1 ? (named[0]?.unit ?? '') : '',
    metric: isOneMetric && first !== '' ? first : undefined,
  };
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const labelWords = ({ labels }: Series, names: ReadonlySet<string>): string[] =>
  Object.entries(labels).flatMap(([name, value]) => (names.has(name) ? [`${name} ${value}`] : []));

/** The names of the labels that differ, and of those that all series share. */
function compareLabels(series: readonly Series[]): { differing: Set<string>; shared: Set<string> } {
  const first = series[0]?.labels ?? {};
  const equal = new Map<string, number>();
  for (const { labels } of series)
    for (const [name, value] of Object.entries(labels))
      equal.set(name, (equal.get(name) ?? 0) + (Object.hasOwn(first, name) && first[name] === value ? 1 : 0));
  const names = [...equal.keys()];
  const isShared = (name: string) => equal.get(name) === series.length;
  return {
    differing: new Set(names.filter((name) => !isShared(name))),
    shared: new Set(names.filter(isShared)),
  };
}

function isInstant(series: readonly Series[]): boolean {
  const times = new Set(series.flatMap(({ samples }) => samples.map(([ms]) => ms)));
  return times.size === 1;
}
