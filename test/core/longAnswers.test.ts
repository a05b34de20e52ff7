// An answer that is longer than one request allows comes in pieces: the whole iteration, with the real SDK.

import { expect, it } from 'vitest';
import { createGeminiClient } from '../../shared/llm/gemini/client.ts';
import { type Bench, opened } from '../support/harness.ts';

const DONE = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const PIECES = ['The disk', ' is full', ' since noon.'];

/** Has the bench's model answer in pieces, and returns the tokens with which they were requested. */
function answerInPieces({ deps }: Bench): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  const answer: typeof fetch = async (_url, init) => {
    const { continuationToken } = JSON.parse(String(init?.body)) as { continuationToken?: string };
    tokens.push(continuationToken);
    const index = continuationToken === undefined ? 0 : Number(continuationToken);
    const isLast = index === PIECES.length - 1;
    const end = isLast
      ? { finishReason: 'STOP' }
      : { finishReason: 'CONTINUATION', continuationToken: String(index + 1) };
    const chunk = {
      candidates: [{ content: { role: 'model', parts: [{ text: PIECES[index] }] }, ...end }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    };
    return new Response(`data: ${JSON.stringify(chunk)}\r\n\r\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
  deps.llm = createGeminiClient({ env: { GEMINI_API_KEY: 'scripted' }, fetch: answer });
  return tokens;
}

it('is one answer with the tokens of all its pieces, in one iteration', async () => {
  const bench = await opened({ inMemory: true, script: DONE });
  const tokens = answerInPieces(bench);
  await bench.drain();
  const { session, execution, interactions } = await bench.read(bench.sessionId);
  expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'The disk is full since noon.' });
  expect(execution).toMatchObject({ caveats: [], tokens: { input: 300, output: 30, total: 330 } });
  expect(interactions).toMatchObject([{ attempts: 1, finishReason: 'STOP', tokens: { total: 330 } }]);
  expect(tokens).toEqual([undefined, '1', '2']);
});

it('is repeated from its first piece after the process died', async () => {
  const bench = await opened({ inMemory: true, script: DONE });
  const tokens = answerInPieces(bench);
  // The claim is stored, the answer is not.
  bench.dieAfterCommits(1);
  await expect(bench.deliverNext()).rejects.toThrow('the process died');
  bench.revive();
  await bench.drain();
  expect((await bench.read(bench.sessionId)).session.finalAnalysis).toBe('The disk is full since noon.');
  expect(tokens).toEqual([undefined, '1', '2', undefined, '1', '2']);
});
