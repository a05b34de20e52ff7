// The traces of investigations: the spans that a receiver of OTLP gets while the system runs.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { putDocument, type Store } from '../../../shared/core/contract/store.ts';
import type { Telemetry } from '../../../shared/core/contract/telemetry.ts';
import { deriveTraceId } from '../../../shared/core/kernel/session/spanIds.ts';
import { documentsOfSession } from '../../../shared/features/telemetry/documentsOfSession.ts';
import { buildSpans } from '../../../shared/features/telemetry/spansOf.ts';
import { SWEEP_TELEMETRY } from '../../../shared/features/telemetry/sweepTelemetry.ts';
import { telemetryStore } from '../../../shared/features/telemetry/telemetryStore.ts';
import { executionType, paths, timelineEventType } from '../../../shared/lists/documents.ts';
import { IS_LONG } from '../../support/fullTests.ts';
import { type Bench, opened } from '../../support/harness.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlpReceiver.ts';
import { sampleAgent } from '../../support/samples.ts';
import { approve, openReceiverExporter, openTraced, runTraced } from '../../support/tracedBench.ts';
import { REGISTRY } from './registry.ts';

/** All spans of a session, derived from its stored documents. */
const storedSpans = async (
  sessionId: string,
  { store }: Bench['deps'],
  content: 'none' | 'masked' = 'none',
) => buildSpans(await documentsOfSession(sessionId, store), content);

/** The tree of spans: names, indented, by their start and name, because the clock of tests stands still. */
function treeOf(received: readonly ReceivedSpan[], parentSpanId = '', indent = ''): string[] {
  // A span that is exported twice is the same span.
  const spans = [...new Map(received.map((span) => [span.spanId, span])).values()];
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .toSorted((a, b) => a.startMs - b.startMs || (a.name < b.name ? -1 : 1))
    .flatMap((span) => [
      `${indent}${span.name}${span.status === 2 ? ' !' : ''}`,
      ...treeOf(spans, span.spanId, `${indent}  `),
    ]);
}

describe('the trace of an investigation', () => {
  it('is one tree with sub-agents, attempts, requests of MCP and waits, and equals that of the stored documents', async () => {
    const receiver = await startOtlpReceiver();
    const { exporter, warnings } = openReceiverExporter(receiver.url);
    const { sessionId, sent, deps } = await runTraced(exporter);
    expect(warnings).toEqual([]);
    expect(treeOf(receiver.spans)).toEqual([
      'invoke_workflow test',
      '  stage investigation',
      '    invoke_agent investigator',
      '      execute_tool ask_agent',
      '        invoke_agent logs',
      '          generate_content gemini-3.8-flash',
      '      generate_content gemini-3.8-flash',
      '      generate_content gemini-3.8-flash',
      '      generate_content gemini-3.8-pro !',
      '      execute_tool journal.order',
      '        tools/call order',
      '      generate_content gemini-3.8-flash',
    ]);
    const lead = receiver.spans.find(({ name }) => name === 'invoke_agent investigator');
    expect(lead?.events.map(({ attributes }) => attributes['inquest.wait.kind'])).toEqual([
      'child',
      'person',
    ]);
    expect(lead?.events[1]?.attributes['inquest.wait.seconds']).toBeGreaterThanOrEqual(90);
    const request = receiver.spans.find(({ name }) => name === 'tools/call order');
    expect(sent).toContain(`00-${deriveTraceId(sessionId)}-${request?.spanId}-01`);
    const ids = receiver.spans.map(({ spanId }) => spanId);
    expect(new Set(ids).size).toBe(ids.length);
    const stored = await storedSpans(sessionId, deps);
    expect(stored.map(({ spanId }) => spanId).toSorted()).toEqual(ids.toSorted());
    expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(receiver.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-type': 'application/x-protobuf',
    });
  });

  it('has only names of the registry of OpenTelemetry and of Inquest, and no content unless it is enabled', async () => {
    const receiver = await startOtlpReceiver();
    const { sessionId, deps } = await runTraced(openReceiverExporter(receiver.url).exporter);
    const names = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const foreign = [...names].filter(
      (name) => !name.startsWith('inquest.') && !REGISTRY.attributes.has(name),
    );
    expect(foreign).toEqual([]);
    const operations = receiver.spans.flatMap(({ attributes }) => attributes['gen_ai.operation.name'] ?? []);
    expect(operations.filter((name) => !REGISTRY.operations.has(String(name)))).toEqual([]);
    const providers = receiver.spans.flatMap(({ attributes }) => attributes['gen_ai.provider.name'] ?? []);
    expect(new Set(providers)).toEqual(new Set(['gcp.gemini']));
    expect(JSON.stringify(receiver.spans)).not.toContain('disk');
    const masked = await storedSpans(sessionId, deps, 'masked');
    expect(JSON.stringify(masked)).toContain('It was the disk.');
  });

  it('is the same for every subset of the documents, in every order, repeatedly', async () => {
    const receiver = await startOtlpReceiver();
    const { exporter } = openReceiverExporter(receiver.url);
    const bench = await runTraced(exporter);
    const whole = await storedSpans(bench.sessionId, bench.deps);
    const documents = await documentsOfSession(bench.sessionId, bench.deps.store);
    const byId = new Map(whole.map((span) => [span.spanId, span]));
    fc.assert(
      fc.property(fc.array(fc.nat(documents.length - 1), { maxLength: 60 }), (picks) => {
        const picked = picks.flatMap((index) => documents[index] ?? []);
        for (const span of buildSpans(picked)) expect(span).toEqual(byId.get(span.spanId));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a target that does not answer', () => {
  it.each([
    ['refuses', () => 503],
    ['hangs', () => 'hang' as const],
  ])('that %s delays no iteration by more than 2 s, loses no span and is counted', async (_, answer) => {
    let isDown = true;
    const receiver = await startOtlpReceiver(() => (isDown ? answer() : 200));
    const { exporter, warnings } = openReceiverExporter(receiver.url);
    const bench = await opened({
      inMemory: true,
      telemetry: exporter,
      script: { conversations: [{ turns: [{ text: 'It was the disk.' }] }] },
    });
    await bench.drain();
    const { session } = await bench.read(bench.sessionId);
    expect(session.status).toBe('completed');
    expect(receiver.spans).toEqual([]);
    expect(warnings.length).toBeGreaterThan(0);

    isDown = false;
    bench.deps.clock.advance(121_000);
    await SWEEP_TELEMETRY.run(bench.deps);
    expect(treeOf(receiver.spans)).toEqual([
      'invoke_workflow test',
      '  stage investigation',
      '    invoke_agent investigator',
      '      generate_content gemini-3.8-flash',
    ]);
    const exported = receiver.spans.length;
    bench.deps.clock.advance(121_000);
    await SWEEP_TELEMETRY.run(bench.deps);
    expect(receiver.spans).toHaveLength(exported);
  });
});

it('a sweep gives up a target after three refusals, and tries each session less and less often', async () => {
  let isDown = true;
  const receiver = await startOtlpReceiver(() => (isDown ? 403 : 200));
  const { exporter } = openReceiverExporter(receiver.url);
  const bench = await opened({
    inMemory: true,
    telemetry: exporter,
    script: { conversations: [{ turns: [{ text: 'It was the disk.' }] }] },
  });
  for (let count = 1; count < 5; count++) await bench.publishAlert({ title: `Alert ${count}` });
  await bench.drain();
  await bench.deps.finishTelemetry?.();
  const { clock } = bench.deps;
  let sent = receiver.requests.length;
  const refusals: number[] = [];
  for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
    clock.advance(300_000);
    await SWEEP_TELEMETRY.run(bench.deps);
    const traces = receiver.requests.slice(sent).filter(({ path }) => path === '/v1/traces');
    sent = receiver.requests.length;
    if (traces.length > 0) refusals.push(traces.length);
  }
  expect(Math.max(...refusals)).toBe(3);
  expect(refusals.length).toBeLessThan(20);
  isDown = false;
  clock.advance(48 * 3_600_000);
  await SWEEP_TELEMETRY.run(bench.deps);
  expect(receiver.spans.filter(({ name }) => name === 'invoke_workflow test')).toHaveLength(5);
});

it('a sweep exports a session of 2,000 results in requests that receivers accept', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url, { content: 'masked' });
  const bench = await runTraced(openReceiverExporter('http://127.0.0.1:9').exporter);
  const { store, clock } = bench.deps;
  const events = await store.list({ collection: paths.timeline(bench.sessionId) }, timelineEventType);
  const isOrder = ({ value }: (typeof events)[number]) =>
    value.eventType === 'tool_result' && value.metadata.toolName === 'journal.order';
  const result = events.find(isOrder)?.value;
  if (result === undefined) throw new Error('no result');
  for (let from = 1_000; from < 3_000; from += 200)
    await store.commit(
      Array.from({ length: 200 }, (_, index) => {
        const value = { ...result, sequenceNumber: from + index, content: 'x'.repeat(9_000) };
        return putDocument(
          `${paths.timeline(bench.sessionId)}/${result.executionId}.${from + index}`,
          timelineEventType,
          value,
        );
      }),
    );
  clock.advance(301_000);
  await SWEEP_TELEMETRY.run({ ...bench.deps, telemetry: exporter });
  const traces = receiver.requests.filter(({ path }) => path === '/v1/traces');
  expect(Math.max(...traces.map(({ bytes }) => bytes))).toBeLessThan(3_000_000);
  const whole = await storedSpans(bench.sessionId, bench.deps);
  expect(whole.length).toBeGreaterThan(2_000);
  expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).toBe(whole.length);
});

it('a call of a tool that does not exist has no request to a server, and its server is no attribute of metrics', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url);
  const toolCalls = ['made.up', `ev@il.${'x'.repeat(9_000)}`].map((name) => ({ name }));
  const bench = await opened({
    inMemory: true,
    telemetry: exporter,
    agent: { tools: ['ask_agent'], asks: [{ name: 'logs' }] },
    agents: { logs: sampleAgent({ name: 'logs', tools: [] }) },
    script: { conversations: [{ turns: [{ toolCalls }, { text: 'It was the disk.' }] }] },
  });
  await bench.drain();
  await bench.deps.finishTelemetry?.();
  const names = receiver.spans.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('execute_tool'))).toHaveLength(2);
  expect(names.filter((name) => name.startsWith('tools/call') || name.length > 250)).toEqual([]);
  bench.deps.clock.advance(121_000);
  await SWEEP_TELEMETRY.run(bench.deps);
  const points = receiver.exports.at(-1) ?? [];
  const calls = points.filter(({ name }) => name === 'inquest.calls' || name.startsWith('mcp.'));
  const attributes = { 'inquest.server': 'none', 'inquest.outcome': 'no_answer' };
  expect(calls).toMatchObject([{ name: 'inquest.calls', value: 2, attributes }]);
});

/** Each commit in the long tests, else some of them: each is an investigation of its own. */
const STEP = IS_LONG ? 1 : 5;

/**
 * Runs an investigation in processes of which one dies after the nth commit: nothing of it happens any more,
 * neither the export of what it committed nor an acknowledgement.
 * @param beforeSweep called when no message is left.
 * @returns whether there were as many commits.
 */
async function dyingAfter(
  count: number,
  bench: Bench,
  exporter: Telemetry,
  beforeSweep: () => Promise<void>,
): Promise<boolean> {
  let left = count;
  const { deps } = bench;
  const died = Promise.withResolvers<'died'>();
  const processOf = (isRedelivered: boolean): Bench['deps'] => {
    let isDead = false;
    const dying: Store = {
      ...deps.store,
      async commit(writes) {
        if (isDead) return new Promise<never>(() => {});
        const result = await deps.store.commit(writes);
        left -= result.ok ? 1 : 0;
        if (left !== 0 || !result.ok) return result;
        isDead = true;
        died.resolve('died');
        return new Promise<never>(() => {});
      },
    };
    const telemetry: Telemetry = {
      ...exporter,
      flush: () => (isDead ? new Promise(() => {}) : exporter.flush()),
    };
    const exporting = telemetryStore(dying, { ...deps, telemetry, isRedelivered });
    return { ...deps, store: exporting.store, telemetry, finishTelemetry: exporting.finish };
  };
  const deliverAll = async () => {
    for (let next = true; next; ) {
      const before = left;
      const delivered = bench.deliverNext(processOf(true)).then(
        () => true,
        (error: Error) => {
          if (error.message === 'nothing is left to deliver') return false;
          throw error;
        },
      );
      next = (await Promise.race([delivered, ...(left > 0 ? [died.promise] : [])])) !== false;
      if (before > 0 && left === 0) bench.revive();
    }
  };
  await deliverAll();
  deps.clock.advance(90_000);
  await Promise.race([approve(processOf(false)), ...(left > 0 ? [died.promise] : [])]);
  await deliverAll();
  await beforeSweep();
  // The sweep continues what no message continues.
  for (let runs = 0; runs < 4; runs++) {
    deps.clock.advance(301_000);
    await Promise.race([bench.tick(processOf(false)), ...(left > 0 ? [died.promise] : [])]);
    await deliverAll();
  }
  return left <= 0;
}

it('a process that dies after any commit leaves a gap that the sweep exports, and everything is counted once', async () => {
  let commits = 0;
  let missed = 0;
  for (let isReached = true; isReached; commits += STEP) {
    const receiver = await startOtlpReceiver();
    const { exporter } = openReceiverExporter(receiver.url);
    const bench = await openTraced();
    const missing = async () => {
      const ids = new Set(receiver.spans.map(({ spanId }) => spanId));
      const whole = await storedSpans(bench.sessionId, bench.deps);
      return whole.filter(({ spanId }) => !ids.has(spanId)).map(({ name }) => name);
    };
    isReached = await dyingAfter(commits + 1, bench, exporter, async () => {
      missed += (await missing()).length > 0 ? 1 : 0;
    });
    expect({ commits, missing: await missing() }).toEqual({ commits, missing: [] });
    const points = receiver.exports.at(-1) ?? [];
    const calls = points.filter(({ name }) => name === 'inquest.calls').map(({ value }) => value);
    const sessions = points.filter(({ name }) => name === 'inquest.sessions').map(({ value }) => value);
    expect({ commits, sessions, calls }).toEqual({ commits, sessions: [1], calls: [1, 1] });
  }
  expect(commits).toBeGreaterThan(20);
  expect(missed).toBeGreaterThan(0);
});

it('a request whose process dies after a commit with spans leaves a gap, which its end removes', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = openReceiverExporter(receiver.url);
  const bench = await openTraced();
  await bench.deliverNext();
  await bench.deliverNext();
  const { executions } = await bench.read(bench.sessionId);
  const [execution] = executions;
  if (execution === undefined) throw new Error('no execution');
  const ended = { ...execution, status: 'cancelled' as const, endedAt: bench.deps.clock.now(), due: {} };
  const ending = [putDocument(paths.execution(bench.sessionId, ended.executionId), executionType, ended)];
  const sweeping = { ...bench.deps, telemetry: exporter };
  for (const isDead of [false, true]) {
    const telemetry = isDead ? { ...exporter, record: () => {} } : exporter;
    const exporting = telemetryStore(bench.deps.store, { ...bench.deps, telemetry, isRedelivered: false });
    await exporting.store.commit(ending);
    if (!isDead) await exporting.finish();
    const sent = receiver.requests.length;
    bench.deps.clock.advance(121_000);
    await SWEEP_TELEMETRY.run(sweeping);
    const traces = receiver.requests.slice(sent).filter(({ path }) => path === '/v1/traces');
    expect(traces).toHaveLength(isDead ? 1 : 0);
    ended.endedAt = bench.deps.clock.now();
  }
});

it('a part of all traces is exported, the same in every process', async () => {
  const { exporter } = openReceiverExporter('http://127.0.0.1:9', { sample: 0.25 });
  const other = openReceiverExporter('http://127.0.0.1:9', { sample: 0.25 }).exporter;
  await new Promise((resolve) => setImmediate(resolve));
  const ids = Array.from({ length: 2_000 }, (_, index) => `session-${index}`);
  const sampled = ids.filter((id) => exporter.isSampled(id));
  expect(sampled.length).toBeGreaterThan(400);
  expect(sampled.length).toBeLessThan(600);
  expect(ids.filter((id) => other.isSampled(id))).toEqual(sampled);
});
