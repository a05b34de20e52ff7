import { describe, expect, it } from 'vitest';
import { checkName, DELETED_TOPIC, nameRange, splitResourceName } from './names.ts';

describe('names', () => {
  it.each(['projects/p/topics/abc', `projects/p/topics/${'a'.repeat(255)}`, 'projects/p/topics/A1-_.~+%'])(
    '%s is one',
    (name) => {
      expect(checkName('topics', name)).toBe(name);
    },
  );

  it.each([
    undefined,
    '',
    DELETED_TOPIC,
    'projects/p/topics/ab',
    'projects/p/topics/1abc',
    'projects/p/topics/google',
    'projects/p/topics/a b c',
    `projects/p/topics/${'a'.repeat(256)}`,
    'projects//topics/abc',
    'projects/p/subscriptions/abc',
    'projects/p/topics/abc/def',
  ])('%s is none of a topic', (name) => {
    expect(() => checkName('topics', name)).toThrow(`Invalid [topics] name: (name=${name ?? ''})`);
  });

  it('have a project and an id', () => {
    expect(splitResourceName('projects/p/topics/abc')).toEqual({ project: 'p', id: 'abc' });
  });

  it('of a project stand together', () => {
    const { from, to } = nameRange('topics', 'projects/p');
    const others = ['projects/p/subscriptions/abc', 'projects/p-/topics/abc', 'projects/pp/topics/abc'];
    const own = ['projects/p/topics/A-', 'projects/p/topics/z~'];
    expect([...others, ...own].filter((name) => name >= from && name < to)).toEqual(own);
    expect(() => nameRange('topics', 'p')).toThrow('Invalid [projects] name');
  });
});
