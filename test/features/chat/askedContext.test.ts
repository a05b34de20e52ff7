// What the headers of a request with a question choose, over real routes.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { requestPart } from '../../../shared/kits/views/chat/requestContext.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const RESEARCHER = `type: object
description: |
  You are a research assistant.
properties:
  answer: {type: string, description: Your response}
  confidence: {type: number}
json_schema_extra:
  kind: agent
  name: researcher
  extension: |
    Name your sources.
`;
/** The prompt of the agent, byte for byte. */
const RESEARCHER_PROMPT = `You are a research assistant.

Name your sources.

## Internal Thinking Structure (DO NOT output these labels)

Use this structure to organize your thinking, but ONLY output the answer content:

**OUTPUT (what the user sees):** Your response

**INTERNAL (for your tracking only - do NOT include in output):**

Schema (use these EXACT field names):
\`\`\`yaml
confidence: number
\`\`\`

CRITICAL: Your response must be ONLY the conversational answer text.
Do NOT output field names like 'answer:' or JSON - just the response itself.`;

const BODY = { model: 'inquest', messages: [{ role: 'user', content: 'What is it?' }] };

/** An API whose questions are answered with these turns. */
async function start(turns: object[] = [{ text: 'It is the disk.' }, { text: 'Disk 3.' }, { text: 'Yes.' }]) {
  const pro = { provider: 'google', model: 'gemini-3.8-pro' };
  const folder = ownConfig({ fallback: { pro } });
  mkdirSync(path.join(folder, 'agents'));
  writeFileSync(path.join(folder, 'agents', 'researcher.yaml'), RESEARCHER);
  const config = loadSessionConfig(folder);
  const script = { conversations: [{ turns }] } as never;
  const api = await startApiBench({ script, readConfig: () => config, inMemory: true });
  /** Asks, and answers the question. */
  const ask = async (headers: Record<string, string> = {}, body: object = BODY) => {
    const opening = api.ask('/v1/chat/completions', { body, headers });
    let isOver = false;
    void opening.finally(() => (isOver = true));
    while (!isOver) {
      await api.drain();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { status, body: answer, headers: sent } = await opening;
    return { status, answer, sessionId: sent.get('x-session-id') ?? '' };
  };
  const session = async (id: string) => (await api.deps.store.get(paths.session(id), sessionType))?.value;
  const lastRequest = () => api.gemini.requests.at(-1);
  return { ...api, chat: ask, session, lastRequest };
}

const systemOf = (request: unknown): string => {
  const { body } = request as { body: { systemInstruction: { parts: { text: string }[] } } };
  return body.systemInstruction.parts.map(({ text }) => text).join('\n\n');
};

describe('a question that names an agent', () => {
  it('is answered by it, whose schema is the end of the prompt, behind time and user', async () => {
    const { chat, session, lastRequest } = await start();
    const { answer, sessionId } = await chat({ 'x-agent-schema': 'researcher', 'X-User-Id': 'ada' });
    expect(answer.choices[0].message.content).toBe('It is the disk.');
    const system = systemOf(lastRequest());
    expect(system.endsWith(`\nUser: ada\n\n${RESEARCHER_PROMPT}`)).toBe(true);
    expect(system).toMatch(/## User Context\nDate: \d{4}-\d\d-\d\d\nTime: \d\d:\d\d:\d\d UTC \(\w+day\)\n/);
    expect(system).not.toContain('You are researcher');
    expect(await session(sessionId)).toMatchObject({
      userId: 'ada',
      parts: { request: { agent: 'researcher', model: null, clientId: null, isEval: false } },
      chain: { chat: { name: 'researcher' } },
    });
  });

  it('can follow a question that named another agent, and repeats earlier messages', async () => {
    const { chat, session, lastRequest, read } = await start();
    const { sessionId } = await chat();
    await chat({ 'X-Session-Id': sessionId, 'X-Agent-Schema': 'researcher' });
    expect(JSON.stringify(lastRequest())).toContain('It is the disk.');
    expect(systemOf(lastRequest())).toContain('You are a research assistant.');
    await chat({ 'X-Session-Id': sessionId });
    expect(JSON.stringify(lastRequest())).toContain('Disk 3.');
    expect(systemOf(lastRequest())).not.toContain('You are a research assistant.');
    const stored = await session(sessionId);
    expect(stored?.questions).toBe(3);
    expect(stored?.parts).not.toHaveProperty('request');
    const { executions } = await read(sessionId);
    expect(executions.map(({ agentName }) => agentName)).toEqual(['chat', 'researcher', 'chat']);
  });

  it.each([
    ['X-Agent-Schema', 'nobody'],
    ['X-Agent-Schema', '../agents'],
    ['X-Model-Name', 'gpt-17'],
    ['X-Session-Id', 'x'.repeat(201)],
  ])('or a model that is not there is refused with its header: %s: %.20s', async (name, value) => {
    const { ask, gemini } = await start();
    const { status, body } = await ask('/v1/chat/completions', { body: BODY, headers: { [name]: value } });
    expect([status, body.error.code]).toEqual([400, 'REQUEST_INVALID']);
    expect(body.error.message).toContain(name);
    const chats = await ask('/v1/chats', { body: { text: 'x' }, headers: { [name]: value } });
    expect(chats).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
    expect(gemini.requests).toHaveLength(0);
  });
});

it('a question that names a model is answered by it, by its name or as its provider calls it', async () => {
  const { chat, session } = await start();
  const byName = await chat({ 'X-Model-Name': 'pro', 'X-Is-Eval': 'Yes', 'X-Client-Id': 'notebook' });
  const opened = await session(byName.sessionId);
  const id = 'gemini-3.8-pro';
  expect(opened?.chain.chat?.model.model).toBe(id);
  expect(opened && readPart(requestPart, opened)).toEqual({
    agent: null,
    model: 'pro',
    clientId: 'notebook',
    isEval: true,
  });
  const byId = await chat({ 'X-Model-Name': id, 'X-Agent-Schema': 'researcher' });
  expect((await session(byId.sessionId))?.chain.chat).toMatchObject({
    name: 'researcher',
    model: { model: id },
  });
});

it.each([
  ['text', undefined, false],
  ['text', 'json_object', true],
  ['data', undefined, true],
  ['data', 'text', false],
])(
  'an agent of %s whose question has the response_format %s is asked for data: %s',
  async (own, type, isData) => {
    const fields = { answer: 'It is the disk.', confidence: 0.7 };
    const { chat, ask, lastRequest } = await start([{ text: JSON.stringify(fields) }]);
    const yaml = RESEARCHER.replace(
      'name: researcher',
      `name: former\n  structured_output: ${own === 'data'}`,
    );
    expect((await ask('/v1/agents/former', { body: { yaml } })).status).toBe(200);
    const format = type === undefined ? {} : { response_format: { type } };
    const { answer } = await chat({ 'X-Agent-Schema': 'former' }, { ...BODY, ...format });
    expect(JSON.stringify(lastRequest()).includes('"responseJsonSchema"')).toBe(isData);
    const isReadable = isData && type === undefined;
    expect(answer.choices[0].message.content).toBe(isReadable ? fields.answer : JSON.stringify(fields));
  },
);

describe("a client's own session id", () => {
  it.each(['dGVzdA==', '{4d3b-1}', 'auth0|77', '../x', '_-~#?*', 'x'.repeat(200)])(
    'can be any printable text without spaces: %.20s',
    async (id) => {
      const { chat, session } = await start();
      const [first, second] = [await chat({ 'X-Session-Id': id }), await chat({ 'X-Session-Id': id })];
      expect([first.status, second.sessionId]).toEqual([200, first.sessionId]);
      expect(await session(first.sessionId)).toMatchObject({ questions: 2 });
    },
  );

  const OWN = 'conversation:42/..@me';

  it('names one chat, in its tenant only, and is part of no document', async () => {
    const { chat, session } = await start();
    const first = await chat({ 'X-Session-Id': OWN });
    const second = await chat({ 'X-Session-Id': OWN });
    expect(second.sessionId).toBe(first.sessionId);
    expect(await session(first.sessionId)).toMatchObject({ questions: 2, tenantId: 'default' });
    // Another case of letters is another id: base64 differs by it.
    const upper = await chat({ 'X-Session-Id': OWN.toUpperCase() });
    expect(upper.sessionId).not.toBe(first.sessionId);
    const other = await chat({ 'X-Session-Id': OWN, 'X-Tenant-Id': 'acme' });
    expect(other.sessionId).not.toBe(first.sessionId);
    expect(await session(other.sessionId)).toMatchObject({ questions: 1, tenantId: 'acme' });
    const stored = JSON.stringify(await session(first.sessionId));
    expect(stored).not.toContain('conversation:42');
  });

  it('that is the id of another tenant’s session opens a chat of its own, as any other id does', async () => {
    const { chat, session } = await start();
    const theirs = await chat({ 'X-Tenant-Id': 'acme' });
    const own = await chat({ 'X-Session-Id': theirs.sessionId });
    expect(own.status).toBe(200);
    expect(own.sessionId).not.toBe(theirs.sessionId);
    expect(await session(theirs.sessionId)).toMatchObject({ questions: 1 });
  });
});
