import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rangeMover } from './moveRange.ts';

const hide = (text: string) => text.replaceAll('secret', '[masked:x]');
const move = (before: string, range: { startIndex?: number; endIndex?: number; text?: string }) =>
  rangeMover({ before, after: hide(before), change: hide })(range);
const rangeOf = (text: string, piece: string) => {
  const startIndex = text.indexOf(piece);
  return { startIndex, endIndex: startIndex + piece.length };
};

it('keeps a range ahead of the change, and moves one behind it', () => {
  const before = 'The pod died. It had secret. Then it came back.';
  const after = hide(before);
  for (const piece of ['The pod died.', 'Then it came back.'])
    expect(move(before, rangeOf(before, piece))).toEqual(rangeOf(after, piece));
});

it('finds a piece between two changes, and one that was changed itself', () => {
  const before = 'secret, then the pod died, then secret in the log, then secret';
  const after = hide(before);
  expect(move(before, rangeOf(before, 'the pod died'))).toEqual(rangeOf(after, 'the pod died'));
  expect(move(before, rangeOf(before, 'secret in the log'))).toEqual(rangeOf(after, '[masked:x] in the log'));
});

it('drops offsets where several places are possible, and keeps the rest', () => {
  const before = 'secret: it died. secret: it died. secret';
  expect(move(before, { ...rangeOf(before, 'it died'), text: 'it died' })).toEqual({ text: 'it died' });
});

it('changes nothing of an unchanged text, nor of a text without offsets', () => {
  expect(move('as it was', { startIndex: 3, endIndex: 900 })).toEqual({ startIndex: 3, endIndex: 900 });
  expect(move('secret', { text: 'x' })).toEqual({ text: 'x' });
  expect(move('secret', { startIndex: 3, endIndex: 900 })).toEqual({});
});

it('never gives a range that holds other words', () => {
  const word = fc.constantFrom('secret', 'a', 'pod', 'x ', ' ', '\n', 'é', '😀');
  fc.assert(
    fc.property(fc.array(word), fc.nat(40), fc.nat(20), (words, startIndex, length) => {
      const before = words.join('');
      const endIndex = Math.min(before.length, startIndex + length);
      fc.pre(startIndex <= endIndex);
      const after = hide(before);
      const moved = move(before, { startIndex, endIndex });
      if (moved.startIndex === undefined || moved.endIndex === undefined) return;
      const [old, now] = [before.slice(startIndex, endIndex), after.slice(moved.startIndex, moved.endIndex)];
      expect([old, hide(old)]).toContain(now);
    }),
  );
});
