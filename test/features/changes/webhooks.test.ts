// Webhooks of sources of changes, signed as each source documents it.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CHANGE_SOURCES, type ChangeSource } from '../../../shared/alerts/sources.ts';
import { startWebhookBench } from '../../support/webhookBench.ts';

const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';
const body = Buffer.from(JSON.stringify({ id: 1, resource: 'service:cart', title: 'cart 2' }));
const hmac = (secret: string, algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(body).digest('hex');
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const HEADERS: Record<ChangeSource, (secret: string) => Record<string, string>> = {
  github: (secret) => ({ 'x-hub-signature-256': `sha256=${hmac(secret)}` }),
  gitlab: (secret) => ({ 'x-gitlab-token': secret }),
  flux: (secret) => ({ 'x-signature': `sha256=${hmac(secret)}` }),
  launchdarkly: (secret) => ({ 'x-ld-signature': hmac(secret) }),
  'terraform-cloud': (secret) => ({ 'x-tfe-notification-signature': hmac(secret, 'sha512') }),
  argocd: bearer,
  unleash: bearer,
  cdevents: bearer,
  changes: bearer,
};
const start = (source: ChangeSource, entry: object = {}, bench = {}) =>
  startWebhookBench({
    webhooks: { [source]: { secretEnv: 'HOOK', ...entry } },
    env: { HOOK: SECRET },
    bench,
  });

describe.each(CHANGE_SOURCES)('a webhook of %s', (source) => {
  it('that proves itself is published as it came, for the tenant of its entry', async () => {
    const api = await start(source, { tenant: 'acme' });
    const answer = await api.post(source, body, HEADERS[source](SECRET));
    expect(answer).toMatchObject({ status: 202, body: { source: 'json', changes: 1, ignored: null } });
    expect(api.deps.publisher.published).toMatchObject([
      { topic: 'changes', attributes: { tenant: 'acme' } },
    ]);
    expect(api.deps.publisher.published[0]?.data.equals(body)).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['another secret', HEADERS[source](`${SECRET}0`)],
    ['nothing', {}],
  ])('with %s is refused, and nothing is published', async (_, headers) => {
    const api = await start(source);
    expect(await api.post(source, body, headers)).toMatchObject({
      status: 401,
      body: { code: 'SIGNATURE_INVALID' },
    });
    expect(api.deps.publisher.published).toEqual([]);
  });
});

it('a body that no adapter reads is refused with the fix, and one without a change is accepted and not published', async () => {
  const api = await start('changes');
  const refused = await api.post('changes', '{"hello":1}', bearer(SECRET));
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'CHANGE_UNKNOWN', detail: expect.stringContaining('"resource" and "title"') },
  });
  const verification = { payload_version: 1, notifications: [{ trigger: 'verification' }] };
  const ignored = await api.post('changes', JSON.stringify(verification), bearer(SECRET));
  expect(ignored).toMatchObject({
    status: 202,
    body: { messageId: null, ignored: 'the request that verifies the address' },
  });
  expect(api.deps.publisher.published).toEqual([]);
});

it('changes are listed and shown to their tenant, with the sources, and near the alert of a session', async () => {
  const api = await start('changes', {}, { inMemory: false });
  const at = new Date(api.deps.clock.now().getTime() - 60_000).toISOString();
  const change = { id: 1, resource: 'k8s:prod/shop/Deployment/cart', title: 'cart 2', actor: 'ada', at };
  await api.ask('/v1/changes', { method: 'POST', body: JSON.stringify(change) });
  await api.drain();
  const listed = await api.ask('/v1/changes?resource=cart&q=ada');
  expect(listed.body).toMatchObject({
    changes: [{ title: 'cart 2', kind: 'manual', rate: '1 change of it in 14 days (0.1 a day)' }],
    next: null,
    sources: [{ source: 'json' }],
  });
  const { id } = listed.body.changes[0];
  expect((await api.ask(`/v1/changes/${id}`)).body).toMatchObject({ id, resource: change.resource });
  expect(await api.ask('/v1/changes/none')).toMatchObject({ status: 404 });
  expect((await api.ask('/v1/changes?kind=flag')).body.changes).toEqual([]);
  const alert = {
    title: 'Cart slow',
    status: 'firing',
    labels: { cluster: 'prod', namespace: 'shop', deployment: 'cart' },
  };
  const session = await api.publishAlert(alert, {}, api.deps.clock.now().toISOString());
  await api.drain();
  const near = await api.ask(`/v1/sessions/${session}/changes`);
  expect(near.body).toMatchObject({
    resource: change.resource,
    service: null,
    changes: [{ title: 'cart 2', relation: 'the same resource', when: '1 min before', late: false }],
  });
  const later = { ...change, id: 2, title: 'cart 3', at: api.deps.clock.now().toISOString() };
  await api.ask('/v1/changes', { method: 'POST', body: JSON.stringify(later) });
  await api.drain();
  const first = await api.ask('/v1/changes?limit=1');
  expect(first.body).toMatchObject({ changes: [{ title: 'cart 3' }], next: first.body.changes[0].id });
  const second = await api.ask(`/v1/changes?limit=1&after=${first.body.next}`);
  expect(second.body).toMatchObject({ changes: [{ id }], next: null });
  expect((await api.ask('/v1/changes?after=other')).status).toBe(400);
});
