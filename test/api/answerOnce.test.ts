// Requests that are sent twice, because an answer was lost.

import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../shared/core/errors.ts';
import { requestType } from '../../shared/lists/documents.ts';
import { startApiBench } from '../support/apiBench.ts';

const script = { conversations: Array(6).fill({ turns: [{ text: 'Done.' }] }) };
const start = () => startApiBench({ script, chat: {}, inMemory: true });
const alert = (key: string, title = 'Disk full') => ({
  body: { title },
  headers: { 'idempotency-key': key },
});

describe('a request with an Idempotency-Key', () => {
  it('is done once, and answered the same', async () => {
    const api = await start();
    const first = await api.ask('/v1/alerts', alert('a'));
    const second = await api.ask('/v1/alerts', alert('a'));
    expect(second).toMatchObject({ status: 202, body: first.body });
    await api.ask('/v1/alerts', alert('b'));
    await api.ask('/v1/alerts', { body: { title: 'Disk full' } });
    expect(api.deps.publisher.published).toHaveLength(3);
  });

  it('is another request with another query or other attributes', async () => {
    const api = await start();
    const { body, headers } = alert('a');
    const attributes = { 'x-alert-attributes': '{"env":"prod"}' };
    await api.ask('/v1/alerts?chain=test', { body, headers });
    for (const [path, more] of [
      ['/v1/alerts', {}],
      ['/v1/alerts?chain=test', attributes],
    ] as const)
      expect(await api.ask(path, { body, headers: { ...headers, ...more } })).toMatchObject({
        body: { code: 'KEY_REUSED' },
      });
    expect(await api.ask('/v1/alerts?chain=test', { body, headers })).toMatchObject({ status: 202 });
    expect(api.deps.publisher.published).toHaveLength(1);
  });

  it('is done once of many at the same time', async () => {
    const api = await start();
    const all = await Promise.all(Array.from({ length: 20 }, () => api.ask('/v1/alerts', alert('a'))));
    expect(api.deps.publisher.published).toHaveLength(1);
    const others = all.filter(({ status }) => status !== 202);
    expect(others.map(({ body }) => body.code)).toEqual(others.map(() => 'REQUEST_RUNNING'));
    expect(await api.ask('/v1/alerts', alert('a'))).toMatchObject({ status: 202 });
  });

  it('has the same refusal, which a new key asks for again', async () => {
    const api = await start();
    const cancel = (key: string) =>
      api.ask('/v1/sessions/nosuch/cancel', { body: {}, headers: { 'idempotency-key': key } });
    const [first, second] = [await cancel('a'), await cancel('a')];
    expect(first.status).toBe(404);
    expect(second).toMatchObject({ status: 404, body: first.body });
    expect(second.headers.get('content-type')).toBe('application/problem+json');
  });

  it('that a budget refused for now is done when it is sent again later', async () => {
    const budgets = { sessionsPerHour: [{ chain: null, limit: 1 }] };
    const api = await startApiBench({ script, chat: {}, inMemory: true, budgets });
    const chat = (key: string) =>
      api.ask('/v1/chats', { body: { text: 'Why?' }, headers: { 'idempotency-key': key } });
    expect((await chat('a')).status).toBe(202);
    const refused = await chat('b');
    expect(refused).toMatchObject({ status: 429, body: { code: 'BUDGET_REACHED' } });
    expect(refused.body.detail).toMatch(/ask again from .*raise sessionsPerHour/);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    api.deps.clock.advance(seconds * 1_000);
    expect((await chat('b')).status).toBe(202);
  });

  it('leaves no secret in its answer, wherever it stood', async () => {
    const api = await start();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const headers = { 'idempotency-key': 'a' };
    for (const body of [{ [token]: 1 }, { reason: `${token}\n` }])
      expect(JSON.stringify((await api.ask('/v1/sessions/x/cancel', { body, headers })).body)).not.toContain(
        token,
      );
    const chain = await api.ask('/v1/chats', {
      body: { text: 'x', chain: token },
      headers: { 'idempotency-key': 'b' },
    });
    expect(JSON.stringify(chain.body)).not.toContain(token);
    const stored = await api.deps.store.list({ collection: 'requests' }, requestType);
    expect(stored).not.toEqual([]);
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('is a different one with another body, or of another tenant', async () => {
    const api = await start();
    await api.ask('/v1/alerts', alert('a'));
    const reused = await api.ask('/v1/alerts', alert('a', 'Disk empty'));
    expect(reused).toMatchObject({ status: 409, body: { code: 'KEY_REUSED' } });
    const other = alert('a', 'Disk empty');
    const headers = { ...other.headers, 'x-tenant-id': 'acme' };
    expect((await api.ask('/v1/alerts', { ...other, headers })).status).toBe(202);
    expect(await api.ask('/v1/alerts', alert('a b'))).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID' },
    });
  });

  it('is a different one of another caller of the same tenant, also with another API key of the same name', async () => {
    const api = await start();
    const sent = [
      { 'x-user-id': 'ada' },
      { 'x-user-id': 'bob' },
      { 'x-user-id': '' },
      // Without a user the name is "local", which a user can have as well.
      { 'x-user-id': 'local' },
    ];
    const keys = [];
    for (const [index, user] of sent.entries()) {
      const request = alert('a', `Disk ${index}`);
      const answer = await api.ask('/v1/alerts', { ...request, headers: { ...request.headers, ...user } });
      expect(answer.status).toBe(202);
      keys.push(answer.body.alertKey);
    }
    expect(new Set(keys).size).toBe(sent.length);
    const request = alert('a', 'Disk 0');
    const again = await api.ask('/v1/alerts', { ...request, headers: { ...request.headers, ...sent[0] } });
    expect(again.body.alertKey).toBe(keys[0]);
    expect(api.deps.publisher.published).toHaveLength(sent.length);
  });

  it('is done again after a failure of the system, and two minutes after its process died', async () => {
    const api = await start();
    const { publish } = api.deps.publisher;
    api.deps.publisher.publish = () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'no answer'));
    expect(await api.ask('/v1/alerts', alert('a'))).toMatchObject({
      status: 503,
      body: { code: 'PUBLISH_FAILED' },
    });
    let dies = true;
    api.deps.publisher.publish = (...message) => (dies ? new Promise(() => {}) : publish(...message));
    void api.ask('/v1/alerts', alert('a'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await api.ask('/v1/alerts', alert('a'))).toMatchObject({ body: { code: 'REQUEST_RUNNING' } });
    dies = false;
    api.deps.clock.advance(120_000);
    expect(await api.ask('/v1/alerts', alert('a'))).toMatchObject({ status: 202 });
  });

  it('asks one question, whose answer is followed again', async () => {
    const api = await start();
    const body = { model: 'inquest', messages: [{ role: 'user', content: 'What is it?' }] };
    const complete = () => api.ask('/v1/chat/completions', { body, headers: { 'idempotency-key': 'a' } });
    const first = complete();
    while (api.deps.publisher.published.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await api.drain();
    const second = await complete();
    expect(second.body.choices).toEqual((await first).body.choices);
    expect(second.headers.get('x-session-id')).toBe((await first).headers.get('x-session-id'));
    expect(api.deps.publisher.published.filter(({ topic }) => topic === 'iterations')).toHaveLength(1);
  });
});
