// The exporter and its targets, at the wire: refusals, pauses, partial success, TLS and hostile text.

import { describe, expect, it } from 'vitest';
import { partialSuccess, startOtlpReceiver } from '../../test/support/otlpReceiver.ts';
import { exporterTo } from '../../test/support/tracedBench.ts';
import type { Span } from '../contract/telemetry.ts';

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
type Exporter = ReturnType<typeof exporterTo>['exporter'];
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
      const { exporter, warnings } = exporterTo(receiver.url);
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
      const { exporter, warnings } = exporterTo(receiver.url);
      expect(await isDropped(exporter)).toBe(true);
      expect(await isDropped(exporter)).toBe(true);
      await exporter.exportMetrics({ startedAt: at, at, metrics: [] });
      expect(receiver.requests).toHaveLength(1);
      expect(warnings.at(-1)).toContain('asked for a pause');
    },
  );

  it.each(['soon', '-5', '', '0'])('with the Retry-After %o delays nothing', async (retryAfter) => {
    const receiver = await startOtlpReceiver(() => ({ status: 503, headers: { 'retry-after': retryAfter } }));
    const { exporter } = exporterTo(receiver.url);
    await isDropped(exporter);
    await isDropped(exporter);
    expect(receiver.requests).toHaveLength(2);
  });

  it('that accepts a part is a success: the rejected spans are in the log, and are not sent again', async () => {
    const body = partialSuccess(2, `no quota ${'x'.repeat(1_000)}`);
    const receiver = await startOtlpReceiver(() => ({ status: 200, body }));
    const { exporter, warnings, fields } = exporterTo(receiver.url);
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
    const { exporter, warnings } = exporterTo(receiver.url);
    expect(await isDropped(exporter)).toBe(false);
    expect(warnings).toEqual([]);
  });
});

it('a target that speaks no TLS drops the spans', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = exporterTo(receiver.url.replace('http:', 'https:'));
  expect(await isDropped(exporter)).toBe(true);
  expect(receiver.spans).toEqual([]);
});

it('text that is no UTF-8 does not spoil a request: half of a surrogate pair is replaced', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = exporterTo(receiver.url);
  const name = 'a\ud800b\u0000"\n';
  await isDropped(exporter, spanOf({ name, attributes: { 'gen_ai.tool.name': name } }));
  const shown = 'a\ufffdb\u0000"\n';
  expect(receiver.spans).toMatchObject([{ name: shown, attributes: { 'gen_ai.tool.name': shown } }]);
});
