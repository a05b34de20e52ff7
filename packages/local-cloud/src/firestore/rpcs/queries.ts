// The RPCs that run queries.

import type { Rpc } from '../../protocol/services.ts';
import type { Engine } from '../engine/engine.ts';
import { countReads, planMetrics, profileQuery } from '../indexes/explain.ts';
import type { Planner } from '../indexes/planner.ts';
import type { Limits } from '../limits/limits.ts';
import { aggregatedPaths, aggregateQuery, parseAggregations } from '../query/aggregation.ts';
import { parseQuery } from '../query/query.ts';
import { findResults, projected } from '../query/runQuery.ts';
import { toTimestamp } from '../values/time.ts';
import { encodeAnswer } from './encodedDocuments.ts';
import { parseReadSelector, streamed } from './messages.ts';
import type { Transactions } from './transactions.ts';

/** The RPCs by name. */
export function queryRpcs(
  engine: Engine,
  transactions: Transactions,
  planner: Planner,
  limits: Limits | undefined,
): Record<string, Rpc> {
  return {
    RunQuery: streamed(function* (request) {
      const query = parseQuery(request.parent, request.structuredQuery);
      const plan = planner.plan(query);
      if (request.explainOptions != null && !request.explainOptions.analyze) {
        yield { explainMetrics: planMetrics(plan), done: true };
        return;
      }
      const { snapshot, transaction, newTransaction } = parseReadSelector(engine, transactions, request);
      if (newTransaction !== undefined) yield { transaction: newTransaction };
      transaction?.readQuery(query);
      const readTime = toTimestamp(snapshot.time);
      const profile = request.explainOptions != null ? profileQuery(query, plan, snapshot) : undefined;
      const { documents, skipped } = findResults(snapshot, query);
      limits?.addQuery(query, countReads(query, plan, snapshot, { documents, skipped }));
      const end = { done: true, ...(profile && { explainMetrics: profile({ documents, skipped }) }) };
      for (const [index, document] of documents.entries()) {
        const [isFirst, isLast] = [index === 0, index === documents.length - 1];
        yield encodeAnswer('RunQueryResponse', projected(query, document), {
          readTime,
          ...(isFirst && skipped > 0 && { skippedResults: skipped }),
          ...(isLast && end),
        });
      }
      if (documents.length === 0) yield { readTime, ...(skipped > 0 && { skippedResults: skipped }), ...end };
    }),

    RunAggregationQuery: streamed(function* (request) {
      const { structuredQuery, aggregations = [] } = request.structuredAggregationQuery ?? {};
      const parsed = parseAggregations(aggregations);
      const query = parseQuery(request.parent, structuredQuery, aggregatedPaths(parsed));
      const plan = planner.plan(query);
      if (request.explainOptions != null && !request.explainOptions.analyze) {
        yield { explainMetrics: planMetrics(plan) };
        return;
      }
      const { snapshot, transaction, newTransaction } = parseReadSelector(engine, transactions, request);
      transaction?.readQuery(query);
      limits?.addQuery(query, countReads(query, plan, snapshot));
      const profile = request.explainOptions != null ? profileQuery(query, plan, snapshot) : undefined;
      yield {
        result: { aggregateFields: aggregateQuery(snapshot, query, parsed) },
        readTime: toTimestamp(snapshot.time),
        ...(newTransaction !== undefined && { transaction: newTransaction }),
        ...(profile && { explainMetrics: profile() }),
      };
    }),
  };
}
