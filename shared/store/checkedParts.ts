// A store that checks the parts of documents: it refuses invalid ones, and reports them when they are read.

import type { Store, Write } from '../core/contract/store.ts';
import type { DocumentType } from '../core/schema/documentType.ts';
import type { KnownParts } from '../core/schema/parts.ts';

/** The store with a check of the parts that the program knows. Unknown parts stay as they are. */
export function checkParts<S extends Store>(store: S, known: KnownParts): S {
  const checked = <T>(type: DocumentType<T>): DocumentType<T> =>
    known.schema(type.name) === undefined
      ? type
      : {
          ...type,
          encode: (value, path) => type.encode(value, path, known),
          decode: (data, path) => type.decode(data, path, known),
        };
  const checkedWrite = (write: Write): Write => ({ ...write, type: checked(write.type) });
  return {
    ...store,
    get: (path, type) => store.get(path, checked(type)),
    list: (query, type) => store.list(query, checked(type)),
    find: (query, type) => store.find(query, checked(type)),
    findNearest: (query, type) => store.findNearest(query, checked(type)),
    watch: (query, type, ...callbacks) => store.watch(query, checked(type), ...callbacks),
    commit: (writes) => store.commit(writes.map(checkedWrite)),
    increment: (path, type, value, field) => store.increment(path, checked(type), value, field),
    incrementAll: (path, type, value, fields) => store.incrementAll(path, checked(type), value, fields),
  };
}
