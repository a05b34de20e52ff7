// Function calling with LangChain's real ChatOpenAI, over HTTP.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallReport, ConversationMessage, LlmRequest } from '../../core/contract/llm.ts';
import { createLangchainClient } from './langchainClient.ts';
import {
  answered,
  event,
  type OpenAiServer,
  type Reply,
  startOpenAiServer,
  streamed,
} from './openAiServer.fixture.ts';

const LOGS = {
  name: 'k8s.logs',
  description: 'Reads logs',
  inputSchema: { type: 'object', properties: { pod: { type: 'string' } }, required: ['pod'] },
  readOnly: true,
};
const QUESTION: ConversationMessage = {
  role: 'user',
  blocks: [{ blockType: 'text', textContent: 'Why?' }],
};

// LangChain's packages read the process's own variables too.
beforeEach(() => {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_API_BASE', 'LANGSMITH_TRACING']) {
    vi.stubEnv(name, undefined);
  }
});
const servers: OpenAiServer[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
});

/** The answer to a request with a tool, from a server of these replies, and what that was asked. */
async function ask(replies: Reply[], changes: Partial<LlmRequest> = {}) {
  const server = await startOpenAiServer(replies);
  servers.push(server);
  const env = { OPENAI_BASE_URL: server.baseUrl };
  const client = createLangchainClient({ env, sleep: async () => {}, random: () => 0 });
  const model = { provider: 'openai', model: 'gpt-4o', includeThoughts: true };
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const answer = client.generate(
    { model, messages: [QUESTION], tools: [LOGS], ...changes },
    { signal: new AbortController().signal, report },
  );
  const outcome = await answer.then(
    (response) => ({ response, error: undefined }),
    (error: unknown) => ({ response: undefined, error }),
  );
  return { ...outcome, report, asked: server.asked.map(({ body }) => body) };
}

const callPiece = (index: number, fields: object) =>
  event({ tool_calls: [{ index, type: 'function', ...fields }] });

/** Two calls, the arguments of the first in pieces. */
const TWO_CALLS = streamed(
  event({ role: 'assistant', content: 'I look.' }),
  callPiece(0, { id: 'call_a', function: { name: 'k8s__logs', arguments: '{"po' } }),
  callPiece(0, { function: { arguments: 'd":"x"}' } }),
  callPiece(1, { id: 'call_b', function: { name: 'k8s__logs', arguments: '{"pod":"y"}' } }),
  event({}, 'tool_calls'),
);

describe('tools of a request', () => {
  it('are bound under their wire names, and the calls of the answer are ours', async () => {
    const { response, report, asked } = await ask([TWO_CALLS]);
    expect(asked[0]?.tools).toEqual([
      {
        type: 'function',
        function: { name: 'k8s__logs', description: 'Reads logs', parameters: LOGS.inputSchema },
      },
    ]);
    const calls = [
      { callId: 'call_a', name: 'k8s.logs', arguments: '{"pod":"x"}' },
      { callId: 'call_b', name: 'k8s.logs', arguments: '{"pod":"y"}' },
    ];
    expect(response?.toolCalls).toEqual(calls);
    expect(response?.blocks).toEqual([
      { blockType: 'text', textContent: 'I look.' },
      ...calls.map(({ callId, name, arguments: input }) => ({
        blockType: 'tool_use',
        toolUseId: callId,
        toolName: name,
        input,
      })),
    ]);
    expect(response).not.toHaveProperty('replay');
    expect(report.requestBytes).toBeGreaterThan(Buffer.byteLength(JSON.stringify(asked[0]?.tools)));
  });

  it('are answered in the next request: calls and results by their ids, an error as one', async () => {
    const { response } = await ask([TWO_CALLS]);
    const result = (toolUseId: string, textContent: string, isError: boolean): ConversationMessage => ({
      role: 'tool',
      blocks: [{ blockType: 'tool_result', toolUseId, toolName: 'k8s.logs', textContent, isError }],
    });
    const { asked } = await ask([answered('Memory.')], {
      messages: [
        QUESTION,
        { role: 'assistant', blocks: response?.blocks ?? [] },
        result('call_a', 'OOMKilled\n[cut: 900 of 1,000 bytes]', false),
        result('call_b', 'no such pod', true),
      ],
    });
    const call = (id: string, pod: string) => ({
      id,
      type: 'function',
      function: { name: 'k8s__logs', arguments: `{"pod":"${pod}"}` },
    });
    expect(asked[0]?.messages).toMatchObject([
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'I look.', tool_calls: [call('call_a', 'x'), call('call_b', 'y')] },
      { role: 'tool', tool_call_id: 'call_a', content: 'OOMKilled\n[cut: 900 of 1,000 bytes]' },
      { role: 'tool', tool_call_id: 'call_b', content: 'Error: no such pod' },
    ]);
  });

  it('are refused for a provider whose models cannot call them, before any network', async () => {
    const model = { provider: 'perplexity', model: 'sonar', includeThoughts: true };
    const { error, asked } = await ask([answered('Hi.')], { model });
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(asked).toEqual([]);
  });
});

describe('an answer with calls', () => {
  const oneCall = (args: string, finishReason: string) =>
    streamed(
      event({ role: 'assistant', content: null }),
      callPiece(0, { id: 'call_a', function: { name: 'k8s__logs', arguments: args } }),
      event({}, finishReason),
    );

  it.each([
    ['arguments that are no JSON', oneCall('{"pod":', 'tool_calls')],
    ['the output limit within', oneCall('', 'length')],
    ['an end of another kind', oneCall('{}', 'interrupted')],
  ])('and %s runs nothing: the model gets an error', async (_, reply) => {
    const { error, asked } = await ask([reply]);
    expect(error).toMatchObject({
      code: 'MODEL_MALFORMED_CALL',
      message: expect.stringContaining('Nothing was executed'),
    });
    expect(asked).toHaveLength(1);
  });

  it('where no tools are bound is asked for again as text', async () => {
    const { response, asked } = await ask([oneCall('{}', 'tool_calls'), answered('Memory.')], { tools: [] });
    expect(response).toMatchObject({ text: 'Memory.', toolCalls: [] });
    expect(JSON.stringify(asked[1]?.messages)).toContain('No tools can be called any more');
  });

  it('beside its text where no tools are bound is that text', async () => {
    const { response } = await ask([TWO_CALLS], { tools: [] });
    expect(response).toMatchObject({ text: 'I look.', toolCalls: [] });
    expect(response?.blocks).toEqual([{ blockType: 'text', textContent: 'I look.' }]);
  });

  const named = (...names: unknown[]) =>
    streamed(
      event({ role: 'assistant', content: null }),
      ...names.map((name, index) =>
        callPiece(index, { id: `call_${index}`, function: { name, arguments: '{"pod":"x"}' } }),
      ),
      event({}, 'tool_calls'),
    );
  const unusable = ['', ' ', null, 7, '..', '\u0000', 'k8s\n__logs', '\ud800x', 'x'.repeat(5_000)];

  it.each(unusable)('and the name %j runs nothing: the model gets an error', async (name) => {
    const { error, asked } = await ask([named(name)]);
    expect(error).toMatchObject({
      code: 'MODEL_MALFORMED_CALL',
      message: expect.stringContaining('without the name of a tool. Nothing was executed'),
    });
    expect(asked).toHaveLength(1);
  });

  it('and unusable names beside a good one runs that one; the others are calls of no tool', async () => {
    const { response } = await ask([named('', 'k8s__logs', '\u0007')]);
    expect(response?.toolCalls).toEqual([
      { callId: 'call_0', name: 'unnamed_call', arguments: '{}' },
      { callId: 'call_1', name: 'k8s.logs', arguments: '{"pod":"x"}' },
      { callId: 'call_2', name: 'unnamed_call', arguments: '{}' },
    ]);
  });
});
