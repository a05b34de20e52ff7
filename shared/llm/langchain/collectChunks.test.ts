import { describe, expect, it } from 'vitest';
import type { Progress } from '../../core/contract/llm.ts';
import { createChunkCollector } from './collectChunks.ts';

function collected(...chunks: unknown[]) {
  const collector = createChunkCollector();
  for (const chunk of chunks) collector.add(chunk);
  return collector.answer();
}

describe('a finish reason', () => {
  it.each([
    ['OpenAI, Groq', { response_metadata: { finish_reason: 'stop' } }, 'stop'],
    ['Google, Mistral', { response_metadata: { finishReason: 'STOP' } }, 'STOP'],
    ['Anthropic', { additional_kwargs: { stop_reason: 'end_turn' } }, 'end_turn'],
    ['Anthropic, whole', { response_metadata: { stop_reason: 'end_turn' } }, 'end_turn'],
    ['Cohere', { response_metadata: { stopReason: 'end_turn' } }, 'end_turn'],
    ['Ollama', { response_metadata: { done_reason: 'stop', done: true } }, 'stop'],
    ['Bedrock', { response_metadata: { messageStop: { stopReason: 'end_turn' } } }, 'end_turn'],
    [
      'Responses API, whole',
      { response_metadata: { status: 'completed', incomplete_details: null } },
      'completed',
    ],
    [
      'Responses API, cut',
      { response_metadata: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
      'max_output_tokens',
    ],
  ])('is found where %s puts it', (_, chunk, reason) => {
    expect(collected({ content: '', ...chunk }).finishReason).toBe(reason);
  });

  it('outlives chunks that bring none', () => {
    const last = { content: '', response_metadata: {}, usage_metadata: { input_tokens: 1 } };
    expect(collected({ response_metadata: { finish_reason: 'stop' } }, last).finishReason).toBe('stop');
  });
});

describe('the version of the model', () => {
  it.each([
    ['OpenAI', { response_metadata: { model_name: 'm-1' } }],
    ['Ollama', { response_metadata: { model: 'm-1' } }],
    ['Anthropic', { additional_kwargs: { model: 'm-1' } }],
  ])('is found where %s puts it', (_, chunk) => {
    expect(collected(chunk).modelVersion).toBe('m-1');
  });
});

describe('content', () => {
  it('can be text or blocks', () => {
    const blocks = [
      { type: 'text', text: 'b' },
      { type: 'reasoning', reasoning: 'hm' },
    ];
    expect(collected({ content: 'a' }, { content: blocks, contentBlocks: blocks })).toMatchObject({
      text: 'ab',
      thinking: 'hm',
    });
  });

  it('keeps Anthropic thinking out of the text', () => {
    const blocks = [{ type: 'thinking', thinking: 'hm', index: 0 }];
    expect(collected({ content: blocks, contentBlocks: blocks })).toMatchObject({ text: '', thinking: 'hm' });
  });

  it('is counted in chunks; other values are skipped', () => {
    expect(collected(null, 'x', [], { content: '' }).chunkCount).toBe(1);
  });
});

describe('tokens', () => {
  it('of several chunks add up, reasoning apart from output', () => {
    const { usage } = collected(
      { usage_metadata: { input_tokens: 10, output_tokens: 0, total_tokens: 10 } },
      {
        usage_metadata: {
          input_tokens: 0,
          output_tokens: 7,
          total_tokens: 7,
          output_token_details: { reasoning: 3 },
          input_token_details: { cache_read: 2 },
        },
      },
    );
    expect(usage).toEqual({ input: 10, output: 4, thinking: 3, cached: 2, total: 17 });
  });

  it('are unknown when the provider does not report them', () => {
    expect(collected({ content: 'a' }).usage).toBeNull();
  });
});

it('the streamed chunks, joined, are text and thinking of the answer', () => {
  const said: Progress[] = [];
  const collector = createChunkCollector((progress) => said.push(progress));
  const reasoning = { content: '', additional_kwargs: { reasoning_content: 'Hm.' } };
  const chunks = [reasoning, { content: 'It is ' }, { content: [{ type: 'text', text: 'the disk.' }] }, {}];
  for (const chunk of chunks) collector.add(chunk);
  expect(said).toEqual([
    { kind: 'thinking', delta: 'Hm.' },
    { kind: 'text', delta: 'It is ' },
    { kind: 'text', delta: 'the disk.' },
  ]);
  expect(collector.answer()).toMatchObject({ text: 'It is the disk.', thinking: 'Hm.' });
});
