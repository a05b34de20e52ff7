import { describe, expect, it } from 'vitest';
import { parseDuration, parseShownSize, parseSize } from './units.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['120s', 120_000],
    ['40m', 2_400_000],
    ['1.5h', 5_400_000],
    ['30d', 2_592_000_000],
    [' 2 s ', 2000],
  ])('reads %s as %i ms', (text, value) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
  });

  it.each(['120', '', 's', '-1s', '1e3s', '1S', '10 minutes', '1h30m', 'Infinity s', '64KB'])(
    'refuses %j and shows a good one',
    (text) => {
      expect(parseDuration(text)).toEqual({
        ok: false,
        message: 'must be a duration such as 120s: a number and one of ms, s, m, h, d',
      });
    },
  );

  it('refuses zero', () => {
    expect(parseDuration('0s')).toEqual({ ok: false, message: 'must be a duration above zero' });
    expect(parseDuration('0.1ms')).toEqual({ ok: false, message: 'must be a duration above zero' });
  });

  it('refuses values that a number cannot hold exactly', () => {
    expect(parseDuration('999999999999999d')).toEqual({ ok: false, message: 'is too large' });
  });
});

describe('parseSize', () => {
  it.each([
    ['512B', 512],
    ['64KB', 64_000],
    ['64KiB', 65_536],
    ['1MB', 1_000_000],
    ['1MiB', 1_048_576],
    ['0.5KiB', 512],
  ])('reads %s as %i bytes', (text, value) => {
    expect(parseSize(text)).toEqual({ ok: true, value });
  });

  it.each(['64', '64kb', '64K', '1GB', 'KB', '-1B'])('refuses %j and shows a good one', (text) => {
    expect(parseSize(text)).toEqual({
      ok: false,
      message: 'must be a size such as 64KB: a number and one of B, KB, KiB, MB, MiB',
    });
  });
});

it('a token counts as four bytes, where a size can be given in tokens', () => {
  expect(parseShownSize('16000 tokens')).toEqual({ ok: true, value: 64_000 });
  expect(parseShownSize('64KB')).toEqual({ ok: true, value: 64_000 });
  expect(parseSize('16000 tokens').ok).toBe(false);
});
