import { describe, expect, it } from 'vitest';
import { runAllSteps } from '../../text/yieldingSteps.ts';
import { decodedViews, joinedViews, toOriginalRange, type View, visibleView } from './views.ts';

const viewsOf = (text: string): View[] => runAllSteps(decodedViews(visibleView(text)));

/** Bytes of the places that a view keeps. */
function bytesOf(view: View): number {
  let bytes = 0;
  for (let chain = view.edits; chain !== undefined; chain = chain.outer)
    bytes += chain.edits.places.byteLength;
  return bytes;
}

describe('a view', () => {
  it('of a long text keeps the places of replaced parts, not of every character', () => {
    const text = `→ \\n \u200b ${'all is well '.repeat(50_000)}\\\\n`;
    const [, ...decoded] = viewsOf(text);
    expect(decoded.length).toBeGreaterThan(1);
    for (const view of [...decoded, visibleView(text), ...joinedViews({ text }, true)])
      expect(bytesOf(view)).toBeLessThan(5_000);
  });

  // A text is rewritten 64 Ki characters at a time.
  const BORDER = 64 * 1024;

  it.each([
    ['an escape', '\\u0041', 1],
    ['an escaped escape', '\\\\u0041', 2],
    ['an entity', '&#x41;', 1],
    ['a colour', '\u001b[31mA\u001b[0m', 0],
    ['a character of two units', '\ud835\udc00', 0],
  ])('decodes %s wherever it stands', (_, written, level) => {
    for (let before = BORDER - written.length - 1; before <= BORDER + 1; before++) {
      const text = `${'x'.repeat(before)}${written}yz \\n`;
      const view = viewsOf(text)[level] ?? { text: '' };
      const at = view.text.indexOf('A');
      expect([at, view.text.slice(at, at + 3)]).toEqual([before, 'Ayz']);
      const [start, end] = toOriginalRange(view, at, at + 3);
      expect([start >= before, text.slice(start, end).endsWith('yz')]).toEqual([true, true]);
      expect(toOriginalRange(view, at - 1, at)).toEqual([before - 1, before]);
    }
  });

  it('leaves out lines without escapes, and no part of a line with one', () => {
    const lines = `${'no escapes\n'.repeat(10_000)}`;
    const long = `\\t${'x'.repeat(BORDER)}y\n`;
    expect(viewsOf(`${lines}${long}${lines}`)[1]?.text).toBe(`\t${long.slice(2)}`);
  });
});
