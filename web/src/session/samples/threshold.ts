// An alert's threshold for a call's samples, if it has the condition's query. Pure.

import {
  type Condition,
  compact,
  readAggregation,
  readCondition,
} from '../../../../shared/evidence/condition.ts';
import { asObject, parseJson } from '../../../../shared/text/json.ts';

/** A threshold. */
export interface Threshold {
  /** `>`, `<=`. */
  operator: string;
  value: number;
}

/**
 * The threshold that is comparable with the values of a call.
 * @param call JSON text of its arguments. @param metric Of all its series.
 * @returns undefined where none is, or where several differ.
 */
export function thresholdFor(
  conditions: readonly Condition[],
  call: string,
  metric: string | undefined,
): Threshold | undefined {
  const found = conditions.flatMap((condition): Threshold[] => {
    const { operator, threshold } = condition;
    if (operator === undefined || !Number.isFinite(threshold)) return [];
    return isCompared(condition, asObject(parseJson(call)), metric) ? [{ operator, value: threshold }] : [];
  });
  return new Set(found.map(({ value }) => value)).size === 1 ? found[0] : undefined;
}

/** Whether a call has a condition's query, with or without comparison, or a policy's metric. */
function isCompared(
  condition: Condition,
  given: Record<string, unknown>,
  metric: string | undefined,
): boolean {
  const { query, operator, threshold, aggregation } = condition;
  if (aggregation === undefined)
    return Object.values(given).some((value) => {
      if (typeof value !== 'string') return false;
      const own = readCondition(value);
      const isWhole = own.query === query && own.operator === operator && own.threshold === threshold;
      return isWhole || compact(value) === query;
    });
  const { aligner, reducer } = readAggregation(given.aggregation);
  const [, type] = /metric\.type="([^"]+)"/.exec(query) ?? [];
  const isSame = aligner === aggregation.aligner && reducer === aggregation.reducer;
  return isSame && type !== undefined && type === metric;
}
