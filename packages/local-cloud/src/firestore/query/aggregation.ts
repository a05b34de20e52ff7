// Count, sum and average of a query's results.

import type { StoredDocument } from '../engine/documentStore.ts';
import type { Snapshot } from '../engine/engine.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, NAME_PATH, parseFieldPath, valueAt } from '../values/fieldPath.ts';
import {
  double,
  type Fields,
  integer,
  isNumber,
  NULL,
  type NumberValue,
  type Value,
} from '../values/value.ts';
import type { FieldReference } from './filters.ts';
import type { Query } from './query.ts';
import { findResults } from './runQuery.ts';

/** On the wire. */
interface AggregationMessage {
  /** The name of the result. Required. */
  alias?: string;
  /** Counts results, at most `upTo`. */
  count?: { upTo?: { value?: string } | null };
  /** Sums the numbers of a field. */
  sum?: { field?: FieldReference };
  /** Averages the numbers of a field; null without numbers. */
  avg?: { field?: FieldReference };
}

interface Aggregation {
  /** The name of the result. */
  alias: string;
  /** The field of a sum or average. A document without it counts in no aggregation of the query. */
  path: FieldPath | undefined;
  /** The result over all documents of the query. */
  compute(documents: StoredDocument[]): Value;
}

const MAX_AGGREGATIONS = 5;

/** @throws StatusError INVALID_ARGUMENT when one is not valid. */
export function parseAggregations(messages: AggregationMessage[]): Aggregation[] {
  if (messages.length === 0) throw invalid('Aggregations can not be empty.');
  if (messages.length > MAX_AGGREGATIONS) {
    throw invalid(
      `The maximum number of aggregations allowed in an aggregation query is ${MAX_AGGREGATIONS}.`,
    );
  }
  const seen = new Set<string>();
  return messages.map((message, index) => {
    const alias = message.alias || `field_${index + 1}`;
    if (seen.has(alias)) throw invalid(`Aggregation aliases contain duplicate alias: ${alias}.`);
    seen.add(alias);
    if (/^__.*__$/s.test(alias)) throw invalid(`The property.name "${alias}" is reserved.`);
    return { alias, ...parseOperator(message) };
  });
}

function parseOperator({ count, sum, avg }: AggregationMessage): Omit<Aggregation, 'alias'> {
  if (count != null) {
    const upTo = count.upTo ? Number(count.upTo.value ?? 0) : undefined;
    if (upTo !== undefined && upTo < 0) {
      throw invalid('The `up_to` value in a COUNT aggregation must be greater than or equal to zero.');
    }
    return {
      path: undefined,
      compute: (documents) => integer(Math.min(documents.length, upTo ?? documents.length)),
    };
  }
  const field = sum?.field ?? avg?.field;
  if (sum == null && avg == null) throw invalid('Operator field in Aggregation is not set.');
  const path = parseFieldPath(field?.fieldPath);
  if (path[0] === NAME_PATH) throw invalid('Aggregations are not supported for the property: __key__');
  const numbers = (documents: StoredDocument[]) =>
    documents.map(({ fields }) => valueAt(fields, path)).filter(isNumber);
  return {
    path,
    compute: (documents) => (sum != null ? sumValues : averageValues)(numbers(documents)),
  };
}

/** The fields that aggregations read, for `parseQuery`. */
export const aggregatedPaths = (aggregations: Aggregation[]): FieldPath[] =>
  aggregations.map(({ path }) => path).filter((path) => path !== undefined);

/** Runs a query, which was parsed with `aggregatedPaths`, and aggregates its results. */
export function aggregateQuery(snapshot: Snapshot, query: Query, aggregations: Aggregation[]): Fields {
  const { documents } = findResults(snapshot, query);
  return Object.fromEntries(aggregations.map(({ alias, compute }) => [alias, compute(documents)]));
}

/** An integer as long as all are and the sum is one of 64 bits; else a double. */
function sumValues(values: NumberValue[]): Value {
  let integers = 0n;
  let doubles: number | undefined;
  for (const value of values) {
    if (value.valueType === 'integerValue') integers += BigInt(value.integerValue);
    else doubles = (doubles ?? 0) + value.doubleValue;
  }
  if (doubles === undefined && integers === BigInt.asIntN(64, integers)) return integer(integers);
  return double(Number(integers) + (doubles ?? 0));
}

/** A double; null when there is no number. */
function averageValues(values: NumberValue[]): Value {
  if (values.length === 0) return NULL;
  const sum = values.reduce(
    (total, value) =>
      total + (value.valueType === 'doubleValue' ? value.doubleValue : Number(value.integerValue)),
    0,
  );
  return double(sum / values.length);
}
