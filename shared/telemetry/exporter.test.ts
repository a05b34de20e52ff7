// The exporter and its targets, at the wire: refusals, pauses, partial success, TLS and hostile text.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { partialSuccess, startOtlpReceiver } from '../../test/support/otlpReceiver.ts';
import { openReceiverExporter } from '../../test/support/tracedBench.ts';
import type { Span } from '../core/contract/telemetry.ts';

const at = new Date('2026-11-26T12:00:00Z');
const spanOf = (changes: Partial<Span> = {}): Span => ({
  sessionId: 'a',
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  name: 'execute_tool x',
  kind: 'internal',
  startedAt: at,
  endedAt: at,
  attributes: {},
  events: [],
  ...changes,
});
type Exporter = ReturnType<typeof openReceiverExporter>['exporter'];
/** Sends one span. @returns whether a target did not get it. */
async function isDropped(exporter: Exporter, span = spanOf()): Promise<boolean> {
  exporter.record({ sessions: ['a'], spans: () => [span] });
  return (await exporter.flush()).has('a');
}

describe('an answer of a target', () => {
  it.each([400, 401, 403, 404, 413, 429, 500, 503, 302])(
    'HTTP %s drops the spans, with a warning, and the next request is sent',
    async (status) => {
      let isDown = true;
      const receiver = await startOtlpReceiver(() => (isDown ? status : 200));
      const { exporter, warnings } = openReceiverExporter(receiver.url);
      expect(await isDropped(exporter)).toBe(true);
      expect(warnings).toEqual([`telemetry was not exported: the target answered ${status}`]);
      isDown = false;
      expect(await isDropped(exporter)).toBe(false);
      expect(receiver.requests).toHaveLength(2);
    },
  );

  it.each([
    ['seconds', () => '60'],
    ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
    ['a time beyond every limit', () => '9'.repeat(30)],
  ])(
    'with Retry-After as %s gets no further request until then, of neither signal',
    async (_, retryAfter) => {
      const receiver = await startOtlpReceiver(() => ({
        status: 429,
        headers: { 'retry-after': retryAfter() },
      }));
      const { exporter, warnings } = openReceiverExporter(receiver.url);
      expect(await isDropped(exporter)).toBe(true);
      expect(await isDropped(exporter)).toBe(true);
      await exporter.exportMetrics({ startedAt: at, at, metrics: [] });
      expect(receiver.requests).toHaveLength(1);
      expect(warnings.at(-1)).toContain('asked for a pause');
      vi.useFakeTimers({ now: Date.now() + 301_000, toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      await isDropped(exporter);
      expect(receiver.requests).toHaveLength(2);
    },
  );

  it.each(['soon', '-5', '', '0'])('with the Retry-After %o delays nothing', async (retryAfter) => {
    const receiver = await startOtlpReceiver(() => ({ status: 503, headers: { 'retry-after': retryAfter } }));
    const { exporter } = openReceiverExporter(receiver.url);
    await isDropped(exporter);
    await isDropped(exporter);
    expect(receiver.requests).toHaveLength(2);
  });

  it('that accepts a part is a success: the rejected spans are in the log, and are not sent again', async () => {
    const body = Buffer.concat([
      Buffer.from([0x4a, 1, 0x78]),
      partialSuccess(2, `no quota ${'x'.repeat(1_000)}`),
      // A later version of the protocol has further fields, inside and outside.
      Buffer.from([0x0a, 5, 0x1a, 3, 0x6e, 0x65, 0x77]),
    ]);
    const receiver = await startOtlpReceiver(() => ({ status: 200, body }));
    const { exporter, warnings, fields } = openReceiverExporter(receiver.url);
    expect(await isDropped(exporter)).toBe(false);
    expect(warnings).toEqual(['a target rejected a part of the traces']);
    expect(fields).toEqual([{ rejected: 2, reason: expect.stringMatching(/^no quota x{291}$/) }]);
  });

  it.each([
    ['no protobuf', Buffer.from('<html>')],
    ['cut off', partialSuccess(2, 'no quota').subarray(0, 6)],
    ['too long', partialSuccess(2, 'x'.repeat(100_000))],
  ])('whose body is %s is a success', async (_, body) => {
    const receiver = await startOtlpReceiver(() => ({ status: 200, body }));
    const { exporter, warnings } = openReceiverExporter(receiver.url);
    expect(await isDropped(exporter)).toBe(false);
    expect(warnings).toEqual([]);
  });
});

it('a target can have an IPv6 address and a path', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(
    `${receiver.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')}/otlp/`,
  );
  expect(await isDropped(exporter)).toBe(false);
  expect(receiver.requests).toMatchObject([{ path: '/otlp/v1/traces' }]);
});

it('numbers, booleans, lists and texts keep their types and values, however large', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url);
  const attributes = {
    large: 1e300,
    small: 0.5,
    whole: -3,
    yes: true,
    no: false,
    list: ['a', 'b'],
    text: '',
  };
  await isDropped(exporter, spanOf({ attributes: { missing: undefined, ...attributes } }));
  expect(receiver.spans[0]?.attributes).toEqual(attributes);
});

it('a span has the words of its error and the times of its events, and no link to a trace that cannot be read', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url);
  const events = [{ name: 'inquest.wait', at: new Date(at.getTime() + 7), attributes: {} }];
  for (const link of ['no trace', `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`])
    await isDropped(exporter, spanOf({ error: 'timeout', events, link }));
  const span = { status: 2, message: 'timeout', events: [{ atMs: at.getTime() + 7 }] };
  expect(receiver.spans).toMatchObject([
    { ...span, links: [] },
    { ...span, links: ['1'.repeat(32)] },
  ]);
});

it('a request has at most 100 commits; beyond 1,000 that wait, new ones are dropped and counted', async () => {
  let isDown = false;
  const receiver = await startOtlpReceiver(() => (isDown ? 'hang' : 200));
  const { exporter, fields } = openReceiverExporter(receiver.url);
  const recordAll = (count: number) => {
    for (let sent = 0; sent < count; sent++) exporter.record({ sessions: ['a'], spans: () => [spanOf()] });
  };
  recordAll(250);
  expect(await exporter.flush()).toEqual(new Set());
  expect(receiver.requests).toHaveLength(3);
  isDown = true;
  recordAll(1_102);
  expect(fields).toEqual([
    { commits: 1, dropped: 1 },
    { commits: 1, dropped: 2 },
  ]);
});

it('a flush drops what a target that hangs leaves in the queue after 2 s', async () => {
  const receiver = await startOtlpReceiver(() => 'hang');
  const { exporter, fields } = openReceiverExporter(receiver.url);
  for (let count = 0; count < 350; count++) exporter.record({ sessions: ['a'], spans: () => [spanOf()] });
  expect(await exporter.flush()).toEqual(new Set(['a']));
  expect(fields).toEqual([
    { commits: 100, dropped: 100 },
    { commits: 150, dropped: 250 },
  ]);
});

it.each([0, 1])(
  'with the sample %s, a session that possibly lacks spans is reported only if it is sampled',
  async (sample) => {
    const receiver = await startOtlpReceiver();
    const { exporter } = openReceiverExporter(receiver.url, { sample });
    await exporter.exportMetrics({ startedAt: at, at, metrics: [] });
    exporter.suspect('a');
    expect((await exporter.flush()).size).toBe(sample);
  },
);

it('a target that speaks no TLS drops the spans', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url.replace('http:', 'https:'));
  expect(await isDropped(exporter)).toBe(true);
  expect(receiver.spans).toEqual([]);
});

it('text that is not UTF-8 does not break a request: half of a surrogate pair is replaced', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url);
  const name = 'a\ud800b\u0000"\n';
  await isDropped(exporter, spanOf({ name, attributes: { 'gen_ai.tool.name': name } }));
  const shown = 'a\ufffdb\u0000"\n';
  expect(receiver.spans).toMatchObject([{ name: shown, attributes: { 'gen_ai.tool.name': shown } }]);
});
