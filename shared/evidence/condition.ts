// The condition of an alert: the query of its rule or policy, and the comparison that makes it true.

import { asArray, asObject, isObject, parseJson } from '../text/json.ts';
import { parseTextDocuments } from './documents.ts';

/** A condition: a query, and the comparison that makes it true. */
export interface Condition {
  /** Without white space. */
  query: string;
  /** As it is written. */
  written: string;
  /** `>`, `==`; absent where the query itself is true or false. */
  operator?: string;
  threshold: number;
  /** How a policy of Cloud Monitoring aggregates its metric before it compares. */
  aggregation?: Aggregation;
}

/** The aligner and the reducer of an aggregation of Cloud Monitoring. */
interface Aggregation {
  aligner: string;
  reducer: string;
}

const COMPARISON = /^([\s\S]*?)\s*(==|!=|>=|<=|>|<)\s*(bool\s+)?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;
const MONITORING_OPERATORS: Record<string, string> = {
  COMPARISON_GT: '>',
  COMPARISON_GE: '>=',
  COMPARISON_LT: '<',
  COMPARISON_LE: '<=',
  COMPARISON_EQ: '==',
  COMPARISON_NE: '!=',
};

/** The conditions of an alert: expressions in its URLs, else those of its text, which anyone can write. */
export function parseStatedConditions({
  urls,
  text,
}: {
  urls: readonly string[];
  text: string;
}): Condition[] {
  const ofUrls = urls.flatMap((url) => (URL.canParse(url) ? [...new URL(url).searchParams] : []));
  const expressions = ofUrls.flatMap(([name, value]) => (/^g\d+\.expr$/.test(name) ? [value] : []));
  const quoted = [...text.matchAll(/"(?:expr|expression|query)"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
  const written = quoted.flatMap(([, json = '']) => {
    const value = parseJson(json);
    return typeof value === 'string' ? [value] : [];
  });
  const policies = parseTextDocuments(text).flatMap((document) => readPolicyThresholds(document, 0));
  const stated = expressions.length > 0 ? [] : [...written.map(readCondition), ...policies];
  return [...expressions.map(readCondition), ...stated].filter(({ query }) => query !== '');
}

/** The condition of an expression. Without a comparison with a number, the query itself is true or false. */
export function readCondition(expression: string): Condition {
  const [, query = '', operator = '', isBool, threshold = ''] = COMPARISON.exec(expression) ?? [];
  if (operator === '' || isBool !== undefined)
    return { query: compact(expression), written: expression, threshold: 0 };
  return { query: compact(query), written: query, operator, threshold: Number(threshold) };
}

/** Policies stand some five levels deep in an alert. */
const MAX_DEPTH = 20;

/** The thresholds of policies of Cloud Monitoring in a value. */
function readPolicyThresholds(value: unknown, depth: number): Condition[] {
  const readInner = (inner: unknown) => readPolicyThresholds(inner, depth + 1);
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap(readInner);
  if (!isObject(value)) return [];
  const { filter, comparison, thresholdValue, aggregations } = asObject(value.conditionThreshold);
  const operator = MONITORING_OPERATORS[String(comparison)];
  const threshold = Number(thresholdValue ?? 0);
  const aggregation = readAggregation(asArray(aggregations)[0]);
  const own =
    typeof filter === 'string' && operator !== undefined
      ? [{ query: compact(filter), written: filter, operator, threshold, aggregation }]
      : [];
  return [...own, ...Object.values(value).flatMap(readInner)];
}

/** An aggregation, as policies and calls of Cloud Monitoring write it; other values do not aggregate. */
export function readAggregation(value: unknown): Aggregation {
  const { perSeriesAligner = 'ALIGN_NONE', crossSeriesReducer = 'REDUCE_NONE' } = asObject(value);
  return { aligner: String(perSeriesAligner), reducer: String(crossSeriesReducer) };
}

/** A query without white space. */
export const compact = (text: string): string => text.replace(/\s+/g, '');
