// The contrast of colours, computed from the style sheet: 4.5 for text, 3 for edges of controls (WCAG 2.2).

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light, dark]) => [name, { light: light ?? '', dark: dark ?? '' }],
  ),
);

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const SURFACES = ['bg', 'surface', 'sunken', 'hover'];
const TONES = ['ok', 'run', 'fail', 'late', 'wait', 'accent'];
const LANES = [...'abcdefgh'].map((letter) => `lane-${letter}`);
const TEXTS: [string, string][] = [
  ...['text', 'text-2', 'text-3'].flatMap((text) => SURFACES.map((on): [string, string] => [text, on])),
  ...TONES.flatMap((tone): [string, string][] => [
    [tone, `${tone}-soft`],
    [tone, 'surface'],
  ]),
  ...TONES.flatMap((tone): [string, string][] => [
    ['text', `${tone}-soft`],
    ['text-2', `${tone}-soft`],
  ]),
  ...LANES.flatMap((lane): [string, string][] => [
    [lane, 'surface'],
    // The letter of a lane stands on its colour.
    ['surface', lane],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ...TONES.map((tone): [string, string] => [tone, 'hover']),
];

describe.each(['light', 'dark'] as const)('%s colours', (scheme) => {
  const of = (name: string) => tokens.get(name)?.[scheme] ?? `no token ${name}`;
  it.each(TEXTS)('%s can be read on %s', (text, on) => {
    expect(contrast(of(text), of(on))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(['bg', 'surface'])('edges of controls are seen on %s', (on) => {
    expect(contrast(of('line-strong'), of(on))).toBeGreaterThanOrEqual(3);
  });
});

describe('components', () => {
  const folder = new URL('../', import.meta.url);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sheets = paths.filter((name) => name.endsWith('.module.css'));
  it.each(sheets)('use no other colours, and widths by the size of letters: %s', (path) => {
    const own = readFileSync(new URL(path, folder), 'utf8');
    expect(own.match(/#[0-9a-f]{3,8}\b/g) ?? []).toEqual([]);
    // A reader with large letters gets the page of a narrow screen.
    expect(own.match(/@media[^{]*\d+px/g) ?? []).toEqual([]);
  });
});
