// The HTTP API: alerts in, sessions out, and what people do with them.

import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../shared/lists/routes.ts';
import { startApiBench } from '../support/apiBench.ts';
import { PUBLISH_TIME } from '../support/pushEvents.ts';

const script = { conversations: Array(6).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };
const start = (more: object = {}) => startApiBench({ script, ...more });

/** Bodies that fit, of routes that need more than an empty one. */
const BODIES: Record<string, object> = {
  addWork: { kind: 'claim' },
  tellSession: { text: 'x' },
  askSession: { text: 'x' },
  rateSession: { verdict: 'helpful' },
  splitAlert: { messageId: 'x' },
  mergeSession: { into: 'x' },
  confirmKnowledgeText: { digest: 'x' },
  forkSession: { at: '01-investigator.1' },
};

it('a compressed body is refused before it is read, also of a webhook', async () => {
  const api = await start({ inMemory: true });
  const send = (path: string, encoding: string) =>
    api.ask(path, { body: { title: 'Disk full' }, headers: { 'content-encoding': encoding } });
  for (const encoding of ['gzip', 'br', 'identity, gzip']) {
    const refused = await send('/v1/alerts', encoding);
    expect(refused).toMatchObject({ status: 415, body: { code: 'ENCODING_UNSUPPORTED' } });
    expect(refused.body.detail).toContain('Content-Encoding');
  }
  expect((await send('/v1/sessions/s/work', 'gzip')).status).toBe(415);
  expect(api.deps.publisher.published).toEqual([]);
  expect((await send('/v1/alerts', 'Identity')).status).toBe(202);
});

describe('an alert', () => {
  it('is published as its source sends it, and its key names the session it gets', async () => {
    const api = await start();
    const sent = await api.ask('/v1/alerts', { body: { title: 'Disk full', severity: 'critical' } });
    expect(sent).toMatchObject({ status: 202, body: { alert: { title: 'Disk full', source: 'json' } } });
    const before = await api.ask(`/v1/alerts/${sent.body.alertKey}`);
    expect(before).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    await api.drain();
    const { body } = await api.ask(`/v1/alerts/${sent.body.alertKey}`);
    expect(body).toMatchObject({ outcome: 'opened', status: 'completed', deferral: null, reason: null });
    const session = await api.ask(`/v1/sessions/${body.sessionId}`);
    expect(session.body).toMatchObject({ status: 'completed', finalAnalysis: 'The disk is full of logs.' });
  });

  it('names the session that it joined, or why its own is deferred', async () => {
    const api = await start();
    const send = async (alert: object) => {
      api.deps.clock.advance(1_000);
      const sent = await api.ask('/v1/alerts', { body: alert });
      await api.drain();
      return (await api.ask(`/v1/alerts/${sent.body.alertKey}`)).body;
    };
    const alert = { fingerprint: 'disk-1', title: 'Disk full', status: 'firing' };
    const first = await send(alert);
    expect(await send(alert)).toMatchObject({ outcome: 'joined', sessionId: first.sessionId });
    expect(await send({ ...alert, fingerprint: 'disk-2', status: 'resolved' })).toMatchObject({
      outcome: 'opened',
      status: 'deferred',
      deferral: 'resolved',
    });
  });

  it('that was dropped or refused has the reason', async () => {
    const rules = { rules: [{ name: 'noise', labels: { env: 'dev' }, action: 'drop' }] };
    const api = await start({ triage: rules });
    const noise = { title: 'Disk full', labels: { env: 'dev' } };
    const { body } = await api.ask('/v1/alerts', { body: noise });
    const { body: other } = await api.ask('/v1/alerts?chain=nosuch', { body: { title: 'Login fails' } });
    await api.drain();
    const find = ({ alertKey, messageId }: { alertKey: string; messageId: string }, headers = {}) =>
      api.ask(`/v1/alerts/${alertKey}?messageId=${messageId}`, { headers });
    expect((await find(body)).body).toMatchObject({
      outcome: 'dropped',
      sessionId: null,
      reason: expect.stringContaining('dropped by noise of triage.yaml: '),
    });
    expect((await find(other)).body).toMatchObject({
      outcome: 'refused',
      reason: expect.stringMatching(/^refused: \w+: .*nosuch/),
    });
    expect(await find(body, { 'x-tenant-id': 'acme' })).toMatchObject({ status: 404 });
    expect(await api.ask(`/v1/alerts/${body.alertKey}`)).toMatchObject({ status: 404 });
  });

  it('has the attributes that it was sent with, and none that name its owner', async () => {
    const api = await start({ inMemory: true });
    const send = (header: string, query = '') =>
      api.ask(`/v1/alerts${query}`, {
        body: { title: 'Disk full' },
        headers: { 'x-alert-attributes': header },
      });
    const value = 'ä'.repeat(512);
    expect(await send(String.raw`{"env":"prod","a":"b=c \u00e4"}`, '?chain=test')).toMatchObject({
      status: 202,
    });
    const escaped = value.replaceAll('ä', String.raw`\u00e4`);
    expect(await send(`{"env":"","long":"${escaped}"}`)).toMatchObject({ status: 202 });
    expect(api.deps.publisher.published.map(({ attributes }) => attributes)).toEqual([
      { env: 'prod', a: 'b=c ä', chain: 'test' },
      { env: '', long: value },
    ]);
    const refusal = async (header: string) => {
      const { status, body } = await send(header);
      return [status, body.code, body.detail];
    };
    for (const name of ['tenant', 'user', 'chain', 'rerunOf', 'splitOf', 'deliveryId'])
      expect(await refusal(`{"${name}":"x"}`)).toEqual([
        400,
        'REQUEST_INVALID',
        expect.stringContaining(`header.x-alert-attributes: "${name}": must not set`),
      ]);
    for (const [header, why] of [
      ['env=prod', 'must be a JSON object of texts'],
      ['{"env":1}', 'must be a JSON object of texts'],
      ['{"googclient_x":"1"}', 'Pub/Sub keeps names that start with goog'],
      [`{"long":"${escaped}a"}`, 'a value has at most 1024 bytes'],
      [`{"${escaped.slice(0, 6 * 129)}":"a"}`, 'a name has at most 256 bytes'],
      ['{"a b":"c"}', 'no blank'],
      [JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, '']))), 'more than 50'],
    ] as const)
      expect(await refusal(header)).toEqual([400, 'REQUEST_INVALID', expect.stringContaining(why)]);
    expect((await api.ask('/v1/alerts?attribute=a=b', { body: { title: 'Disk full' } })).status).toBe(400);
    expect(api.deps.publisher.published).toHaveLength(2);
  });

  it.each([
    ['', 400, 'ALERT_EMPTY'],
    ['null', 400, 'ALERT_INVALID'],
    ['x'.repeat(1_060_000), 413, 'ALERT_TOO_LARGE'],
    ['x'.repeat(1_200_000), 413, 'REQUEST_TOO_LARGE'],
  ])('that is none is refused (%#)', async (body, status, code) => {
    const api = await start({ inMemory: true });
    expect(await api.ask('/v1/alerts', { body })).toMatchObject({ status, body: { status, code } });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('is shown without its secrets', async () => {
    const api = await start({ inMemory: true });
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { body } = await api.ask('/v1/alerts', { body: { title: `Token ${token}` } });
    expect(JSON.stringify(body)).not.toContain(token);
  });
});

describe('sessions', () => {
  it('of two days are the start of their stream', async () => {
    const api = await start();
    const sessionId = await api.investigate();
    // The day after that of the message, which the id of the session names.
    const sentAt = Date.parse(PUBLISH_TIME);
    api.deps.clock.now = () => new Date(sentAt + 24 * 3_600_000);
    const { body } = await api.fetch('/v1/sessions/events');
    let text = '';
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.includes('event: session\n')) break;
    }
    expect(text).toContain(sessionId);
  });

  it('are listed, the newest first, page by page, of one tenant', async () => {
    const api = await start();
    const ids = [];
    for (const title of ['One', 'Two', 'Three']) {
      api.deps.clock.advance(1_000);
      ids.push(await api.investigate({ title }));
    }
    const first = await api.ask('/v1/sessions?limit=2');
    expect(first.body.sessions.map(({ title }: { title: string }) => title)).toEqual(['Three', 'Two']);
    expect(first.body.next).toBe(ids[1]);
    const second = await api.ask(`/v1/sessions?limit=2&after=${first.body.next}`);
    expect(second.body).toMatchObject({ sessions: [{ title: 'One', status: 'completed' }], next: null });
    expect((await api.ask('/v1/sessions?status=failed,cancelled')).body.sessions).toEqual([]);
    const other = await api.ask('/v1/sessions', { headers: { 'x-tenant-id': 'acme' } });
    expect(other.body.sessions).toEqual([]);
  });

  it('have a timeline, whose long results are cut until they are asked for', async () => {
    const turns = [
      { toolCalls: [{ name: 'fixture.echo', args: { text: 'x'.repeat(9_000) } }] },
      { text: 'Done.' },
    ];
    const api = await startApiBench({
      script: { conversations: [{ turns }] },
      agent: { tools: ['fixture'] },
    });
    const sessionId = await api.investigate();
    const { body } = await api.ask(`/v1/sessions/${sessionId}/timeline`);
    expect(body.next).toBeNull();
    const events: { eventType: string; eventId: string; cut: boolean; bytes: number; content: string }[] =
      body.events;
    expect(events.map(({ eventType }) => eventType)).toContain('final_analysis');
    const result = events.find(({ eventType }) => eventType === 'tool_result');
    expect(result?.cut).toBe(true);
    const whole = await api.ask(`/v1/sessions/${sessionId}/timeline/${result?.eventId}`);
    expect(Buffer.byteLength(whole.body.content)).toBe(result?.bytes);
    expect(whole.body.content.startsWith(result?.content)).toBe(true);
  });

  it('can be cancelled, with user and reason', async () => {
    const api = await start();
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const request = { body: { reason: 'a test' }, headers: { 'x-user-id': 'anna' } };
    const { body } = await api.ask(`/v1/sessions/${sessionId}/cancel`, request);
    expect(body.outcome).toBe('cancelled');
    const again = await api.ask(`/v1/sessions/${sessionId}/cancel`, request);
    expect(again.body).toEqual({ outcome: 'already_ended', status: 'cancelled' });
    const session = await api.ask(`/v1/sessions/${sessionId}`);
    expect(session.body.cancellation).toMatchObject({ by: 'anna', reason: 'a test' });
  });

  it('can be paused, guided, and resumed', async () => {
    const api = await start();
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const act = (what: string, body: unknown = {}) => api.ask(`/v1/sessions/${sessionId}/${what}`, { body });
    expect((await act('pause')).body).toMatchObject({ outcome: 'paused', paused: { by: 'local' } });
    expect((await act('guidance', { text: 'Look at the logs.' })).body).toMatchObject({
      outcome: 'told',
      isPaused: true,
      guidance: { text: 'Look at the logs.' },
    });
    expect(await act('resume')).toMatchObject({ status: 202, body: { outcome: 'resumed', published: 1 } });
    await api.drain();
    const { body } = await api.ask(`/v1/sessions/${sessionId}/guidance`);
    expect(body.guidance).toMatchObject([{ state: 'read', readBy: ['01-investigator'] }]);
    expect(await act('pause')).toMatchObject({ status: 409, body: { code: 'SESSION_STATE' } });
  });

  it('are asked when they have ended, and investigated again', async () => {
    const api = await start({ chat: {} });
    const sessionId = await api.investigate();
    const asked = await api.ask(`/v1/sessions/${sessionId}/questions`, { body: { text: 'Which disk?' } });
    expect(asked.status).toBe(202);
    const busy = await api.ask(`/v1/sessions/${sessionId}/questions`, { body: { text: 'And now?' } });
    expect(busy).toMatchObject({ status: 409, body: { code: 'SESSION_BUSY' } });
    await api.drain();
    const { body } = await api.ask(`/v1/sessions/${sessionId}/timeline`);
    const own = body.events.filter(
      (event: { executionId: string }) => event.executionId === asked.body.executionId,
    );
    expect(own.at(-1)).toMatchObject({ eventType: 'final_analysis' });

    expect((await api.ask(`/v1/sessions/${sessionId}/rerun`, { body: {} })).status).toBe(202);
    await api.drain();
    const { sessions } = (await api.ask('/v1/sessions')).body;
    expect(sessions.map(({ rerunOf }: { rerunOf: string | null }) => rerunOf).sort()).toEqual(
      [sessionId, null].sort(),
    );
  });
});

describe('a request', () => {
  it.each([
    ['GET', '/v1/nothing', undefined, 404, 'NOT_FOUND'],
    ['DELETE', '/v1/sessions', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/sessions?limit=0', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/v1/sessions?limit=2&limit=3', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/v1/sessions?colour=red', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/v1/sessions?after=nosuch', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/v1/sessions/nosuch', undefined, 404, 'SESSION_UNKNOWN'],
    ['GET', '/v1/sessions/..%2f..%2fagents', undefined, 400, 'REQUEST_INVALID'],
    ['POST', '/v1/sessions/nosuch/guidance', '{"text":', 400, 'REQUEST_INVALID'],
    ['POST', '/v1/sessions/nosuch/guidance', '{"text":"x","colour":"red"}', 400, 'REQUEST_INVALID'],
    ['POST', '/v1/sessions/nosuch/guidance', '{"text":"x"}', 404, 'SESSION_UNKNOWN'],
    ['POST', '/v1/chats', '{"text":"x","chain":"nosuch"}', 400, 'CONFIG_UNKNOWN_CHAIN'],
    ['POST', '/v1/approvals/nosuch', '{"verdict":"maybe"}', 400, 'REQUEST_INVALID'],
    ['POST', '/v1/approvals/nosuch', '{"verdict":"denied"}', 404, 'NOT_FOUND'],
  ])('%s %s with body %s is refused with %i and %s', async (method, path, body, status, code) => {
    const api = await start({ inMemory: true });
    const request = { method, headers: { 'content-type': 'application/json' }, ...(body && { body }) };
    const answer = await api.ask(path, request);
    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it.each([
    ['a name that leads here from elsewhere', { host: 'evil.example' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page whose origin is hidden', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('of %s is denied, whatever it asks', async (_, headers) => {
    const api = await start({ inMemory: true });
    for (const path of ['/v1/sessions', '/v1/nothing', '/v1/openapi.json', '/v1/sessions/x/events'])
      expect(await api.ask(path, { headers })).toMatchObject({
        status: 403,
        body: { code: 'ACCESS_DENIED' },
      });
  });

  it('finds nothing of another tenant, whatever it asks, and changes nothing', async () => {
    const api = await start();
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const before = await api.read(sessionId);
    const headers = { 'x-tenant-id': 'acme' };
    for (const { id, method, path } of ROUTES) {
      if (!path.includes('{sessionId}')) continue;
      const address = path
        .replace('{sessionId}', sessionId)
        .replace('{eventId}', '01-investigator.0001')
        .replace('{executionId}', '01-investigator')
        .replace('{sequenceNumber}', '1')
        .replace('{deliveryId}', 'team.ended.1');
      const sent = BODIES[id] ?? {};
      const answer = await api.ask(address, {
        method: method.toUpperCase(),
        headers,
        ...(method === 'post' && { body: sent }),
      });
      const isEmptyList = answer.status === 200 && answer.body.guidance?.length === 0;
      expect(isEmptyList || answer.status === 404, `${method} ${path}: ${answer.status}`).toBe(true);
    }
    expect(await api.read(sessionId)).toEqual(before);
  });
});

describe('the OpenAPI document', () => {
  it('has every route, with its parameters, its answer and its problems', async () => {
    const api = await start({ inMemory: true });
    const { body } = await api.ask('/v1/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    // What `redocly lint` asks of every document.
    expect(body.servers).toEqual([{ url: '/' }]);
    expect(body.info.license).toEqual({ name: 'Apache License 2.0', identifier: 'Apache-2.0' });
    for (const { method, path, id, status } of ROUTES) {
      const operation = body.paths[path]?.[method];
      expect(operation?.operationId).toBe(id);
      const [content] = Object.values(operation.responses[status].content) as { schema: object }[];
      expect(content?.schema).toBeDefined();
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = operation.parameters.filter((one: { in: string }) => one.in === 'path');
      expect(inPath.map(({ name }: { name: string }) => name)).toEqual(named);
    }
    expect(JSON.stringify(body)).toContain('"format":"date-time"');
  });

  it('keeps the rules that `redocly lint` recommends: ids, summaries, refusals, security, used components', async () => {
    const api = await start({ inMemory: true });
    const { body } = await api.ask('/v1/openapi.json');
    type Operation = { operationId: string; summary: string; responses: object; tags?: string[] };
    const operations = Object.values(body.paths as Record<string, Record<string, Operation>>).flatMap(
      Object.values<Operation>,
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.filter(({ summary }) => !summary)).toEqual([]);
    const hasRefusal = ({ responses }: Operation) =>
      Object.keys(responses).some((status) => /^4\d\d$/.test(status));
    expect(operations.filter((one) => !hasRefusal(one)).map(({ operationId }) => operationId)).toEqual([]);
    const schemes = Object.keys(body.components.securitySchemes);
    expect(
      (body.security as object[]).flatMap(Object.keys).filter((name) => !schemes.includes(name)),
    ).toEqual([]);
    const text = JSON.stringify(body);
    const unused = Object.keys(body.components.schemas).filter(
      (name) => !text.includes(`#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
  });

  it('is a page, too, which loads nothing', async () => {
    const api = await start({ inMemory: true });
    const { body, headers } = await api.ask('/v1/docs');
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
    for (const { path, summary } of ROUTES) {
      expect(body).toContain(`<code>${path}</code>`);
      expect(body).toContain(summary.replaceAll("'", '&#39;'));
    }
    expect(body).not.toMatch(/<script|src=|@import/);
  });
});
