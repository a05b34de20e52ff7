import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closestPattern, matchesAny, matchesPattern } from './pattern.ts';

describe('matchesPattern', () => {
  it.each([
    ['shop', 'shop', true],
    ['shop', 'sho', false],
    ['shop', 'Shop', false],
    ['shop-eu', 'shop-*', true],
    ['shop-', 'shop-*', true],
    ['shop', 'shop-*', false],
    ['eu-shop', '*-shop', true],
    ['a-prod-1', '*-prod-*', true],
    ['a-prod', '*-prod-*', false],
    ['', '*', true],
    ['ab', 'ab*b', false],
    ['aXbXc', 'a*b*c', true],
    ['ac', 'a*b*c', false],
    ['a.c', 'a?c', false],
    ['(a|a)*', '(a|a)*', true],
    ['wiki.example.com', '*.example.com', true],
    ['a.b.example.com', '*.example.com', true],
    ['example.com', '*.example.com', false],
    ['badexample.com', '*.example.com', false],
    ['wiki.example.com.test', '*.example.com', false],
  ])('%j matches %j: %j', (text, pattern, expected) => {
    expect(matchesPattern(text, pattern)).toBe(expected);
  });

  it.each([
    ['k8s:prod/api', 'k8s:prod/*', true],
    ['k8s:prod/api', '*', true],
    ['k8s:prod/api', 'k8s:*/api', false],
    ['k8s:*/api', 'k8s:*/api', true],
    ['k8s:prod/api', 'k8s:prod/*p*', false],
    ['*-prod-1', '*-prod-*', true],
  ])('%j matches %j with a wildcard only at the end: %j', (text, pattern, expected) => {
    expect(matchesPattern(text, pattern, 'at the end')).toBe(expected);
  });

  it('matches the same as a regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    fc.assert(
      fc.property(letters, pattern, (text, glob) => {
        const expected = new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(text);
        expect(matchesPattern(text, glob)).toBe(expected);
      }),
    );
  });

  it('is done with a long hostile text, whatever the pattern', () => {
    expect(matchesPattern('a'.repeat(1_000_000), `${'*a'.repeat(50)}*b`)).toBe(false);
  });
});

describe('matchesAny', () => {
  it.each([
    ['get_logs', ['get_logs'], true],
    ['get_logs', ['get_*'], true],
    ['get_logs', ['*'], true],
    ['get_logs', ['get'], false],
    ['forget_all', ['get_*'], false],
    ['get_logs', [], false],
  ])('%s by %j: %s', (tool, patterns, expected) => {
    expect(matchesAny(tool, patterns)).toBe(expected);
  });
});

describe('closestPattern', () => {
  it.each([
    ['get_logs', ['*', 'get_*', 'get_logs', 'get_l*'], 'get_logs'],
    ['get_list', ['*', 'get_*', 'get_logs', 'get_l*'], 'get_l*'],
    ['set', ['*', 'get_*'], '*'],
    ['set', ['get_*'], undefined],
  ])('%s by %j: %s', (tool, patterns, expected) => {
    expect(closestPattern(tool, patterns)).toBe(expected);
  });
});
