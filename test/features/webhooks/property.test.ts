// Whatever is changed of what a source signed, or of its signature, is refused.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../support/fullTests.ts';
import { grafanaAt, SENDERS, startWebhookBench } from '../../support/webhookBench.ts';
import { type SnsFields, startSnsCloud, TOPIC } from './snsCloud.ts';

/** `WEBHOOK_CHANGES=10000` tries more. */
const numRuns = Number(process.env.WEBHOOK_CHANGES ?? randomRuns(300));
const NO_LIMITS = { unauthenticatedPerMinute: 1_000_000, webhooksPerMinute: 1_000_000 };
const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';

/** Another text than the given one: a sign replaced, put in or taken out. */
const otherThan = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      at: fc.nat(Math.max(text.length - 1, 0)),
      count: fc.nat(2),
      sign: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 2 }),
        fc.constantFrom('0', 'a', 'A', '=', '\n', ' '),
      ),
    })
    .map(({ at, count, sign }) => text.slice(0, at) + sign + text.slice(at + count))
    .filter((other) => other !== text && other.isWellFormed());

/** Other bytes than the given ones. */
const otherBytes = (bytes: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .record({ at: fc.nat(bytes.length - 1), count: fc.nat(2), put: fc.uint8Array({ maxLength: 2 }) })
    .map(({ at, count, put }) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + count)]))
    .filter((other) => !other.equals(bytes));

it.each(['grafana', 'pagerduty', 'sentry'] as const)(
  'a webhook of %s with another byte in its body or in its signature is refused',
  async (source) => {
    const api = await startWebhookBench({
      webhooks: { [source]: { secretEnv: 'HOOK' } },
      env: { HOOK: SECRET },
      bench: { limits: NO_LIMITS },
    });
    const { body } = SENDERS[source];
    const sign = source === 'grafana' ? grafanaAt(api.deps.clock.now()) : SENDERS[source].headers;
    const headers = sign(body, SECRET);
    const proofs = Object.entries(headers).filter(([name]) => /signature|timestamp/i.test(name));
    const requests = fc.oneof(
      otherBytes(body).map((other) => ({ body: other, headers })),
      fc.constantFrom(...proofs).chain(([name, value]) =>
        otherThan(value)
          // Blanks around a value are no part of it.
          .filter((text) => /^[\x20-\x7e]*$/.test(text) && text.trim() !== value)
          .map((text) => ({ body, headers: { ...headers, [name]: text } })),
      ),
    );
    expect(await api.post(source, body, headers)).toMatchObject({ status: 202 });
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        expect(await api.post(source, request.body, request.headers)).toMatchObject({
          status: 401,
          body: { code: 'SIGNATURE_INVALID' },
        });
      }),
      { numRuns },
    );
    expect(api.deps.publisher.published).toHaveLength(1);
  },
);

it('a message of SNS with another sign in a field that is signed, or in its signature, is refused', async () => {
  const cloud = await startSnsCloud();
  const api = await startWebhookBench({
    webhooks: { sns: { topics: [TOPIC] } },
    fetch: cloud.fetch,
    bench: { limits: NO_LIMITS },
  });
  const post = (message: SnsFields) => api.post('sns', JSON.stringify(message));
  const message = cloud.sign({ Subject: 'ALARM', Message: 'CPU is high\nTopicArn\nx' }, '1');
  expect(await post(message)).toMatchObject({ status: 200 });
  const changed = fc
    .constantFrom(...Object.entries(message))
    .chain(([name, value]) => otherThan(value).map((other) => ({ ...message, [name]: other })));
  const swapped = fc.constantFrom(
    { ...message, SignatureVersion: '2' },
    { ...message, Subject: message.Message ?? '', Message: message.Subject ?? '' },
    { ...message, Subject: undefined as never },
    { ...message, Type: 'UnsubscribeConfirmation', Token: 'a', SubscribeURL: 'a' },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: changed }, swapped), async (other) => {
      const { status, body } = await post(other);
      expect([400, 401, 403], JSON.stringify(body)).toContain(status);
    }),
    { numRuns },
  );
  expect(api.deps.publisher.published).toHaveLength(1);
});
