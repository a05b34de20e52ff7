import { describe, expect, it } from 'vitest';
import { comparePaths, encodeIdOrder, parseDocumentName, parseParent } from './names.ts';

const ROOT = 'projects/p/databases/(default)/documents';

describe('names of documents', () => {
  it('have a database and a path', () => {
    const key = { database: 'projects/p/databases/(default)', path: 'a/b/c/d' };
    expect(parseDocumentName(`${ROOT}/a/b/c/d`)).toEqual(key);
    expect(parseParent(ROOT)).toEqual({ ...key, path: '' });
  });

  it.each([
    '',
    '/a',
    '/a/b/c',
    '/a//b/c',
    '/a/.',
    '/a/..',
    '/a/b/',
    '/a/__b__',
    '/__a__/b',
    `/a/${'é'.repeat(751)}`,
  ])('are refused: %s', (path) => {
    expect(() => parseDocumentName(ROOT + path)).toThrow(expect.objectContaining({ code: 3 }));
  });

  it('can have numeric ids', () => {
    expect(parseDocumentName(`${ROOT}/a/__id-7__`).path).toBe('a/__id-7__');
  });
});

describe('the order of ids', () => {
  const inOrder = ['__id-5__', '__id2__', '__id10__', '\u0000', 'A', 'B', 'a', 'é', '！', '😀'];

  it('is numbers first, then UTF-8 bytes; their positions have the same', () => {
    expect(inOrder.toReversed().sort((a, b) => comparePaths(`c/${a}`, `c/${b}`))).toEqual(inOrder);
    const byPosition = (a: string, b: string) => Buffer.compare(encodeIdOrder(a), encodeIdOrder(b));
    expect(inOrder.toReversed().sort(byPosition)).toEqual(inOrder);
  });

  it('orders the subcollections of a document after it', () => {
    expect(comparePaths('c/a', 'c/a/s/x')).toBeLessThan(0);
    expect(comparePaths('c/a/s/x', 'c/b')).toBeLessThan(0);
    expect(comparePaths('c/a-b', 'c/a/s/x')).toBeGreaterThan(0);
  });
});
