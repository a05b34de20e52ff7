import { describe, expect, it } from 'vitest';
import { TerminalError } from '../errors.ts';
import { COLLECTIONS } from './collections.ts';
import { paths } from './documents.ts';
import type { DocumentType } from './documentType.ts';

const types: [collection: string, type: DocumentType<unknown>][] = Object.entries(COLLECTIONS);

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
  it('are those the paths lead to', () => {
    const built = Object.values(paths).map((path) =>
      typeof path === 'string' ? path : (path as (...parts: unknown[]) => string)('a', 'b', 1, 1),
    );
    const collections = built.map((path) => {
      const segments = path.split('/');
      return segments.at(segments.length % 2 === 0 ? -2 : -1);
    });
    expect(new Set(collections)).toEqual(new Set(Object.keys(COLLECTIONS)));
  });

  it('hold a type each', () => {
    const names = types.map(([, type]) => type.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(types)('%s: an upcaster leads out of every version there ever was', (_, type) => {
    const earlier = Array.from({ length: type.version - 1 }, (_, index) => index + 1);
    expect(earlier.filter((version) => codeOf(type, version) === 'SCHEMA_UNSUPPORTED')).toEqual([]);
    // What a missing one would look like.
    expect(codeOf(type, 0)).toBe('SCHEMA_UNSUPPORTED');
  });
});
