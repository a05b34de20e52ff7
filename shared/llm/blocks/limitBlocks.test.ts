import { describe, expect, it } from 'vitest';
import type { Block, Citation } from '../../core/schema/block.ts';
import { found, result, text, use } from './blocks.fixture.ts';
import { limitBlocks } from './limitBlocks.ts';

const MAX = 10_000;
const google = { provider: 'google', executionSide: 'provider' } as const;
const cited = (fields: Partial<Citation> = {}): Citation => ({
  type: 'grounding_support',
  url: 'https://a.example',
  title: 'A',
  startIndex: 0,
  endIndex: 4,
  citedText: 'Text',
  resultIndex: 0,
  ...fields,
});
const metadata = (bytes: number) =>
  JSON.stringify({ thought_signature: 'S', grounding_metadata: { a: 'x'.repeat(bytes) } });
const kept = (...blocks: Block[]) => limitBlocks(blocks, MAX);

describe('the blocks of a message', () => {
  it('stay as they are when they are small, however long their text', () => {
    const blocks = [text('x'.repeat(MAX), { citations: [cited()], providerData: metadata(100) }), found('f')];
    expect(limitBlocks(blocks, MAX)).toEqual(blocks);
  });

  it('lose copies of raw parts first, the largest first, and nothing that stands nowhere else', () => {
    const raw = (bytes: number) => JSON.stringify({ thoughtSignature: 'x'.repeat(bytes) });
    const [run, output] = [
      use('u', { ...google, providerData: raw(4000) }),
      found('f', { providerData: raw(9000) }),
    ];
    const image: Block = { blockType: 'image', mimeType: 'image/png', data: 'A'.repeat(8000) };
    const said = text('Text', { citations: [cited()], providerData: metadata(3000) });
    const { providerData: _, ...found1 } = output;
    expect(kept(run, output, image, said)).toEqual([
      run,
      found1,
      { blockType: 'image', mimeType: 'image/png' },
      said,
    ]);
  });

  it('lose a signature before the metadata of grounding beside it', () => {
    const grounding_metadata = { a: 'x'.repeat(6000) };
    const providerData = JSON.stringify({ thought_signature: 'S'.repeat(6000), grounding_metadata });
    const block = text('Text', { citations: [cited()], providerData });
    expect(kept(block)).toEqual([{ ...block, providerData: JSON.stringify({ grounding_metadata }) }]);
  });

  it('lose the metadata of grounding next, and keep a small signature beside it', () => {
    const block = text('Text', { citations: [cited()], providerData: metadata(MAX) });
    expect(kept(block)).toEqual([{ ...block, providerData: '{"thought_signature":"S"}' }]);
  });

  it('lose the words of citations then, but for those that nothing else places', () => {
    const lost = cited({ citedText: 'x'.repeat(9000) });
    const { startIndex: _, endIndex: __, ...unplaced } = cited({ citedText: 'y'.repeat(2000) });
    const { citedText: ___, ...placed } = lost;
    expect(kept(text('Text', { citations: [lost, unplaced] }))[0]?.citations).toEqual([placed, unplaced]);
  });

  it('lose addresses of citations only where a result has them', () => {
    const { resultIndex: _, ...alone } = cited();
    const many = Array.from({ length: 40 }, () => cited({ url: 'u'.repeat(400) }));
    const [block] = kept(text('Text', { citations: [...many, alone] }));
    expect(block?.citations).toHaveLength(41);
    expect(block?.citations?.filter(({ url }) => url !== undefined)).toMatchObject([{ url: alone.url }]);
  });

  it('keep the first citations and sources where not all fit', () => {
    const sources = Array.from({ length: 900 }, (_, n) => ({
      title: `t${n}`,
      url: `https://a.example/${n}`,
    }));
    const [block] = kept(found('f', { results: sources }));
    const results = block?.blockType === 'tool_result' ? (block.results ?? []) : [];
    expect(results.length).toBeGreaterThan(50);
    expect(results).toEqual(sources.slice(0, results.length));
  });

  it('lose inputs and ends of results of tools the provider ran', () => {
    const input = JSON.stringify({ code: 'x'.repeat(MAX) });
    const [run, output] = kept(
      use('u', { ...google, input }),
      result('u', { ...google, textContent: 'ü'.repeat(MAX) }),
    );
    expect(run).toMatchObject({ input: '{}' });
    const left = output?.blockType === 'tool_result' ? output.textContent : '';
    expect(left).toMatch(/^ü+\n\[The rest/);
    expect(Buffer.byteLength(left)).toBeLessThanOrEqual(MAX);
  });

  it('keep calls of ours whole: they are still to be run', () => {
    const call = use('u', { input: JSON.stringify({ patch: 'x'.repeat(3 * MAX) }) });
    expect(kept(call, text('Text', { providerData: metadata(MAX) }))[0]).toEqual(call);
  });
});
