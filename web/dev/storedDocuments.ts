// The documents of a store in memory as they are stored, for the routes that read single fields.

import type { RawDocument, RawDocuments, RawMap, RawValue } from '../../shared/contract/rawDocuments.ts';
import type { Store, Stored } from '../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';

type Fields = Record<string, unknown>;

/**
 * Reads of a store's documents without validation. The store does not record when a document was created:
 * both times are equal.
 */
export function createStoredDocuments(store: Pick<Store, 'get' | 'list'>): RawDocuments {
  const list = (collection: string) => store.list({ collection }, rawDocumentType);
  return {
    async get(path) {
      const found = await store.get(path, rawDocumentType);
      return found && toRawDocument(found);
    },
    async getMany(paths, fields) {
      const found = await Promise.all(paths.map((path) => store.get(path, rawDocumentType)));
      return found.flatMap((one) => (one === undefined ? [] : toRawDocument(one, fields)));
    },
    async list({ collection, afterId = '', idPrefix = '', equal, limit, fields }) {
      const found = (await list(collection))
        .filter(({ id }) => id > afterId && id.startsWith(idPrefix))
        .filter(({ value }) => equal === undefined || valueAt(value, equal.field) === equal.value);
      return found.slice(0, limit).map((one) => toRawDocument(one, fields));
    },
    async latest({ collection, field, from, to, having = [], anyOf, afterId, limit, fields }) {
      const timeOf = ({ value }: Stored<Fields>) => valueAt(value, field);
      const isFound = (one: Stored<Fields>): boolean => {
        const time = timeOf(one);
        const isInTime = time instanceof Date && !(from && time < from) && !(to && time > to);
        const isIn = (texts: readonly string[], value: unknown) => texts.some((text) => text === value);
        const list = anyOf && valueAt(one.value, anyOf.field);
        return (
          isInTime &&
          having.every(({ field: other, oneOf }) => isIn(oneOf, valueAt(one.value, other))) &&
          (anyOf === undefined ||
            (Array.isArray(list) && list.some((element) => isIn(anyOf.values, element))))
        );
      };
      const sorted = (await list(collection))
        .filter(isFound)
        .sort((a, b) => Number(timeOf(b)) - Number(timeOf(a)) || (a.id < b.id ? 1 : -1));
      const start = afterId === undefined ? 0 : sorted.findIndex(({ id }) => id === afterId) + 1;
      return sorted.slice(start, start + limit).map((one) => toRawDocument(one, fields));
    },
  };
}

function toRawDocument({ path, id, value, updatedAt }: Stored<Fields>, fields?: string[]): RawDocument {
  const at = updatedAt.toISOString();
  return { path, id, fields: toMap(fields ? select(value, fields) : value), createdAt: at, updatedAt: at };
}

/** The fields, as `field` or `map.field`. */
function select(value: Fields, fields: readonly string[]): Fields {
  const selected: Fields = {};
  for (const field of fields) {
    const names = field.split('.');
    const found = valueAt(value, field);
    if (found === undefined) continue;
    let place = selected;
    for (const name of names.slice(0, -1)) {
      place[name] ??= {};
      place = place[name] as Fields;
    }
    place[names.at(-1) ?? ''] = found;
  }
  return selected;
}

function valueAt(value: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce(
      (current, name) => (typeof current === 'object' ? (current as Fields | null)?.[name] : undefined),
      value,
    );
}

function toMap(value: object): RawMap {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([name, one]) => [name, toValue(one)]));
}

function toValue(value: unknown): RawValue {
  if (value instanceof Date) return { type: 'timestamp', text: value.toISOString() };
  if (Array.isArray(value)) return value.map(toValue);
  return typeof value === 'object' && value !== null ? toMap(value) : (value as RawValue);
}
