import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleLiveText } from '../../../test/support/samples.ts';
import { OutputPieces } from './appendOnlyText.ts';

const live = (text: string, iteration = 1, change = {}) =>
  sampleLiveText({ text, textStart: 0, iteration, ...change });
const WITHDRAWN = '\n\n[The words above are withdrawn.]\n\n';

describe('the text of an answer', () => {
  it('comes in pieces that are the stored text in the end', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofLive(live('It is '))).toBe('It is ');
    expect(spoken.ofLive(live('It is '))).toBe('');
    expect(spoken.ofLive(live('It is the '))).toBe('the ');
    expect(spoken.ofStored('It is the disk.', 1)).toBe('disk.');
    expect(spoken.ofLive(live('It is the disk', 1))).toBe('');
  });

  it('of a later iteration stands behind the one before', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofStored('I look.', 1)).toBe('I look.');
    expect(spoken.ofLive(live('It is ', 2))).toBe('\n\nIt is ');
    expect(spoken.ofStored('It is the disk.', 2)).toBe('the disk.');
  });

  it('is withdrawn when a newer one is stored, which is then sent in full', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofLive(live('The network '))).toBe('The network ');
    expect(spoken.ofLive(live(''))).toBe('');
    expect(spoken.ofLive(live('It is '))).toBe('');
    expect(spoken.ofStored('It is the disk.', 1)).toBe(`${WITHDRAWN}It is the disk.`);
    expect(spoken.ofLive(live('And ', 2))).toBe('\n\nAnd ');
  });

  it('continues when the model repeats the same text after all', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofLive(live('It is '))).toBe('It is ');
    expect(spoken.ofLive(live(''))).toBe('');
    expect(spoken.ofStored('It is the disk.', 1)).toBe('the disk.');
  });

  it('that was never stored is withdrawn with the next iteration', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofLive(live('The network '))).toBe('The network ');
    expect(spoken.ofLive(live('It is ', 2))).toBe(`${WITHDRAWN}It is `);
    expect(spoken.ofStored('It is the disk.', 2)).toBe('the disk.');
    const other = new OutputPieces();
    other.ofLive(live('The network '));
    expect(other.ofStored('It is the disk.', 2)).toBe(`${WITHDRAWN}It is the disk.`);
  });

  it('is not sent twice', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofStored('It is the disk.', 1)).toBe('It is the disk.');
    expect(spoken.ofLive(live('It is ', 2))).toBe('');
    expect(spoken.ofStored('It is the disk.', 2)).toBe('');
    expect(spoken.ofLive(live('It is ', 3))).toBe('');
    expect(spoken.ofLive(live('It is not ', 3))).toBe('\n\nIt is not ');
  });

  it('waits where only its end is known, or something else is made of it', () => {
    const spoken = new OutputPieces();
    expect(spoken.ofLive(live('{"cause": ', 1, { verbatim: false }))).toBe('');
    expect(spoken.ofLive(live('disk ', 1, { textStart: 10 }))).toBe('');
    expect(spoken.ofLive(live('It is the '))).toBe('It is the ');
    expect(spoken.ofLive(live('the disk ', 1, { textStart: 6 }))).toBe('disk ');
    expect(spoken.ofStored('It is the disk of db-1.', 1)).toBe('of db-1.');
  });

  it('ends with the stored text, whatever was streamed', () => {
    const piece = fc.constantFrom('', 'It ', 'It is ', 'It is the disk.', 'No. ');
    const said = fc.record({ text: piece, iteration: fc.integer({ min: 1, max: 3 }), stored: fc.boolean() });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 12 }), (all) => {
        const spoken = new OutputPieces();
        let text = '';
        for (const one of all.toSorted((a, b) => a.iteration - b.iteration))
          text += one.stored ? '' : spoken.ofLive(live(one.text, one.iteration));
        text += spoken.ofStored('It is the disk.', 4);
        expect(text.endsWith('It is the disk.')).toBe(true);
      }),
    );
  });
});
