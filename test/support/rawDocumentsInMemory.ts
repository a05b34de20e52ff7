// Raw documents from a list, for tests of what reads them.

import type {
  RawDocument,
  RawDocuments,
  RawMap,
  RawTimePage,
  RawValue,
} from '../../shared/contract/rawDocuments.ts';

/** A document, with times as `Date`. */
export interface PlainDocument {
  path: string;
  data: object;
}

function toRawValue(value: unknown): RawValue {
  if (value instanceof Date) return { type: 'timestamp', text: value.toISOString() };
  if (Array.isArray(value)) return value.map(toRawValue);
  return typeof value === 'object' && value !== null ? toRawMap(value) : (value as RawValue);
}

const toRawMap = (data: object): RawMap =>
  new Map(Object.entries(data).map(([name, value]) => [name, toRawValue(value)]));

/** One document as people read it. */
export function toRawDocument({ path, data }: PlainDocument): RawDocument {
  const id = path.split('/').at(-1) ?? '';
  return { path, id, fields: toRawMap(data), createdAt: '', updatedAt: '' };
}

function readField(fields: RawMap, path: string): RawValue | undefined {
  return path
    .split('.')
    .reduce<RawValue | undefined>(
      (value, name) => (value instanceof Map ? value.get(name) : undefined),
      fields,
    );
}

/** Documents in memory, in the orders of Firestore. */
export function createRawDocumentsInMemory(list: readonly PlainDocument[]): RawDocuments {
  const all = list.map(toRawDocument).sort((a, b) => (a.id < b.id ? -1 : 1));
  const isIn = (collection: string) => (one: RawDocument) => one.path === `${collection}/${one.id}`;
  const get = async (path: string) => all.find((one) => one.path === path);
  const timeText = (one: RawDocument, field: string) =>
    (readField(one.fields, field) as { text: string } | undefined)?.text ?? '';
  return {
    get,
    getMany: async (paths) => all.filter(({ path }) => paths.includes(path)),
    list: async ({ collection, afterId = '', idPrefix = '', equal, limit }) =>
      all
        .filter(isIn(collection))
        .filter(({ fields }) => equal === undefined || readField(fields, equal.field) === equal.value)
        .filter(({ id }) => id > afterId && id.startsWith(idPrefix))
        .slice(0, limit),
    async latest({ collection, field, from, to, having = [], anyOf, afterId, limit }: RawTimePage) {
      const key = (one: RawDocument) => `${timeText(one, field)} ${one.id}`;
      const start = afterId === undefined ? undefined : all.find(({ id }) => id === afterId);
      return all
        .filter(isIn(collection))
        .filter((one) => from === undefined || timeText(one, field) >= from.toISOString())
        .filter((one) => to === undefined || timeText(one, field) <= to.toISOString())
        .filter(({ fields }) =>
          having.every((one) => one.oneOf.includes(String(readField(fields, one.field)))),
        )
        .filter(({ fields }) => {
          const list = anyOf && readField(fields, anyOf.field);
          return (
            anyOf === undefined ||
            (Array.isArray(list) && list.some((one) => anyOf.values.includes(String(one))))
          );
        })
        .filter((one) => start === undefined || key(one) < key(start))
        .sort((a, b) => (key(a) < key(b) ? 1 : -1))
        .slice(0, limit);
    },
  };
}
