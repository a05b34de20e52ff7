import { describe, expect, it } from 'vitest';
import { isConfiguredReadOnly } from './readOnly.ts';

describe('isConfiguredReadOnly', () => {
  it.each([
    ['get_logs', ['get_logs'], true],
    ['get_logs', ['get_*'], true],
    ['get_logs', ['*'], true],
    ['get_logs', ['get'], false],
    ['forget_all', ['get_*'], false],
    ['get_logs', [], false],
  ])('%s by %j: %s', (tool, patterns, expected) => {
    expect(isConfiguredReadOnly(tool, patterns)).toBe(expected);
  });
});
