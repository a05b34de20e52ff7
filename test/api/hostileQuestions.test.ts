// Hostile requests to each wire of foreign clients: refused in its own form, before a session exists.

import { describe, expect, it } from 'vitest';
import { sessionType } from '../../shared/core/schema/coreDocuments.ts';
import { startChatApi } from '../support/chatApi.ts';

/** JSON text of lists in lists. */
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const message = { role: 'user', content: 'What is it?' };

interface Wire {
  path: string;
  headers?: Record<string, string>;
  /** A question in its form. */
  question: Record<string, unknown>;
  /** The field with the messages. */
  list: string;
  /** The body of an error whose message has the text. */
  error(text: string): unknown;
  /** Body and headers that continue an answer. */
  continues(answer: unknown, sessionId: string): { body?: object; headers?: object };
}

const openAiError = (text: string) => ({
  error: expect.objectContaining({
    message: expect.stringContaining(text),
    type: expect.any(String),
    code: expect.any(String),
  }),
});
const inHeader = (_: unknown, sessionId: string) => ({ headers: { 'x-session-id': sessionId } });

const WIRES: Record<string, Wire> = {
  'Chat Completions': {
    path: '/chat/completions',
    question: { messages: [message] },
    list: 'messages',
    error: openAiError,
    continues: inHeader,
  },
  Responses: {
    path: '/responses',
    question: { input: [message] },
    list: 'input',
    error: openAiError,
    continues: (answer) => ({ body: { previous_response_id: (answer as { id: string }).id } }),
  },
  Anthropic: {
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    question: { model: 'inquest', max_tokens: 100, messages: [message] },
    list: 'messages',
    error: (text) => ({
      type: 'error',
      error: expect.objectContaining({
        message: expect.stringContaining(text),
        type: expect.any(String),
        code: expect.any(String),
      }),
      request_id: null,
    }),
    continues: inHeader,
  },
};

describe.each(Object.entries(WIRES))('the wire of %s', (_, wire) => {
  const { path, headers = {}, question, list, error, continues } = wire;

  async function startWire() {
    const api = await startChatApi([{ turns: [{ text: 'It is the disk.' }, { text: 'Disk 3.' }] }]);
    const post = async (body: unknown, more: object = {}) => {
      const response = await fetch(`${api.url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers, ...more },
      });
      const sessionId = response.headers.get('x-session-id') ?? '';
      return { status: response.status, body: await response.json(), sessionId };
    };
    return { ...api, post };
  }

  it('refuses what is too deep, too much or of a wrong type, before a session exists', async () => {
    const { post, deps, gemini } = await startWire();
    const content = (value: unknown) => ({ ...question, [list]: [{ ...message, content: value }] });
    const bodies: [body: unknown, status: number, fix: string][] = [
      ['', 400, ''],
      ['\u0000', 400, 'JSON'],
      ['{"a":', 400, 'JSON'],
      [null, 400, 'body'],
      [JSON.stringify(content('DEEP')).replace('"DEEP"', nest(5_000)), 400, 'body'],
      [`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 400, 'body'],
      [{ ...question, [list]: Array(10_000).fill(message) }, 400, `body.${list}: must hold at most 1000`],
      [content(Array(10_000).fill({ type: 'text', text: 'x' })), 400, `body.${list}.0.content`],
      [content('x'.repeat(20_000_000)), 413, ''],
      [content(5), 400, `body.${list}.0.content`],
      [content({ type: 'text' }), 400, `body.${list}.0.content`],
      [content([{ type: 'text', text: 5 }]), 400, `body.${list}.0.content.0.text`],
      [content([{ type: ['text'] }]), 400, `body.${list}.0.content.0.type`],
      [{ ...question, [list]: { length: 1, 0: message } }, 400, `body.${list}`],
      [{ ...question, [list]: [{ ...message, role: '__proto__' }] }, 400, `body.${list}.0`],
      [{ ...question, model: ['inquest'] }, 400, 'body.model'],
      [{ ...question, model: '__proto__' }, path === '/messages' ? 404 : 400, 'chain'],
      [{ ...question, stream: 'yes' }, 400, 'body.stream'],
    ];
    for (const [body, status, fix] of bodies) {
      const answer = await post(body);
      const shown = JSON.stringify(body).slice(0, 120);
      expect([shown, answer.status, answer.body]).toEqual([shown, status, error(fix)]);
    }
    expect(await deps.store.list({ collection: 'sessions' }, sessionType)).toEqual([]);
    expect(gemini.requests).toEqual([]);
  });

  it('knows no session and no answer of another tenant', async () => {
    const { post } = await startWire();
    const { body: answer, sessionId } = await post(question);
    const named = continues(answer, sessionId);
    const again = { ...question, ...named.body };
    const foreign = await post(again, { ...named.headers, 'x-tenant-id': 'acme' });
    // The header can also name a chat that does not exist yet, which is then one of the caller's tenant.
    if (named.headers !== undefined) expect(foreign.sessionId).not.toBe(sessionId);
    else expect(foreign).toMatchObject({ status: 404, body: error('') });
    expect(await post(again, { ...named.headers })).toMatchObject({ status: 200, sessionId });
  });
});
