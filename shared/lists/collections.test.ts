import { describe, expect, it } from 'vitest';
import { TerminalError } from '../core/errors.ts';
import type { Collection } from '../core/schema/defineCollection.ts';
import type { DocumentType } from '../core/schema/documentType.ts';
import * as list from './collections.ts';
import { COLLECTIONS, paths } from './documents.ts';

const types: [collection: string, type: Collection][] = Object.entries(COLLECTIONS);

/** The code of what reading a document of nothing but a version fails with. */
function codeOf(type: DocumentType<unknown>, schemaVersion: number): string {
  try {
    type.decode({ schemaVersion }, 'path');
  } catch (error) {
    return error instanceof TerminalError ? error.code : String(error);
  }
  throw new Error('an empty document was accepted');
}

describe('collections', () => {
  it.each(types)('%s: each path of the row leads to it', (collection, { paths: own }) => {
    for (const path of Object.values(own)) {
      const built =
        typeof path === 'string' ? path : (path as (...parts: unknown[]) => string)('a', 'b', 1, 1);
      const segments = built.split('/');
      expect(segments.at(segments.length % 2 === 0 ? -2 : -1)).toBe(collection);
    }
  });

  it('are those of the list, each once, with names of paths that no other has', () => {
    expect(types).toHaveLength(Object.keys(list).length);
    const names = types.flatMap(([, type]) => Object.keys(type.paths));
    expect(Object.keys(paths).sort()).toEqual(names.sort());
  });

  it('hold a type each', () => {
    const names = types.map(([, type]) => type.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(types)('%s: reads the oldest and the current version only', (_, type) => {
    const versions = Array.from({ length: type.version }, (_, index) => index + 1);
    const read = versions.filter((version) => codeOf(type, version) !== 'SCHEMA_UNSUPPORTED');
    expect(read).toEqual([...new Set([type.oldest, type.version])]);
  });
});
