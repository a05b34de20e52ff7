// The nearest neighbours of a vector.

import type { StoredDocument } from '../engine/documentStore.ts';
import { checkedValue } from '../engine/limits.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, parseFieldPath, valueAt } from '../values/fieldPath.ts';
import { double, readVector, type Value } from '../values/value.ts';
import type { FieldReference } from './filters.ts';

/** On the wire. */
export interface FindNearestMessage {
  /** The field with the vectors of the documents. */
  vectorField?: FieldReference;
  /** The vector to compare with. */
  queryVector?: Value;
  /** `EUCLIDEAN`, `COSINE` or `DOT_PRODUCT`. */
  distanceMeasure?: string;
  /** The maximum number of results. Required. */
  limit?: { value?: number } | null;
  /** A field of the results for the distance. */
  distanceResultField?: string;
  /** The maximum distance, or the minimum dot product. */
  distanceThreshold?: { value?: number } | null;
}

/** A validated search by the distance of vectors. */
export interface FindNearest {
  /** The field with the vectors of the documents. */
  path: FieldPath;
  /** The vector to compare with. */
  vector: number[];
  /** How to compute distances. */
  measure: keyof typeof MEASURES;
  /** The maximum number of results. */
  limit: number;
  /** The name of a field that the results have in addition: their distance. */
  resultField: string | undefined;
  /** The maximum distance, or the minimum dot product. */
  threshold: number | undefined;
}

const MAX_LIMIT = 1000;

const dot = (left: number[], right: number[]): number =>
  left.reduce((sum, component, index) => sum + component * (right[index] ?? 0), 0);
const length = (vector: number[]): number => Math.sqrt(dot(vector, vector));

/** The distance of two vectors, and whether the nearest has the smallest (1) or largest (-1). */
const MEASURES = {
  EUCLIDEAN: {
    direction: 1,
    distance: (left: number[], right: number[]) =>
      length(left.map((component, index) => component - (right[index] ?? 0))),
  },
  COSINE: {
    direction: 1,
    distance: (left: number[], right: number[]) =>
      1 - dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right)),
  },
  DOT_PRODUCT: { direction: -1, distance: dot },
};

/** @throws StatusError INVALID_ARGUMENT when it is not valid. */
export function parseFindNearest(message: FindNearestMessage): FindNearest {
  const { distanceMeasure = '', distanceResultField } = message;
  const path = parseFieldPath(message.vectorField?.fieldPath);
  const limit = message.limit?.value ?? 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    throw invalid(`FindNearest.limit must be a positive integer of no more than ${MAX_LIMIT}`);
  }
  const vector = readVector(message.queryVector);
  if (vector === undefined) throw invalid('Query Value must be of type vector.');
  checkedValue(message.queryVector as Value, 'query_vector');
  if (!Object.hasOwn(MEASURES, distanceMeasure)) throw invalid('Unknown Distance Measure.');
  if (distanceResultField && /^__.*__$/s.test(distanceResultField)) {
    throw invalid(`The distanceResultField.property.name "${distanceResultField}" is reserved.`);
  }
  return {
    path,
    vector,
    measure: distanceMeasure as keyof typeof MEASURES,
    limit,
    resultField: distanceResultField || undefined,
    threshold: message.distanceThreshold?.value ?? (message.distanceThreshold ? 0 : undefined),
  };
}

/**
 * The nearest documents, the nearest first. Only those with a vector of as many dimensions have a distance.
 * Equally near ones keep their order.
 */
export function nearestDocuments(documents: StoredDocument[], query: FindNearest): StoredDocument[] {
  const { direction, distance } = MEASURES[query.measure];
  const { resultField, threshold } = query;
  return (
    documents
      .flatMap((document) => {
        const vector = readVector(valueAt(document.fields, query.path));
        if (vector?.length !== query.vector.length) return [];
        return [{ document, distance: distance(vector, query.vector) }];
      })
      .filter(({ distance }) => threshold === undefined || distance * direction <= threshold * direction)
      // A vector of zeros has no direction, so no cosine distance: it comes last.
      .sort((left, right) => compareDistances(left.distance, right.distance, direction))
      .slice(0, query.limit)
      .map(({ document, distance }) =>
        resultField === undefined ? document : withDistance(document, resultField, distance),
      )
  );
}

const withDistance = (document: StoredDocument, field: string, distance: number): StoredDocument => ({
  ...document,
  fields: { ...document.fields, [field]: double(distance) },
  data: undefined,
});

function compareDistances(left: number, right: number, direction: number): number {
  const [a, b] = [Number.isNaN(left), Number.isNaN(right)];
  return a || b ? Number(a) - Number(b) : (left - right) * direction;
}
