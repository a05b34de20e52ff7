import { describe, expect, it } from 'vitest';
import { closestPattern, matchesAny } from './namePattern.ts';

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
