// A filter as alternatives of conditions that all hold: each is looked up in indexes of its own.

import { type Filter, type Leaf, readFilterList } from '../query/filters.ts';

/** Conditions that all hold. */
export type Alternative = Leaf[];

/** Writes a filter as one OR of ANDs. IN and ARRAY_CONTAINS_ANY become one alternative for each value. */
export function expandAlternatives(filter: Filter): Alternative[] {
  switch (filter.kind) {
    case 'and':
      return filter.filters
        .map(expandAlternatives)
        .reduce<Alternative[]>(
          (all, next) => all.flatMap((left) => next.map((right) => [...left, ...right])),
          [[]],
        );
    case 'or':
      return filter.filters.flatMap(expandAlternatives);
    case 'unary':
      return [[filter]];
    case 'field': {
      if (filter.op === 'IN')
        return readFilterList(filter.value).map((value) => [{ ...filter, op: 'EQUAL', value }]);
      if (filter.op === 'ARRAY_CONTAINS_ANY')
        return readFilterList(filter.value).map((value) => [{ ...filter, op: 'ARRAY_CONTAINS', value }]);
      return [[filter]];
    }
  }
}
