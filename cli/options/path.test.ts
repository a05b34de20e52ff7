import { describe, expect, it } from 'vitest';
import { UsageError } from '../process/usageError.ts';
import { checkId, readDocumentPath, readPath } from './path.ts';

describe('a path', () => {
  it.each([
    ['sessions', 'collection', 'sessions'],
    ['sessions/a b', 'document', 'sessions/a b'],
    ['/sessions/a', 'document', 'sessions/a'],
    ['sessions/', 'collection', 'sessions'],
    ['/sessions/a/timeline/', 'collection', 'sessions/a/timeline'],
  ])('%s leads to a %s', (argument, kind, path) => {
    expect(readPath(argument)).toEqual({ kind, path });
  });

  it.each([
    ['', 'PATH "": it is empty; expected'],
    ['/', 'PATH "/": it is empty; expected'],
    ['sessions//a', 'PATH "sessions//a": segment 2 is empty; expected'],
    ['sessions/../a', 'segment 2 is a dot or two'],
    ['__all__/a', 'segment 1 has the form __name__, which is reserved'],
    [`sessions/${'é'.repeat(751)}`, 'segment 2 has more than 1500 bytes'],
    ['sessions/\ud800', 'segment 2 holds half a surrogate pair'],
  ])('%j is refused with the segment and an example', (argument, message) => {
    expect(() => readPath(argument)).toThrow(UsageError);
    expect(() => readPath(argument)).toThrow(message);
    expect(() => readPath(argument)).toThrow('for example sessions/ID/timeline');
  });

  it('is no id to continue after', () => {
    expect(() => checkId('--after', 'a b')).not.toThrow();
    expect(() => checkId('--after', 'sessions/a')).toThrow(
      '--after "sessions/a": it is a path; expected the id of a document, its last segment',
    );
    expect(() => checkId('--after', '')).toThrow('--after "": it is empty; expected');
  });

  it('of a document is refused when it leads to a collection, with the path to use', () => {
    expect(readDocumentPath('sessions/a')).toBe('sessions/a');
    expect(() => readDocumentPath('sessions/a/timeline')).toThrow(
      'PATH "sessions/a/timeline" leads to a collection: give a document, sessions/a/timeline/ID, or list the ids with `inquest db ls sessions/a/timeline`',
    );
  });
});
