// Reads samples of a Prometheus answer. Only plain queries about a listed metric have records.

import { NAME, type Source } from './fieldList.ts';
import { plainQuery } from './plainQuery.ts';
import type { ReadResult, Sample, StateField, StateRecord } from './record.ts';
import { listTreeItems, nodeAt, readTree, type TreeNode } from './tree.ts';

interface ReadSeries {
  labels: Readonly<Record<string, string>>;
  samples: readonly Sample[];
  /** The place of each sample's number in the text. */
  fields: readonly StateField[];
}

/** The series of an answer, of whatever query. @returns undefined for a text that is none. */
function parseSeries(text: string): { series: ReadSeries[]; isWhole: boolean } | undefined {
  const root = readTree(text);
  const data = nodeAt(root, 'data') ?? root;
  const type = nodeAt(data, 'resultType')?.value;
  const result = nodeAt(data, 'result');
  if (root === undefined || result === undefined || (type !== 'vector' && type !== 'matrix'))
    return undefined;
  const series = listTreeItems(result).map((one) => {
    const value = nodeAt(one, 'value');
    const pairs = (value === undefined ? listTreeItems(nodeAt(one, 'values')) : [value]).flatMap(readSample);
    return {
      labels: readSeriesLabels(nodeAt(one, 'metric')),
      samples: pairs.map(([sample]) => sample),
      fields: pairs.map(([, field]) => field),
    };
  });
  return { series, isWhole: !root.isCut };
}

function readSeriesLabels(node: TreeNode | undefined): Record<string, string> {
  const entries = node?.value instanceof Map ? [...node.value] : [];
  return Object.fromEntries(
    entries.flatMap(([name, { value }]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function readSample(pair: TreeNode): [Sample, StateField][] {
  const [time, number] = listTreeItems(pair);
  if (typeof time?.value !== 'number' || typeof number?.value !== 'string') return [];
  const value = number.value.trim() === '' ? Number.NaN : Number(number.value);
  if (!Number.isFinite(value)) return [];
  const { start, end } = number;
  return [[[Math.round(time.value * 1000), value], { value, start, end }]];
}

/** Names of objects, of jobs, and of hosts with a port or an address. */
const NAMED = /^[\w.:/-]{1,253}$/;

/** The records of an answer to a plain query. */
export function readSeries(
  text: string,
  query: string,
  { result, list, target }: Source,
): ReadResult | undefined {
  const read = parseSeries(text);
  if (read === undefined) return undefined;
  const plain = plainQuery(query);
  const row = plain && list.samples.get(plain.metric);
  if (plain === undefined || row === undefined) return { records: [], isWhole: read.isWhole };
  const {
    namespace: spaceLabel = '',
    cluster: clusterLabel = '',
    container: inner = '',
    node: on = '',
    ...kinds
  } = row;
  const records = read.series.flatMap(({ labels, samples, fields }): StateRecord[] => {
    const owners = Object.entries(kinds).flatMap(([kind, label]) =>
      NAMED.test(labels[label] ?? '') ? [{ kind, name: labels[label] ?? '' }] : [],
    );
    const [first] = owners;
    if (first === undefined || (labels.__name__ ?? plain.metric) !== plain.metric) return [];
    const named = (label: string) => (NAME.test(labels[label] ?? '') ? labels[label] : undefined);
    const [cluster, namespace] = [named(clusterLabel) ?? target.cluster, named(spaceLabel)];
    const [container, node] = [named(inner), named(on)];
    const last = fields.at(-1);
    return [
      {
        result,
        kind: 'series',
        apiVersion: '',
        identity: {
          ...(cluster && { cluster }),
          ...(namespace && { namespace }),
          name: first.name,
          owners,
          ...(node && { node }),
        },
        ...(container && { container }),
        fields: new Map([
          ...fields.map((field, at) => [`samples[${at}]`, field] as const),
          ...(last === undefined ? [] : [['value', last] as const]),
        ]),
        series: {
          metric: plain.metric,
          functions: plain.functions,
          // The labels that a query selects are true of its series as well.
          labels: { ...plain.selected, ...labels },
          samples,
        },
      },
    ];
  });
  return { records, isWhole: read.isWhole };
}
