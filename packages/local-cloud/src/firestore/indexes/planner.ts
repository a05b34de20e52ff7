// Plans queries as Firestore does: each is answered from indexes, or refused when one is missing.

import { StatusError, status } from '../../protocol/status.ts';
import { isInequality, type Leaf } from '../query/filters.ts';
import type { Query } from '../query/query.ts';
import { NAME_PATH } from '../values/fieldPath.ts';
import { type Alternative, expandAlternatives } from './alternatives.ts';
import {
  addName,
  fieldKey,
  type Index,
  type Indexes,
  type IndexField,
  type IndexScope,
} from './indexFile.ts';

/** The indexes that answer a query. */
export interface Plan {
  /** Whether they are of one collection or of a group. */
  scope: IndexScope;
  /** The alternatives of the filter, each with the indexes whose entries are intersected. */
  lookups: { conditions: Alternative; indexes: Index[] }[];
}

/** Plans the queries of a service. */
export interface Planner {
  /** @throws StatusError FAILED_PRECONDITION when an index is missing; it states the one to add. */
  plan(query: Query): Plan;
}

/** The part of a query that decides which indexes answer it. */
interface Shape {
  collectionId: string;
  scope: IndexScope;
  /** The fields that are compared for equality, sorted. */
  equal: string[];
  /** A list that must hold a value. */
  contains: string | undefined;
  /** The fields after these: those that order the results, the name, and a vector. */
  order: IndexField[];
}

/** Shapes that are remembered. The shapes of programs are few; those that people type are not. */
const MAX_SHAPES = 1000;

/** @param indexes all that exist. Absent: every query has an index made for it. */
export function createPlanner(indexes?: Indexes): Planner {
  const known = new Map<string, Index[]>();
  const choose = (shape: Shape): Index[] => {
    if (indexes === undefined) return [idealIndex(shape)];
    const key = JSON.stringify(shape);
    const chosen = known.get(key) ?? chooseIndexes(shape, indexes);
    if (known.size >= MAX_SHAPES) known.clear();
    known.set(key, chosen);
    return chosen;
  };
  return {
    plan(query) {
      const scope = query.source.allDescendants ? 'COLLECTION_GROUP' : 'COLLECTION';
      const lookups = expandAlternatives(query.filter).map((conditions) => ({
        conditions,
        indexes: choose(describeShape(query, scope, conditions)),
      }));
      return { scope, lookups };
    },
  };
}

/** Whether entries of one value have all results of a condition. Each index ends with the name. */
export const isEquality = (condition: Leaf): boolean =>
  condition.path[0] !== NAME_PATH && condition.op !== 'ARRAY_CONTAINS' && !isInequality(condition);

function describeShape(query: Query, scope: IndexScope, conditions: Alternative): Shape {
  const equal = new Set(conditions.filter(isEquality).map(({ path }) => fieldKey(path)));
  const contains = conditions.find(({ op }) => op === 'ARRAY_CONTAINS');
  const order: IndexField[] = query.orders
    .map(({ path, direction }) => ({ key: fieldKey(path), direction }))
    // All results have the same value there.
    .filter(({ key }) => !equal.has(key))
    .map(({ key, direction }) => ({ key, mode: direction === 1 ? 'ASCENDING' : 'DESCENDING' }));
  const { findNearest } = query;
  if (findNearest) order.push({ key: fieldKey(findNearest.path), mode: findNearest.vector.length });
  return {
    collectionId: query.source.collectionId ?? '',
    scope,
    equal: [...equal].sort(),
    contains: contains && fieldKey(contains.path),
    order,
  };
}

function chooseIndexes(shape: Shape, indexes: Indexes): Index[] {
  const wanted = [...shape.equal, ...(shape.contains === undefined ? [] : [shape.contains])];
  const existing = [...singleIndexes(shape, indexes), ...indexes.composite(shape.collectionId, shape.scope)];
  const candidates = existing.flatMap((index) => {
    const covered = coveredFields(index, shape);
    return covered === undefined ? [] : [{ index, covered }];
  });
  const whole = candidates.find(({ covered }) => wanted.every((key) => covered.includes(key)));
  if (whole !== undefined) return [whole.index];
  // Firestore documents merging for filters by equality only.
  const isMergeable =
    shape.contains === undefined && shape.order.every(({ mode }) => typeof mode !== 'number');
  if (wanted.length === 0 || !isMergeable) throw missingIndex(shape);
  const merged: Index[] = [];
  let missing = wanted;
  while (missing.length > 0) {
    const left = candidates.map(({ index, covered }) => ({
      index,
      missing: missing.filter((key) => !covered.includes(key)),
    }));
    const best = left.sort((one, other) => one.missing.length - other.missing.length)[0];
    if (best === undefined || best.missing.length === missing.length) throw missingIndex(shape);
    merged.push(best.index);
    missing = best.missing;
  }
  return merged;
}

/** Equality and containment fields that start an index, if it continues in the results' order. */
function coveredFields(index: Index, { equal, contains, order }: Shape): string[] | undefined {
  const start = index.length - order.length;
  if (start < 0) return undefined;
  const isOrdered = order.every(({ key, mode }, at) => {
    const field = index[start + at];
    return field?.key === key && field.mode === mode;
  });
  const first = index.slice(0, start);
  const isAsked = first.every(({ key, mode }) =>
    mode === 'CONTAINS' ? key === contains : equal.includes(key),
  );
  return isOrdered && isAsked ? first.map(({ key }) => key) : undefined;
}

/** The indexes of single fields that a shape can use, and the one by name that every collection has. */
function singleIndexes({ collectionId, scope, equal, contains, order }: Shape, indexes: Indexes): Index[] {
  const keys = [...equal, ...(contains === undefined ? [] : [contains]), ...order.map(({ key }) => key)];
  return [
    addName([]),
    ...[...new Set(keys)]
      .filter((key) => key !== NAME_PATH)
      .flatMap((key) =>
        indexes.single(collectionId, scope, key.split('\0')).map((mode) => addName([{ key, mode }])),
      ),
  ];
}

function idealIndex({ equal, contains, order }: Shape): Index {
  return [
    ...equal.map((key): IndexField => ({ key, mode: 'ASCENDING' })),
    ...(contains === undefined ? [] : [{ key: contains, mode: 'CONTAINS' } as const]),
    ...order,
  ];
}

function missingIndex(shape: Shape): StatusError {
  const { collectionId, scope } = shape;
  const ideal = idealIndex(shape);
  const fields = ideal.filter(({ key }) => key !== NAME_PATH);
  const text = (key: string) => key.split('\0').join('.');
  const [only, ...others] = fields;
  const refuse = (details: string) => new StatusError(status.FAILED_PRECONDITION, details);
  if (only !== undefined && others.length === 0 && typeof only.mode !== 'number') {
    const kind = { ASCENDING: 'ASC', DESCENDING: 'DESC', CONTAINS: 'CONTAINS' }[only.mode];
    return refuse(
      `The query requires a ${scope}_${kind} index for collection ${collectionId} and field ${text(only.key)}. Add it to the overrides of firestore.indexes.json.`,
    );
  }
  const index = {
    collectionGroup: collectionId,
    queryScope: scope,
    fields: fields.map(({ key, mode }) => ({
      fieldPath: text(key),
      ...(typeof mode === 'number'
        ? { vectorConfig: { dimension: mode, flat: {} } }
        : mode === 'CONTAINS'
          ? { arrayConfig: mode }
          : { order: mode }),
    })),
  };
  return refuse(`The query requires an index. Add it to firestore.indexes.json: ${JSON.stringify(index)}`);
}
