import { describe, expect, it } from 'vitest';
import type { Block } from '../../schema/block.ts';
import { storedBytes } from '../../schema/documentType.ts';
import { fitMessage, INLINE_PARTS_BYTES, isStoredWhole } from './fitMessage.ts';

const text = (bytes: number): Block => ({ blockType: 'text', textContent: 'x'.repeat(bytes) });
const replay = (bytes: number) => ({ provider: 'google', model: 'm', data: 'y'.repeat(bytes) });
const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const MOST = 3_100_000;

describe('the blocks of a message', () => {
  const frame = storedBytes([text(0)]);

  it('stay in it up to half a megabyte', () => {
    const blocks = [text(500_000 - frame)];
    expect(fitMessage({ blocks })).toEqual({ blocks, blockPieces: [], parts: null });
    expect(fitMessage({ blocks: [text(500_001 - frame)] }).blockPieces).toHaveLength(1);
  });

  it('are stored whole below it when they are larger, and abridged in it', () => {
    const blocks = [text(1_300_000), text(10)];
    const { blocks: shown, blockPieces } = fitMessage({ blocks });
    expect(JSON.parse(blockPieces.join(''))).toEqual(blocks);
    expect(blockPieces.map((piece) => Buffer.byteLength(piece) <= 600_000)).toEqual([true, true, true]);
    expect(shown[1]).toEqual(blocks[1]);
    expect(jsonBytes(shown)).toBeLessThan(51_000);
    expect(JSON.stringify(shown[0])).toContain('bytes left out');
  });

  it('are cut below it only when they are larger than a commit', () => {
    const blocks = [text(MOST)];
    const kept = JSON.parse(fitMessage({ blocks }).blockPieces.join(''));
    expect(jsonBytes(kept)).toBeGreaterThan(490_000);
    expect(jsonBytes(kept)).toBeLessThan(500_100);
    const whole = [text(MOST - jsonBytes([text(0)]))];
    expect(JSON.parse(fitMessage({ blocks: whole }).blockPieces.join(''))).toEqual(whole);
    expect([isStoredWhole({ blocks: whole }), isStoredWhole({ blocks })]).toEqual([true, false]);
  });

  it('lose with their end what refers to it', () => {
    const citations = [{ type: 'url_citation' as const, url: 'u' }];
    const cut: Block = { ...text(600_000), citations, providerData: '{}' } as Block;
    const call: Block = {
      blockType: 'tool_use',
      toolUseId: 'c',
      toolName: 'a.b',
      input: JSON.stringify({ a: 'z'.repeat(600_000) }),
      providerData: '{}',
    };
    const short: Block = { ...text(5), citations, providerData: '{}' } as Block;
    const [first, second, third] = fitMessage({ blocks: [cut, call, short] }).blocks;
    expect(Object.keys(first ?? {}).sort()).toEqual(['blockType', 'textContent']);
    expect(second).toEqual({
      blockType: 'tool_use',
      toolUseId: 'c',
      toolName: 'a.b',
      input: expect.any(String),
    });
    expect(JSON.parse(second && 'input' in second ? second.input : '')).toContain('bytes left out');
    expect(third).toEqual(short);
  });

  it('of many thousands are the first ones', () => {
    const { blocks: shown } = fitMessage({ blocks: Array.from({ length: 60_000 }, () => text(1)) });
    expect(new Set(shown.map((block) => JSON.stringify(block)))).toEqual(new Set([JSON.stringify(text(1))]));
    expect(shown).toHaveLength(Math.floor(600_000 / jsonBytes(text(1))));
  });
});

describe('the form of its provider', () => {
  it.each([
    ['in the message', INLINE_PARTS_BYTES, true, []],
    ['below it', INLINE_PARTS_BYTES + 1, false, [INLINE_PARTS_BYTES + 1]],
    ['below it in pieces', 1_300_000, false, [600_000, 600_000, 100_000]],
  ])('is kept %s', (_, bytes, isInline, pieces) => {
    const { parts } = fitMessage({ blocks: [text(1)], replay: replay(bytes) });
    expect(parts?.inline === null).toBe(!isInline);
    expect(parts?.pieces.map((piece) => piece.length)).toEqual(pieces);
    expect((parts?.inline ?? parts?.pieces.join(''))?.length).toBe(bytes);
  });

  it('is left out where both together are larger than a commit', () => {
    const blocks = [text(1)];
    const most = MOST - jsonBytes(blocks);
    expect(fitMessage({ blocks, replay: replay(most) }).parts).not.toBeNull();
    expect(fitMessage({ blocks, replay: replay(most + 1) }).parts).toBeNull();
  });
});
