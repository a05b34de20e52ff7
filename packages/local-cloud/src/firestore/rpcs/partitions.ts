// PartitionQuery: places at which a large query can be split.

import type { Rpc } from '../../protocol/services.ts';
import type { Engine } from '../engine/engine.ts';
import type { CursorMessage } from '../query/cursors.ts';
import { parseQuery, type StructuredQuery } from '../query/query.ts';
import { runQuery } from '../query/runQuery.ts';
import { invalid } from '../values/errors.ts';
import { NAME_PATH } from '../values/fieldPath.ts';
import { documentWireName } from '../values/names.ts';
import { parseReadSelector } from './messages.ts';
import type { Transactions } from './transactions.ts';

/** The RPCs by name. */
export function partitionRpcs(engine: Engine, transactions: Transactions): Record<string, Rpc> {
  return {
    PartitionQuery: {
      unary({ parent, structuredQuery, partitionCount, pageSize, pageToken, readTime }) {
        const query = parseQuery(parent, structuredQuery);
        checkPartitionable(structuredQuery);
        const count = Number(partitionCount ?? 0);
        if (!(count > 0)) throw invalid('partition_count must be positive.');
        const first = pageToken ? Number(pageToken) : 0;
        if (!Number.isSafeInteger(first) || first < 0)
          throw invalid(`page_token "${pageToken}" is not valid.`);
        if (pageSize < 0) throw invalid('page_size is negative.');
        const { snapshot } = parseReadSelector(engine, transactions, { readTime });
        const points = splitPoints(runQuery(snapshot, query).map(documentWireName), count);
        const next = first + (pageSize || points.length);
        return {
          partitions: points.slice(first, next).map(cursorAt),
          nextPageToken: next < points.length ? String(next) : '',
        };
      },
    },
  };
}

/** @throws StatusError INVALID_ARGUMENT unless it is a whole collection group, in order of names. */
function checkPartitionable(query: StructuredQuery): void {
  const { from = [], where, orderBy = [], startAt, endAt, offset, limit, findNearest } = query;
  if (!from[0]?.allDescendants) throw invalid('partition queries must be of a collection group.');
  if (where ?? startAt ?? endAt ?? limit ?? findNearest ?? (offset || undefined)) {
    throw invalid('partition queries cannot have filters, cursors, limits or offsets.');
  }
  const [order] = orderBy;
  if (orderBy.length !== 1 || order?.field?.fieldPath !== NAME_PATH || order.direction === 'DESCENDING') {
    throw invalid(`partition queries must be ordered by ${NAME_PATH} ascending.`);
  }
}

/** The first names of the second and all later parts, at most `count`. */
function splitPoints(names: string[], count: number): string[] {
  const points = Math.min(count, names.length - 1);
  const positions = Array.from({ length: Math.max(0, points) }, (_, index) =>
    Math.floor(((index + 1) * names.length) / (points + 1)),
  );
  return positions.flatMap((position) => names[position] ?? []);
}

const cursorAt = (referenceValue: string): CursorMessage => ({
  values: [{ valueType: 'referenceValue', referenceValue }],
  before: true,
});
