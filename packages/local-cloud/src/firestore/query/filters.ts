// Filters of queries, as predicates on documents.

import type { StoredDocument } from '../engine/documentStore.ts';
import { compareValues, isEqual, typeOrder } from '../values/compare.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, NAME_PATH, parseFieldPath, valueAt } from '../values/fieldPath.ts';
import { documentWireName, parseDocumentName } from '../values/names.ts';
import { isNaNValue, type Value } from '../values/value.ts';

/** A filter on the wire. */
export interface FilterMessage {
  /** `AND` or `OR` of filters. */
  compositeFilter?: { op?: string; filters?: FilterMessage[] };
  /** Compares a field with a value. */
  fieldFilter?: { field?: FieldReference; op?: string; value?: Value };
  /** Tests a field for null or NaN. */
  unaryFilter?: { field?: FieldReference; op?: string };
}

/** A field on the wire. */
export interface FieldReference {
  /** A path in the syntax of `parseFieldPath`. */
  fieldPath?: string;
}

/** A validated filter. */
export type Filter = { kind: 'and' | 'or'; filters: Filter[] } | Leaf;

/** A condition on one field. */
export type Leaf =
  | { kind: 'field'; path: FieldPath; op: Operator; value: Value }
  | { kind: 'unary'; path: FieldPath; op: UnaryOperator };

type Operator = keyof typeof OPERATORS;
type UnaryOperator = keyof typeof UNARY_OPERATORS;

const OPERATORS = {
  LESS_THAN: compareWith((order) => order < 0),
  LESS_THAN_OR_EQUAL: compareWith((order) => order <= 0),
  GREATER_THAN: compareWith((order) => order > 0),
  GREATER_THAN_OR_EQUAL: compareWith((order) => order >= 0),
  EQUAL: isEqualTo,
  // Null differs from nothing: a document without a value is not found.
  NOT_EQUAL: (found: Value, value: Value) => !isNull(found) && !isNull(value) && !isEqual(found, value),
  ARRAY_CONTAINS: (found: Value, value: Value) =>
    readFilterList(found).some((item) => isEqualTo(item, value)),
  ARRAY_CONTAINS_ANY: (found: Value, value: Value) =>
    readFilterList(value).some((any) => readFilterList(found).some((item) => isEqualTo(item, any))),
  IN: (found: Value, value: Value) => readFilterList(value).some((any) => isEqualTo(found, any)),
  NOT_IN: (found: Value, value: Value) =>
    !isNull(found) && !readFilterList(value).some((any) => isNull(any) || isEqual(found, any)),
};

const UNARY_OPERATORS = {
  IS_NAN: isNaNValue,
  IS_NULL: isNull,
  IS_NOT_NAN: (found: Value) => !isNull(found) && !isNaNValue(found),
  IS_NOT_NULL: (found: Value) => !isNull(found),
};

const MAX_VALUES: Partial<Record<Operator, number>> = { IN: 30, ARRAY_CONTAINS_ANY: 30, NOT_IN: 10 };
/** https://firebase.google.com/docs/firestore/query-data/queries: limits of OR and of range filters. */
const MAX_ALTERNATIVES = 30;
const MAX_INEQUALITY_FIELDS = 10;
const INEQUALITIES = new Set([
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
  'NOT_EQUAL',
  'NOT_IN',
  'IS_NOT_NAN',
  'IS_NOT_NULL',
]);
const EXCLUSIONS = new Set(['NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', 'IS_NOT_NULL']);

function isNull(value: Value): boolean {
  return value.valueType === 'nullValue';
}

function isEqualTo(found: Value, value: Value): boolean {
  return !isNull(value) && isEqual(found, value);
}

/** Values of another type than the filter's are not found, NaN and null by no comparison. */
function compareWith(test: (order: number) => boolean) {
  return (found: Value, value: Value): boolean =>
    !isNull(value) &&
    !isNaNValue(value) &&
    !isNaNValue(found) &&
    typeOrder(found) === typeOrder(value) &&
    test(compareValues(found, value));
}

/** The elements of a list; none of any other value. */
export function readFilterList(value: Value): Value[] {
  return value.valueType === 'arrayValue' ? (value.arrayValue.values ?? []) : [];
}

/** @throws StatusError INVALID_ARGUMENT when it is not valid. */
export function parseFilter(message: FilterMessage): Filter {
  const { compositeFilter, fieldFilter, unaryFilter } = message;
  if (compositeFilter != null) {
    if (compositeFilter.op !== 'AND' && compositeFilter.op !== 'OR') {
      throw invalid('Unsupported CompositeFilter operator.');
    }
    const filters = (compositeFilter.filters ?? []).map(parseFilter);
    return { kind: compositeFilter.op === 'AND' ? 'and' : 'or', filters };
  }
  if (unaryFilter != null) {
    const { op } = unaryFilter;
    if (op === undefined || !isOperatorIn(UNARY_OPERATORS, op))
      throw invalid('Unknown UnaryFilter operator.');
    if (unaryFilter.field?.fieldPath === NAME_PATH) throw invalid('__key__ filter value must be a Key');
    return { kind: 'unary', path: parseFieldPath(unaryFilter.field?.fieldPath), op };
  }
  if (fieldFilter == null) throw invalid('Filter type is not set.');
  const { op, value } = fieldFilter;
  if (op === undefined || !isOperatorIn(OPERATORS, op)) throw invalid('Unknown FieldFilter operator.');
  if (value === undefined || value.valueType === undefined) throw invalid('FieldFilter.value is not set.');
  const path = parseFieldPath(fieldFilter.field?.fieldPath);
  checkValue(op, value);
  if (path[0] === NAME_PATH) checkName(op, value);
  return { kind: 'field', path, op, value };
}

function isOperatorIn<T extends object>(operators: T, op: string): op is keyof T & string {
  return Object.hasOwn(operators, op);
}

function checkValue(op: Operator, value: Value): void {
  const max = MAX_VALUES[op];
  if (max === undefined) return;
  if (value.valueType !== 'arrayValue') throw invalid(`'${op}' requires an ArrayValue.`);
  const count = readFilterList(value).length;
  if (count === 0) throw invalid(`'${op}' requires an non-empty ArrayValue.`);
  if (count > max) throw invalid(`'${op}' supports up to ${max} comparison values.`);
}

function checkName(op: Operator, value: Value): void {
  if (op === 'ARRAY_CONTAINS' || op === 'ARRAY_CONTAINS_ANY') throw invalid('the name __name__ is no list');
  for (const name of op === 'IN' || op === 'NOT_IN' ? readFilterList(value) : [value]) {
    if (name.valueType !== 'referenceValue') throw invalid('__key__ filter value must be a Key');
    parseDocumentName(name.referenceValue, 'Resource name');
  }
}

/**
 * Refuses combinations of filters that Firestore does not allow.
 * @throws StatusError INVALID_ARGUMENT
 */
export function checkCombination(filter: Filter): void {
  const all = leaves(filter);
  const ops: string[] = all.map(({ op }) => op);
  if (ops.filter((op) => EXCLUSIONS.has(op)).length > 1) {
    throw invalid(
      "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
    );
  }
  const isAlternative = ops.includes('IN') || ops.includes('ARRAY_CONTAINS_ANY') || hasOr(filter);
  if (ops.includes('NOT_IN') && isAlternative) {
    throw invalid("'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.");
  }
  countContains(filter);
  const alternatives = countAlternatives(filter);
  if (alternatives > MAX_ALTERNATIVES) {
    throw invalid(
      `Too many disjunctions after normalization. Result had ${alternatives} disjunctions which is more than the maximum of ${MAX_ALTERNATIVES}`,
    );
  }
  const compared = new Set(inequalityPaths(filter).map((path) => path.join('\0')));
  if (compared.size > MAX_INEQUALITY_FIELDS) {
    throw invalid(
      `The query contains ${compared.size} distinct inequality fields. A query may not have more than ${MAX_INEQUALITY_FIELDS} distinct inequality fields.`,
    );
  }
}

/** Number of alternatives of a filter as OR of ANDs; IN and ARRAY_CONTAINS_ANY have one per value. */
function countAlternatives(filter: Filter): number {
  if (filter.kind === 'unary') return 1;
  if (filter.kind === 'field') {
    return filter.op === 'IN' || filter.op === 'ARRAY_CONTAINS_ANY' ? readFilterList(filter.value).length : 1;
  }
  const counts = filter.filters.map(countAlternatives);
  return filter.kind === 'or'
    ? counts.reduce((sum, count) => sum + count, 0)
    : counts.reduce((product, count) => product * count, 1);
}

const hasOr = (filter: Filter): boolean =>
  filter.kind === 'or' || (filter.kind === 'and' && filter.filters.some(hasOr));

/** Maximum number of filters on list elements in an alternative; more than one is refused. */
function countContains(filter: Filter): number {
  if (!('filters' in filter)) {
    return Number(filter.op === 'ARRAY_CONTAINS' || filter.op === 'ARRAY_CONTAINS_ANY');
  }
  const counts = filter.filters.map(countContains);
  const count = filter.kind === 'or' ? Math.max(0, ...counts) : counts.reduce((sum, each) => sum + each, 0);
  if (count <= 1) return count;
  throw invalid("A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.");
}

/** The filters of single fields that a filter consists of. */
export const leaves = (filter: Filter): Leaf[] =>
  'filters' in filter ? filter.filters.flatMap(leaves) : [filter];

/** Whether a condition needs an order of its field. */
export const isInequality = ({ op }: Leaf): boolean => INEQUALITIES.has(op);

/** The fields that are compared for more than equality. */
export const inequalityPaths = (filter: Filter): FieldPath[] =>
  leaves(filter)
    .filter(isInequality)
    .map(({ path }) => path);

/** Whether a document passes. */
export function matchesFilter(filter: Filter, document: StoredDocument): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matchesFilter(each, document));
    case 'or':
      return filter.filters.some((each) => matchesFilter(each, document));
    case 'unary': {
      const found = fieldValue(document, filter.path);
      return found !== undefined && UNARY_OPERATORS[filter.op](found);
    }
    case 'field': {
      const found = fieldValue(document, filter.path);
      return found !== undefined && OPERATORS[filter.op](found, filter.value);
    }
  }
}

/** The value of a document at a path, its name included. */
export function fieldValue(document: StoredDocument, path: FieldPath): Value | undefined {
  if (path[0] === NAME_PATH)
    return { valueType: 'referenceValue', referenceValue: documentWireName(document) };
  return valueAt(document.fields, path);
}
