// An execution's stored parts over HTTP: conversation, calls of its model, its alert.

import { describe, expect, it } from 'vitest';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { fitMessage } from '../../../shared/core/kernel/conversation/fitMessage.ts';
import { numberedId } from '../../../shared/core/schema/ids.ts';
import {
  executionType,
  interactionType,
  messagePartType,
  messageType,
  paths,
  sessionType,
} from '../../../shared/lists/documents.ts';
import { answerAsAnthropic, anthropicChunks } from '../../support/anthropicModel.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { EXECUTION } from '../../support/harness.ts';
import {
  sampleExecution,
  sampleInteraction,
  sampleMessage,
  sampleMessagePart,
  sampleSession,
} from '../../support/samples.ts';

type Api = Awaited<ReturnType<typeof startApiBench>>;

const turns = [
  { thinking: 'Look first.', toolCalls: [{ name: 'fixture.echo', args: { text: 'hello' } }] },
  { text: 'The disk is full.' },
];
const start = (more: object = {}) =>
  startApiBench({ script: { conversations: [{ turns }] }, agent: { tools: ['fixture'] }, ...more } as never);

/** All items of a list, page by page. Each page is as small as is promised. */
async function walk(api: Api, path: string, name: string) {
  const items = [];
  for (let after = ''; ; ) {
    const response = await api.fetch(`${path}${after && `?after=${after}`}`);
    const text = await response.text();
    expect(response.status, text.slice(0, 500)).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
    const body = JSON.parse(text);
    items.push(...body[name]);
    if (body.next === null) return items;
    after = encodeURIComponent(body.next);
  }
}

describe('the conversation of an execution', () => {
  it('is exported in the form of each API, with calls and results, without marks of frames', async () => {
    const api = await start();
    const sessionId = await api.investigate();
    const { session } = await api.read(sessionId);
    const path = `/v1/sessions/${sessionId}/executions/${EXECUTION}/conversation`;
    const read = async (form: string) => (await api.ask(`${path}?form=${form}`)).body;
    const forms = [await read('anthropic'), await read('openai'), await read('gemini')];
    for (const one of forms) {
      const text = JSON.stringify(one);
      expect(text).not.toContain(session.dataNonce);
      for (const words of ['fixture__echo', 'hello', 'The disk is full.']) expect(text).toContain(words);
    }
    const [anthropic, openai, gemini] = forms;
    const typesOf = ({ role, content }: { role: string; content: { type: string }[] }) =>
      `${role}: ${content.map(({ type }) => type).join()}`;
    expect(anthropic.messages.map(typesOf).slice(-3)).toEqual([
      'assistant: text,tool_use',
      'user: tool_result',
      'assistant: text',
    ]);
    expect(openai.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(gemini.contents.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'model',
      'user',
      'model',
    ]);
    expect(gemini.systemInstruction).toBe(anthropic.system);
    expect((await api.fetch(`${path}?form=xml`)).status).toBe(400);
    expect((await api.fetch(path.replace(EXECUTION, '09-nobody'))).status).toBe(404);
  });

  it('has the tools that Anthropic ran as it sent them, with sources, errors and citations', async () => {
    const search = (id: string) => ({
      type: 'server_tool_use',
      id,
      name: 'web_search',
      input: { query: 'x' },
    });
    const page = { type: 'web_search_result', url: 'https://a.example', title: 'A', page_age: 'May 1, 2026' };
    const result = (tool_use_id: string, content: object) => ({
      type: 'web_search_tool_result',
      tool_use_id,
      content,
    });
    const found = result('srv1', [{ ...page, encrypted_content: 'E1' }]);
    const failed = result('srv2', { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' });
    const citation = {
      type: 'web_search_result_location',
      url: page.url,
      title: page.title,
      cited_text: 'x is',
      encrypted_index: 'I1',
    };
    const api = await start();
    api.deps.llm = answerAsAnthropic(
      anthropicChunks(
        'end_turn',
        { ...search('srv1'), index: 0 },
        { ...found, index: 1 },
        { ...search('srv2'), index: 2 },
        { ...failed, index: 3 },
        { index: 4, type: 'text', text: 'x is.' },
        { index: 4, type: 'text', citations: [citation] },
      ),
    );
    const sessionId = await api.investigate();
    const path = `/v1/sessions/${sessionId}/executions/${EXECUTION}/conversation`;
    const read = async (form: string) => (await api.ask(`${path}?form=${form}`)).body;
    const { messages } = await read('anthropic');
    expect(messages.at(-1)).toEqual({
      role: 'assistant',
      content: [
        search('srv1'),
        found,
        search('srv2'),
        failed,
        { type: 'text', text: 'x is.', citations: [citation] },
      ],
    });
    // Other providers read what the search found, and nothing that only Anthropic can.
    for (const form of ['openai', 'gemini']) {
      const text = JSON.stringify(await read(form));
      for (const words of ['A', 'https://a.example', 'May 1, 2026', 'max_uses_exceeded', 'x is.'])
        expect(text).toContain(words);
      expect(text).not.toMatch(/encrypted|E1|I1|server_tool_use/);
    }
  });

  it('has each message in order, with the content of its blocks, and nothing that outsiders must not know', async () => {
    const api = await start();
    const sessionId = await api.investigate();
    const { session, messages } = await api.read(sessionId);
    const path = `/v1/sessions/${sessionId}/executions/${EXECUTION}/messages`;
    const { body } = await api.ask(path);
    expect(body.messages.map(({ sequenceNumber, role }: never) => [sequenceNumber, role])).toEqual(
      messages.map(({ sequenceNumber, role }) => [sequenceNumber, role]),
    );
    const blocks = body.messages.flatMap((message: { blocks: object[] }) => message.blocks);
    expect(blocks).toContainEqual(
      expect.objectContaining({
        type: 'tool_use',
        toolName: 'fixture.echo',
        text: '{"text":"hello"}',
        signed: true,
      }),
    );
    expect(blocks).toContainEqual(
      expect.objectContaining({
        type: 'tool_result',
        text: expect.stringContaining('hello'),
        isError: false,
      }),
    );
    expect(blocks.at(-1)).toMatchObject({ type: 'text', text: 'The disk is full.' });
    expect(body.messages.at(-1)).toMatchObject({
      role: 'assistant',
      model: 'google/gemini-3.8-flash',
      iteration: 2,
    });
    expect(JSON.stringify(messages)).toContain(session.dataNonce);
    expect(JSON.stringify(body)).not.toContain(session.dataNonce);
    expect(JSON.stringify(body)).not.toMatch(/providerData|thought_?[sS]ignature/);
    const one = await api.ask(`${path}/${messages.length}`);
    expect(one.body).toEqual(body.messages.at(-1));
  });

  it('is given in pages, with long texts cut, and each message whole', async () => {
    const api = await start();
    const { store } = api.deps;
    const session = sampleSession();
    const { sessionId } = session;
    const executionId = '01-lead~1';
    const text = 'x"\n'.repeat(100_000);
    const messages = Array.from({ length: 60 }, (_, index) =>
      sampleMessage({
        sessionId,
        executionId,
        sequenceNumber: index + 1,
        blocks: [{ blockType: 'text', textContent: `${index} ${text}` }],
      }),
    );
    const other = sampleMessage({ sessionId, executionId: '01-lead', sequenceNumber: 1 });
    await store.commit([
      createDocument(paths.session(sessionId), sessionType, session),
      createDocument(
        paths.execution(sessionId, executionId),
        executionType,
        sampleExecution({ sessionId, executionId }),
      ),
    ]);
    for (const message of [...messages, other])
      await store.commit([
        createDocument(
          paths.message(sessionId, message.executionId, message.sequenceNumber),
          messageType,
          message,
        ),
      ]);
    const path = `/v1/sessions/${sessionId}/executions/${executionId}/messages`;
    const found = await walk(api, path, 'messages');
    expect(found.map(({ messageId }) => messageId)).toEqual(
      messages.map(({ sequenceNumber }) => numberedId(executionId, sequenceNumber)),
    );
    expect(found[7]).toMatchObject({ cut: true });
    expect(text.startsWith(found[7].blocks[0].text.slice(2))).toBe(true);
    const whole = await api.ask(`${path}/8`);
    expect(whole.body).toMatchObject({ cut: false, blocks: [{ text: `7 ${text}` }] });
  });

  it('of a message that takes several documents is given whole, too', async () => {
    const api = await start();
    const sessionId = await api.investigate();
    const { messages } = await api.read(sessionId);
    const sequenceNumber = messages.length + 1;
    const text = 'The disk is full. '.repeat(60_000);
    const { blocks, blockPieces } = fitMessage({ blocks: [{ blockType: 'text', textContent: text }] });
    expect(blockPieces.length).toBeGreaterThan(1);
    const ids = { sessionId, executionId: EXECUTION, sequenceNumber };
    const message = sampleMessage({
      ...ids,
      blocks,
      blockDocuments: blockPieces.length,
      providerParts: null,
    });
    await api.deps.store.commit([
      createDocument(paths.message(sessionId, EXECUTION, sequenceNumber), messageType, message),
      ...blockPieces.map((piece, index) =>
        createDocument(
          paths.messagePart(sessionId, EXECUTION, sequenceNumber, index + 1),
          messagePartType,
          sampleMessagePart({ part: index + 1, text: piece }),
        ),
      ),
    ]);
    const path = `/v1/sessions/${sessionId}/executions/${EXECUTION}/messages`;
    expect((await walk(api, path, 'messages')).at(-1)).toMatchObject({ sequenceNumber, cut: true });
    const { body } = await api.ask(`${path}/${sequenceNumber}`);
    expect(body).toMatchObject({ cut: false, blocks: [{ text }] });
  });
});

describe('the calls of models', () => {
  it('state when, how long, with which model and at what cost, of an execution and of the session', async () => {
    const failures = [{ status: 503 }];
    const api = await start({
      script: { conversations: [{ turns: [{ ...turns[0], failures }, turns[1]] }] },
    });
    const sessionId = await api.investigate();
    const of = (path: string) => api.ask(`/v1/sessions/${sessionId}${path}/interactions`);
    const { body } = await of(`/executions/${EXECUTION}`);
    expect(body.interactions).toMatchObject([
      {
        interactionId: `${EXECUTION}.001`,
        executionId: EXECUTION,
        iteration: 1,
        kind: 'iteration',
        model: 'gemini-3.8-flash',
        attempts: 2,
        attemptErrors: [expect.stringContaining('503')],
        finishReason: 'STOP',
        usd: null,
        toolCallCount: 1,
        startedAt: expect.any(String),
        durationMs: expect.any(Number),
      },
      { iteration: 2, attempts: 1, attemptErrors: [], failure: null },
    ]);
    expect(body.interactions[0].tokens.total).toBeGreaterThan(0);
    expect((await of('')).body.interactions).toEqual(body.interactions);
  });

  it('are given in pages', async () => {
    const api = await start();
    const session = sampleSession();
    const { sessionId } = session;
    await api.deps.store.commit([createDocument(paths.session(sessionId), sessionType, session)]);
    const calls = Array.from({ length: 120 }, (_, index) =>
      sampleInteraction({
        sessionId,
        executionId: index % 2 === 0 ? '01-a' : '01-b',
        iteration: index + 1,
        attemptErrors: ['x'.repeat(20_000)],
      }),
    );
    for (const call of calls)
      await api.deps.store.commit([
        createDocument(paths.interaction(sessionId, call.executionId, call.iteration), interactionType, call),
      ]);
    const found = await walk(api, `/v1/sessions/${sessionId}/interactions`, 'interactions');
    expect(found.map(({ iteration }) => iteration).sort((a, b) => a - b)).toEqual(
      calls.map(({ iteration }) => iteration),
    );
  });
});

it('the alert of a session is given as it was read, as agents see it, and as it came', async () => {
  const api = await start();
  const alert = { title: 'Disk full', note: `ghp_${'a1B2'.repeat(9)}`, text: 'y'.repeat(700_000) };
  const sessionId = await api.investigate(alert);
  const { session } = await api.read(sessionId);
  const parts = [];
  for (const part of [1, 2]) {
    const { body } = await api.ask(`/v1/sessions/${sessionId}/alert?part=${part}`);
    expect(body).toMatchObject({ alert: { title: 'Disk full', source: 'json' }, part, parts: 2 });
    expect(body.promptText).toContain('Disk full');
    expect(body.promptText).not.toContain(session.dataNonce);
    parts.push(body.body);
  }
  expect(JSON.parse(parts.join(''))).toMatchObject({ title: 'Disk full', text: alert.text });
  expect(parts.join('')).not.toContain(alert.note);
  expect(await api.ask(`/v1/sessions/${sessionId}/alert?part=3`)).toMatchObject({ status: 404 });
});

it.each([
  ['executions/nosuch/messages', 404, 'NOT_FOUND'],
  ['executions/nosuch/messages/1', 404, 'NOT_FOUND'],
  [`executions/${EXECUTION}/messages/99`, 404, 'NOT_FOUND'],
  [`executions/${EXECUTION}/messages/0`, 400, 'REQUEST_INVALID'],
  [`executions/${EXECUTION}/messages?after=00-other.000001`, 400, 'REQUEST_INVALID'],
  ['executions/nosuch/interactions', 404, 'NOT_FOUND'],
  [`executions/${EXECUTION}/interactions?after=02-other.001`, 400, 'REQUEST_INVALID'],
])('GET …/%s is refused', async (path, status, code) => {
  const api = await start();
  const sessionId = await api.investigate();
  const answer = await api.ask(`/v1/sessions/${sessionId}/${path}`);
  expect(answer).toMatchObject({ status, body: { status, code } });
});
