import { expect, it } from 'vitest';
import { TextCut } from './cutText.ts';

type Limits = ConstructorParameters<typeof TextCut>[0];

/** The pieces that are sent for pieces, the rest at the end, and why the text is cut. */
function cutPieces(pieces: readonly string[], limits: Partial<Limits>) {
  const text = new TextCut({ max_tokens: 1_000, ...limits });
  const sent = pieces.map((piece) => text.take(piece));
  return [[...sent, text.end()], text.cut];
}

const stopAt = (...sequences: string[]) => ({ stop_sequences: sequences });
const stopped = (sequence: string) => ({ reason: 'stop_sequence', sequence });
const full = { reason: 'max_tokens' };

it.each<[string, string[], Partial<Limits>, unknown[], unknown]>([
  ['nothing', ['a', 'b'], {}, ['a', 'b', ''], undefined],
  ['nothing without sequences', ['a'], { stop_sequences: null }, ['a', ''], undefined],
  ['before a sequence', ['one END two', 'three'], stopAt('END'), ['one ', '', ''], stopped('END')],
  [
    'before a sequence in pieces',
    ['one E', 'N', 'D two'],
    stopAt('END'),
    ['one ', '', '', ''],
    stopped('END'),
  ],
  ['not at the start of one', ['one E', 'N', 'T'], stopAt('END'), ['one ', '', 'ENT', ''], undefined],
  ['not at the start of one at the end', ['one EN'], stopAt('END'), ['one ', 'EN'], undefined],
  ['before the first of several', ['a XX b Y'], stopAt('Y', 'XX'), ['a ', ''], stopped('XX')],
  ['before one at the start', ['END'], stopAt('END'), ['', ''], stopped('END')],
  ['at the number of tokens', ['12345', '678901'], { max_tokens: 2 }, ['12345', '678', ''], full],
  ['not at exactly that number', ['12345678'], { max_tokens: 2 }, ['12345678', ''], undefined],
  ['between characters', ['123é5'], { max_tokens: 1 }, ['123', ''], full],
  [
    'before a sequence that lies behind it',
    ['12345END'],
    { max_tokens: 1, ...stopAt('END') },
    ['1234', ''],
    full,
  ],
  ['in the text that waited', ['123EN'], { max_tokens: 1, ...stopAt('END') }, ['123', 'E'], full],
])('cuts %s', (_, pieces, limits, sent, cut) => {
  expect(cutPieces(pieces, limits)).toEqual([sent, cut]);
});
