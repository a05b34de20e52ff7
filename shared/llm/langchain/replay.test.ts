// Signed and encrypted reasoning goes back to its own provider: LangChain's real ChatOpenAI over HTTP, and
// the chunks of ChatAnthropic as version 1.5.11 makes them.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallReport, ConversationMessage, LlmRequest, LlmResponse } from '../../core/contract/llm.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { buildContents } from '../gemini/buildContents.ts';
import { createLangchainClient } from './langchainClient.ts';
import {
  answered,
  type OpenAiServer,
  type Reply,
  refused,
  startOpenAiServer,
  streamed,
} from './openAiServer.fixture.ts';
import { LANGCHAIN_MODULE, type LoadModule, type WireMessage } from './packages.ts';

const LOGS = { name: 'k8s.logs', description: 'Reads logs', inputSchema: { type: 'object' }, readOnly: true };
const QUESTION: ConversationMessage = { role: 'user', blocks: [{ blockType: 'text', textContent: 'Why?' }] };
const RESULT = (toolUseId: string): ConversationMessage => ({
  role: 'tool',
  blocks: [{ blockType: 'tool_result', toolUseId, toolName: 'k8s.logs', textContent: 'OOM', isError: false }],
});
const settings = (provider: string, model: string) =>
  ({ provider, model, includeThoughts: true }) as unknown as ModelSettings;
const CODEX = settings('openai', 'gpt-codex');
const CLAUDE = settings('anthropic', 'claude-sonnet-4');

/** The conversation after an answer with one call. */
function answeredWith(response: LlmResponse): ConversationMessage[] {
  const { blocks, replay, toolCalls } = response;
  const answer: ConversationMessage = { role: 'assistant', blocks, ...(replay && { replay }) };
  return [QUESTION, answer, RESULT(toolCalls[0]?.callId ?? '')];
}

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

async function ask(client: ReturnType<typeof createLangchainClient>, changes: Partial<LlmRequest>) {
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const request = { model: CODEX, messages: [QUESTION], tools: [LOGS], ...changes };
  const response = await client.generate(request, { signal: new AbortController().signal, report });
  return { response, report };
}

/** A client of a server with these replies, and the bodies that server was sent. */
async function openAi(replies: Reply[]) {
  const server = await startOpenAiServer(replies);
  servers.push(server);
  const env = { OPENAI_BASE_URL: server.baseUrl };
  const client = createLangchainClient({ env, sleep: async () => {}, random: () => 0 });
  return { client, bodies: () => server.asked.map(({ body }) => body) };
}

const REASONING = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm. The logs.' }],
  encrypted_content: 'gAAAencrypted',
};
const CALL = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'k8s__logs',
  arguments: '{"pod":"x"}',
};

/** The events of an answer with a summary of reasoning and a call, as the Responses API sends them. */
function reasonedCall(): Reply {
  const response = { id: 'r1', object: 'response', model: 'gpt-codex', created_at: 1 };
  const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
  const part = { item_id: 'rs_1', summary_index: 0 };
  const events = [
    { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...REASONING, summary: [] } },
    { type: 'response.reasoning_summary_part.added', ...part, part: { type: 'summary_text', text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...part, delta: 'Hm. ' },
    { type: 'response.reasoning_summary_text.delta', ...part, delta: 'The logs.' },
    { type: 'response.reasoning_summary_text.done', ...part, text: 'Hm. The logs.' },
    { type: 'response.output_item.done', output_index: 0, item: REASONING },
    { type: 'response.output_item.added', output_index: 1, item: { ...CALL, arguments: '' } },
    {
      type: 'response.function_call_arguments.delta',
      output_index: 1,
      item_id: 'fc_1',
      delta: '{"pod":"x"}',
    },
    { type: 'response.output_item.done', output_index: 1, item: CALL },
    {
      type: 'response.completed',
      response: { ...response, output: [REASONING, CALL], status: 'completed', usage },
    },
  ];
  return streamed(...events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));
}

const CALLED = [{ callId: 'call_1', name: 'k8s.logs', arguments: '{"pod":"x"}' }];

describe('reasoning items of OpenAI', () => {
  it('are summarised once, and go back with their call in the next request', async () => {
    const { client, bodies } = await openAi([reasonedCall()]);
    const { response } = await ask(client, {});
    expect(response).toMatchObject({ thinking: 'Hm. The logs.', toolCalls: CALLED });
    await ask(client, { messages: answeredWith(response) });
    expect(bodies()[1]?.input).toEqual([
      { type: 'message', role: 'user', content: 'Why?' },
      REASONING,
      CALL,
      { type: 'function_call_output', call_id: 'call_1', output: 'OOM' },
    ]);
  });

  it('reach no other model and no other provider', async () => {
    const { client, bodies } = await openAi([reasonedCall(), answered('Memory.')]);
    const messages = answeredWith((await ask(client, {})).response);
    await ask(client, { model: settings('openai', 'gpt-4o'), messages });
    const wire = scriptedClaude([]);
    await ask(wire.client, { model: CLAUDE, messages }).catch(() => {});
    const gemini = buildContents(messages, { model: 'gemini-3.8-flash' });
    for (const sent of [bodies()[1], wire.sent[0], gemini]) {
      expect(JSON.stringify(sent)).toContain('OOM');
      expect(JSON.stringify(sent)).not.toMatch(/rs_1|gAAAencrypted/);
    }
  });

  it('are left out at once, and for good, when the provider refuses them', async () => {
    const { client, bodies } = await openAi([
      reasonedCall(),
      refused(400, "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
      reasonedCall(),
    ]);
    const messages = answeredWith((await ask(client, {})).response);
    const { report } = await ask(client, { messages });
    expect(report).toMatchObject({ attempts: 2, repairedSignatures: true });
    expect(JSON.stringify(bodies()[2]?.input)).toContain('call_1');
    expect(JSON.stringify(bodies()[2]?.input)).not.toContain('rs_1');
    const refusedBefore = messages.map((message) => ({ ...message, signaturesRefused: true as const }));
    await ask(client, { messages: refusedBefore });
    expect(JSON.stringify(bodies()[3]?.input)).not.toContain('rs_1');
  });

  it('with calls are left out where no tools are bound', async () => {
    const { client, bodies } = await openAi([reasonedCall(), refused(500, 'enough')]);
    const messages = answeredWith((await ask(client, {})).response);
    await ask(client, { messages, tools: [] }).catch(() => {});
    expect(JSON.stringify(bodies()[1]?.input)).not.toMatch(/rs_1|function_call/);
  });
});

/** A client whose chat model gives these chunks, and the messages that it was given. */
function scriptedClaude(chunks: object[]) {
  const sent: WireMessage[][] = [];
  const chat = {
    bindTools: () => chat,
    stream: async (messages: WireMessage[]) => {
      sent.push(messages);
      return (async function* () {
        yield* chunks;
      })();
    },
  };
  const config = { anthropic: { package: '@langchain/anthropic' } };
  const load: LoadModule = async (specifier) =>
    specifier === LANGCHAIN_MODULE ? { initChatModel: async () => chat, MODEL_PROVIDER_CONFIG: config } : {};
  const client = createLangchainClient({ env: {}, load, sleep: async () => {}, random: () => 0 });
  return { client, sent };
}

/** A chunk with one content block. */
const block = (index: number, fields: object, calls: object[] = []) => {
  const content = [{ index, ...fields }];
  const own = { type: 'thinking', ...fields } as { type: string; thinking?: string };
  const contentBlocks = own.thinking === undefined ? [] : [{ type: 'reasoning', reasoning: own.thinking }];
  return {
    content,
    contentBlocks,
    tool_call_chunks: calls,
    response_metadata: { model_provider: 'anthropic' },
  };
};
const START = {
  content: [],
  additional_kwargs: { type: 'message', model: 'claude-sonnet-4' },
  response_metadata: { model_provider: 'anthropic' },
  usage_metadata: {
    input_tokens: 15,
    output_tokens: 3,
    total_tokens: 18,
    input_token_details: { cache_read: 5 },
  },
};
const END = {
  content: [],
  additional_kwargs: { stop_reason: 'tool_use' },
  usage_metadata: { input_tokens: 0, output_tokens: 42, total_tokens: 42 },
};
const THOUGHT = [
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  block(0, { type: 'thinking', thinking: 'The ' }),
  block(0, { type: 'thinking', thinking: 'logs.' }),
];
const REST = [
  block(1, { type: 'redacted_thinking', data: 'hidden' }),
  block(2, { type: 'text', text: '' }),
  block(2, { type: 'text', text: 'I look.' }),
  block(3, { type: 'tool_use', id: 'toolu_1', name: 'k8s__logs', input: '' }, [
    { index: 3, id: 'toolu_1', name: 'k8s__logs', args: '' },
  ]),
  block(3, { type: 'input_json_delta', input: '{"po' }, [{ index: 3, args: '{"po' }]),
  block(3, { type: 'input_json_delta', input: 'd":"x"}' }, [{ index: 3, args: 'd":"x"}' }]),
  END,
];
const SIGNED = [START, ...THOUGHT, block(0, { type: 'thinking', signature: 'c2ln' }), ...REST];

describe('thinking blocks of Anthropic', () => {
  it('go back with their signatures, in the order in which they came', async () => {
    const { client, sent } = scriptedClaude(SIGNED);
    const { response } = await ask(client, { model: CLAUDE });
    expect(response).toMatchObject({ thinking: 'The logs.', text: 'I look.' });
    await ask(client, { model: CLAUDE, messages: answeredWith(response) });
    const call = { id: 'toolu_1', name: 'k8s__logs' };
    expect(sent[1]).toEqual([
      { role: 'user', content: 'Why?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'The logs.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'hidden' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', ...call, input: { pod: 'x' } },
        ],
        tool_calls: [{ type: 'tool_call', ...call, args: { pod: 'x' } }],
      },
      { role: 'tool', content: 'OOM', tool_call_id: 'toolu_1', name: 'k8s__logs', status: 'success' },
    ]);
  });

  it('without a signature, or given to OpenAI, are not sent', async () => {
    const unsigned = scriptedClaude([START, ...THOUGHT, ...REST]);
    const { response } = await ask(unsigned.client, { model: CLAUDE });
    expect(response).not.toHaveProperty('replay');
    const signed = (await ask(scriptedClaude(SIGNED).client, { model: CLAUDE })).response;
    const { client, bodies } = await openAi([answered('Memory.')]);
    await ask(client, { model: settings('openai', 'gpt-4o'), messages: answeredWith(signed) });
    expect(JSON.stringify(bodies()[0])).not.toMatch(/c2ln|hidden|The logs/);
  });

  it('are counted by the largest numbers: tokens are cumulative, and the first event can come twice', async () => {
    const { client } = scriptedClaude([START, ...SIGNED]);
    const { response } = await ask(client, { model: CLAUDE });
    expect(response.usage).toEqual({ input: 15, output: 42, thinking: 0, cached: 5, total: 57 });
  });
});
