import { describe, expect, it } from 'vitest';
import { compareTrigrams, listTrigrams, rarestTrigrams } from './trigrams.ts';

const alike = (one: string, other: string) =>
  compareTrigrams(new Set(listTrigrams(one)), new Set(listTrigrams(other)));

describe('trigrams', () => {
  it.each([
    ['cat', ['  c', ' ca', 'cat', 'at ']],
    ['Foo|bar', ['  f', ' fo', 'foo', 'oo ', '  b', ' ba', 'bar', 'ar ']],
    ['a', ['  a', ' a ']],
    ['cat CAT', ['  c', ' ca', 'cat', 'at ']],
    ['Öl', ['  ö', ' öl', 'öl ']],
    ['--', []],
    ['', []],
  ])('of %j are those of pg_trgm', (text, expected) => {
    expect(listTrigrams(text)).toEqual(expected);
  });

  it('are as many as wanted, from the start', () => {
    expect(listTrigrams('cat dog', 3)).toEqual(['  c', ' ca', 'cat']);
  });

  // The figure of PostgreSQL's documentation.
  it('measure how alike texts are', () => {
    expect(alike('word', 'two words')).toBeCloseTo(0.363636, 5);
    expect(alike('OOMKilled', 'oomkilled')).toBe(1);
    expect(alike('disk', 'pod')).toBe(0);
    expect(alike('', '')).toBe(0);
  });

  it('that are rare come first', () => {
    expect(rarestTrigrams(listTrigrams('the quartz'), 3)).toEqual(['qua', 'rtz', ' qu']);
  });
});
