// The knowledge base, and what operators look at, over HTTP.

import { expect, it } from 'vitest';
import { startApiBench } from '../../support/apiBench.ts';

const script = { conversations: Array(6).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };

it('the knowledge base is written, searched, read, and emptied', async () => {
  const api = await startApiBench({ script });
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const links = [{ key: 'ledger', type: 'depends-on' }];
  const entry = {
    title: 'Payments API',
    text: `Takes card payments with ${token}.`,
    labels: { team: 'pay' },
    links,
  };
  expect((await api.ask('/v1/knowledge/payments-api', { body: entry })).body).toMatchObject({
    outcome: 'created',
    masked: 1,
  });
  await api.ask('/v1/knowledge/ledger', {
    body: { title: 'Ledger', text: 'Holds accounts.', own: true },
    headers: { 'x-user-id': 'anna' },
  });
  const list = async (user: string) =>
    (await api.ask('/v1/knowledge', { headers: { 'x-user-id': user } })).body.entries.map(
      ({ key }: { key: string }) => key,
    );
  expect(await list('anna')).toEqual(['ledger', 'payments-api']);
  expect(await list('bert')).toEqual(['payments-api']);
  const foreign = await api.ask('/v1/knowledge/ledger', {
    body: { title: 'Mine', text: 'x' },
    headers: { 'x-user-id': 'bert' },
  });
  expect(foreign).toMatchObject({ status: 409, body: { code: 'KEY_TAKEN' } });

  const search = (q: string) =>
    api.ask(`/v1/knowledge/search?q=${encodeURIComponent(q)}`, { headers: { 'x-user-id': 'anna' } });
  expect((await search('FUZZY payment')).body.entries[0]).toMatchObject({
    key: 'payments-api',
    score: expect.any(Number),
  });
  expect((await search('TRAVERSE payments-api')).body.entries.at(-1)).toMatchObject({
    key: 'ledger',
    depth: 1,
  });
  expect(await search('DROP TABLE')).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
  const { body } = await api.ask('/v1/knowledge/payments-api');
  expect(body.text).toBe('Takes card payments with ***.');
  expect((await api.ask('/v1/knowledge/payments-api', { headers: { 'x-tenant-id': 'acme' } })).status).toBe(
    404,
  );

  expect((await api.ask('/v1/knowledge/payments-api/remove', { body: {} })).body.outcome).toBe('removed');
  expect((await api.ask('/v1/knowledge/payments-api')).status).toBe(404);
});

it('a reviewer confirms the text of an entry as it was shown, and the next equal alert has it', async () => {
  const api = await startApiBench({ script });
  const alert = { title: 'Disk full', fingerprint: 'disk-1', labels: { note: 'a\u2800b' } };
  const fire = async (): Promise<string> => {
    const id = await api.publishAlert(alert, {}, api.deps.clock.now().toISOString());
    await api.drain();
    await api.publishAlert({ ...alert, status: 'resolved' }, {}, api.deps.clock.now().toISOString());
    await api.drain();
    api.deps.clock.advance(7 * 24 * 3_600_000);
    return id;
  };
  const id = await fire();
  const path = `/v1/knowledge/session-${id}/text`;
  const confirm = (digest: string, by: string) =>
    api.ask(path, { body: { digest }, headers: { 'x-user-id': by } });
  const { body: shown } = await api.ask(path);
  expect(shown.text).toContain('note=a\ufffdb');
  expect(shown.text).toContain('The disk is full of logs.');
  expect(shown.confirmedBy).toBe(null);
  expect(await confirm(shown.digest, 'ada')).toMatchObject({ status: 409, body: { code: 'SESSION_STATE' } });
  const review = (rating: string, by: string) =>
    api.ask(`/v1/sessions/${id}/work`, {
      body: { kind: 'review', review: { rating } },
      headers: { 'x-user-id': by },
    });
  await review('right', 'ada');
  expect(await confirm('0', 'ada')).toMatchObject({ status: 409 });
  expect(await confirm(shown.digest, 'ben')).toMatchObject({ status: 409 });
  expect(await confirm(shown.digest, 'ada')).toMatchObject({ status: 200, body: { confirmedBy: 'ada' } });
  const promptOf = async (): Promise<string> => {
    const from = api.gemini.requests.length;
    await fire();
    return JSON.stringify(api.gemini.requests[from]?.body);
  };
  expect(await promptOf()).toContain('The disk is full of logs.');
  await review('partly', 'ben');
  await review('right', 'ben');
  const again = await promptOf();
  expect(again).toContain('Component: not named.');
  expect(again).not.toContain('The disk is full of logs.');
});

it('operators see rejected messages, dropped alerts and usage; tenants do not', async () => {
  const triage = { rules: [{ name: 'dev', labels: { env: 'dev' }, action: 'drop' }] };
  const limits = { sessionsPerHour: [{ limit: 5, chain: null }] };
  const api = await startApiBench({ script, triage, budgets: limits } as never);
  await api.publishAlert('null');
  const now = api.deps.clock.now().toISOString();
  await api.publishAlert({ title: 'In development', labels: { env: 'dev' } }, {}, now);
  await api.investigate();
  const { messages } = (await api.ask('/v1/rejected-messages')).body;
  expect(messages).toMatchObject([{ function: 'ingestAlert', code: 'ALERT_INVALID', count: 1 }]);
  expect((await api.ask('/v1/dropped-alerts?days=2')).body.alerts).toMatchObject([{ rule: 'dev', count: 1 }]);
  expect((await api.ask('/v1/usage')).body.usage).toMatchObject([
    { counted: 'sessions', chain: null, count: 1 },
  ]);
  for (const path of ['/v1/rejected-messages', '/v1/dropped-alerts', '/v1/usage'])
    expect(await api.ask(path, { headers: { 'x-tenant-id': 'acme' } })).toMatchObject({ status: 403 });
});

it('a user records whether an analysis helped', async () => {
  const api = await startApiBench({ script });
  const sessionId = await api.investigate();
  const path = `/v1/sessions/${sessionId}/feedback`;
  const given = await api.ask(path, {
    body: { verdict: 'helpful', comment: 'Right.' },
    headers: { 'x-user-id': 'anna' },
  });
  expect(given).toMatchObject({
    status: 201,
    body: { verdict: 'helpful', comment: 'Right.', givenBy: 'anna' },
  });
  expect(await api.ask(path, { body: { verdict: 'great' } })).toMatchObject({ status: 400 });
});
