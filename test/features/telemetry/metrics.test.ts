// The metrics of an installation: what a receiver of OTLP gets from the sweep while the system runs.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { putDocument, type Store } from '../../../shared/core/contract/store.ts';
import type { Telemetry } from '../../../shared/core/contract/telemetry.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import {
  addMeasurements,
  MAX_SERIES,
  METRICS,
  type Measurement,
} from '../../../shared/features/telemetry/metrics.ts';
import { SWEEP_TELEMETRY } from '../../../shared/features/telemetry/sweepTelemetry.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { metricTotalsType, paths, sessionType, telemetryGapType } from '../../../shared/lists/documents.ts';
import { type Bench, opened, startBench } from '../../support/harness.ts';
import { type ReceivedPoint, startOtlpReceiver } from '../../support/otlpReceiver.ts';
import { sampleSession } from '../../support/samples.ts';
import { openReceiverExporter, runTraced } from '../../support/tracedBench.ts';
import { REGISTRY } from './registry.ts';

const FLASH = 'generate_content gcp.gemini gemini-3.8-flash';
/** The most that the push requests of one subscription carry: 3,000 of three minutes each. */
const SESSIONS_A_MINUTE = 1_000;
const DUE = { collectionId: 'telemetry', field: 'dueAt', limit: 10 };

/** An investigation of one call. @param options.isConfirmed: exports its end. Default: true. */
async function finished(
  telemetry: Telemetry,
  { isConfirmed = true } = {},
): Promise<Bench & { sessionId: string }> {
  const bench = await opened({
    inMemory: true,
    chat: { tools: [] },
    telemetry: isConfirmed ? telemetry : { ...telemetry, record: () => {} },
    script: { conversations: [{ turns: [{ text: 'It was the disk.' }, { text: 'Then it was full.' }] }] },
  });
  if (!isConfirmed) delete bench.deps.finishTelemetry;
  await bench.drain();
  await bench.deps.finishTelemetry?.();
  return { ...bench, deps: { ...bench.deps, telemetry } };
}

/** The latest points, by their name and the values of their attributes. */
const byName = (points: readonly ReceivedPoint[] = []): Record<string, number> =>
  Object.fromEntries(
    points.map(({ name, attributes, value, count }) => [
      [name, ...Object.values(attributes)].join(' '),
      count ?? value,
    ]),
  );

/** Sweeps two minutes later, when every gap is due. */
async function sweep({ deps }: Pick<Bench, 'deps'>, changes: Partial<Bench['deps']> = {}): Promise<void> {
  deps.clock.advance(121_000);
  await SWEEP_TELEMETRY.run({ ...deps, ...changes });
}

const totals = async ({ store }: Pick<Bench['deps'], 'store'>) =>
  (await store.get(paths.metricTotals, metricTotalsType))?.value;

describe('the metrics of an investigation', () => {
  it('count sessions, durations, tokens, costs, calls and waiting approvals, with the names of the registry', async () => {
    const receiver = await startOtlpReceiver();
    const bench = await runTraced(openReceiverExporter(receiver.url).exporter, async (waiting) => {
      await sweep(waiting);
      expect(byName(receiver.exports.at(-1))).toEqual({ 'inquest.approvals.waiting': 1 });
    });
    await sweep(bench);
    const points = receiver.exports.at(-1) ?? [];
    const { session } = await bench.read(bench.sessionId);
    const { input, output, thinking } = session.tokens;
    const flash = 'generate_content gcp.gemini gemini-3.8-flash';
    expect(byName(points)).toEqual({
      'inquest.sessions completed not_checked investigation': 1,
      'gen_ai.invoke_workflow.duration test completed': 1,
      'gen_ai.invoke_agent.duration investigator': 1,
      'gen_ai.invoke_agent.duration logs': 1,
      [`gen_ai.client.inference.duration ${flash}`]: 4,
      'gen_ai.client.inference.duration generate_content gcp.gemini gemini-3.8-pro MODEL_QUOTA': 1,
      [`gen_ai.client.inference.usage.input_tokens ${flash} unknown`]: input,
      [`gen_ai.client.inference.usage.output_tokens ${flash} unknown`]: output + thinking,
      'inquest.cost.unpriced_calls generate_content gcp.gemini gemini-3.8-pro': 1,
      [`inquest.cost.unpriced_calls ${flash}`]: session.cost.unpricedCalls - 1,
      'inquest.calls built_in ok': 1,
      'inquest.calls journal ok': 1,
      'mcp.client.operation.duration tools/call journal': 1,
      'inquest.approvals.waiting': 0,
    });
    const workflow = points.find(({ name }) => name === 'gen_ai.invoke_workflow.duration');
    const seconds = ((session.endedAt?.getTime() ?? 0) - session.createdAt.getTime()) / 1000;
    expect(workflow).toMatchObject({ value: seconds, unit: 's', kind: 'histogram', cumulative: true });
    expect(workflow?.bounds).toEqual(METRICS['gen_ai.invoke_workflow.duration'].bounds);
    expect(workflow?.buckets).toHaveLength((workflow?.bounds ?? []).length + 1);
    expect(workflow?.buckets?.[workflow.bounds?.findIndex((bound) => seconds <= bound) ?? -1]).toBe(1);
    for (const { kind, cumulative, startMs, timeMs } of points.filter((point) => point.kind !== 'gauge')) {
      expect({ kind, cumulative }).toEqual({ kind, cumulative: true });
      expect(startMs).toBeLessThan(timeMs);
    }
    for (const { startMs } of points.filter((point) => point.kind === 'gauge')) expect(startMs).toBe(0);
    const named = points.flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)]);
    const foreign = named.filter(
      (name) => !name.startsWith('inquest.') && !REGISTRY.attributes.has(name) && !REGISTRY.metrics.has(name),
    );
    expect(foreign).toEqual([]);
    // No name of a session, a tenant or a person, and no text.
    expect(JSON.stringify(points)).not.toMatch(/disk|jane|default|demo-/);
  });

  it('count the questions about a session that has ended, each once', async () => {
    const receiver = await startOtlpReceiver();
    const bench = await finished(openReceiverExporter(receiver.url).exporter);
    await sweep(bench);
    await askQuestion(bench.sessionId, { text: 'And then?', by: 'jane' }, bench.deps);
    await bench.drain();
    await bench.deps.finishTelemetry?.();
    await sweep(bench);
    await sweep(bench);
    const { session } = await bench.read(bench.sessionId);
    expect(byName(receiver.exports.at(-1))).toMatchObject({
      'inquest.sessions completed not_checked investigation': 1,
      'gen_ai.invoke_agent.duration investigator': 1,
      'gen_ai.invoke_agent.duration chat': 1,
      [`gen_ai.client.inference.usage.input_tokens ${FLASH} unknown`]: session.tokens.input,
    });
  });

  it('are kept without an exporter, and while only traces are exported nothing is sent', async () => {
    const receiver = await startOtlpReceiver();
    const bench = await finished(openReceiverExporter(receiver.url, { signals: ['traces'] }).exporter);
    await sweep(bench);
    expect(receiver.requests.map(({ path }) => path)).not.toContain('/v1/metrics');
    expect((await totals(bench.deps))?.series.length).toBeGreaterThan(0);
  });

  it('are counted for sessions whose traces are not sampled, and for sampled ones that no process confirmed', async () => {
    const receiver = await startOtlpReceiver();
    for (const sample of [0, 1]) {
      const { exporter } = openReceiverExporter(receiver.url, { sample });
      await exporter.exportMetrics({ startedAt: new Date(), at: new Date(), metrics: [] });
      const bench = await finished(exporter, { isConfirmed: sample === 0 });
      expect(receiver.spans).toEqual([]);
      await sweep(bench);
      expect(receiver.spans.length > 0).toBe(sample === 1);
      expect(byName(receiver.exports.at(-1))['inquest.sessions completed not_checked investigation']).toBe(1);
    }
  });
});

describe('each session is counted once', () => {
  it('although sweeps repeat, run at the same time, die after the commit, or miss its outcome', async () => {
    const receiver = await startOtlpReceiver();
    const { exporter } = openReceiverExporter(receiver.url);
    const bench = await finished(exporter);
    const { deps } = bench;
    const dying = { ...exporter, exportMetrics: () => Promise.reject(new Error('the process died')) };
    const unsure: Store = {
      ...deps.store,
      async commit(writes) {
        await deps.store.commit(writes);
        throw new RetryableError('STORE_UNAVAILABLE', 'the outcome is unknown');
      },
    };
    const lost: Store = {
      ...deps.store,
      commit: () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'nothing was written')),
    };
    await sweep(bench, { store: lost });
    expect(await totals(deps)).toBeUndefined();
    await Promise.all([sweep(bench), sweep(bench), sweep(bench)]);
    await expect(sweep(bench, { telemetry: dying })).rejects.toThrow('the process died');
    const [first] = (await totals(deps))?.series ?? [];
    expect(first).toMatchObject({ metric: 'inquest.sessions', value: 1 });

    await bench.publishAlert({ title: 'Again' });
    await bench.drain();
    await deps.finishTelemetry?.();
    await sweep(bench, { store: unsure });
    // Another process: only the stored totals continue.
    await sweep(bench, { telemetry: openReceiverExporter(receiver.url).exporter });
    const last = receiver.exports.at(-1) ?? [];
    expect(byName(last)['inquest.sessions completed not_checked investigation']).toBe(2);
    const starts = receiver.exports.flat().filter(({ kind }) => kind !== 'gauge');
    expect(new Set(starts.map(({ startMs }) => startMs)).size).toBe(1);
    expect((await totals(deps))?.startedAt.getTime()).toBe(starts[0]?.startMs);
  });

  it('although another sweep counts more while this one commits', async () => {
    const receiver = await startOtlpReceiver();
    const bench = await finished(openReceiverExporter(receiver.url).exporter);
    const { deps } = bench;
    let isFirst = true;
    const slow: Store = {
      ...deps.store,
      async commit(writes) {
        if (isFirst) {
          isFirst = false;
          await bench.publishAlert({ title: 'Again' });
          await bench.drain();
          await deps.finishTelemetry?.();
          await sweep(bench);
        }
        return deps.store.commit(writes);
      },
    };
    await sweep(bench, { store: slow });
    await sweep(bench);
    expect(byName(receiver.exports.at(-1))['inquest.sessions completed not_checked investigation']).toBe(2);
  });

  it('although a later batch marks it again, and a session that cannot be read does not stop the others', async () => {
    const receiver = await startOtlpReceiver();
    const bench = await finished(openReceiverExporter(receiver.url).exporter);
    await sweep(bench);
    const { session } = await bench.read(bench.sessionId);
    const again = { ...session, endedAt: bench.deps.clock.now() };
    await bench.deps.store.commit([putDocument(paths.session(bench.sessionId), sessionType, again)]);
    const broken = { sessionId: 'broken', status: 'completed', schemaVersion: sessionType.version };
    await bench.deps.store.commit([putDocument(paths.session('broken'), rawDocumentType, broken)]);
    const gap = { sessionId: 'broken', reason: 'ended' as const, isExported: true, counted: null };
    const times = { dueAt: new Date(0), createdAt: new Date(0), expireAt: session.expireAt };
    const marked = putDocument(paths.telemetryGap('broken', 'ended'), telemetryGapType, { ...gap, ...times });
    await bench.deps.store.commit([marked]);
    await sweep(bench);
    expect(byName(receiver.exports.at(-1))['inquest.sessions completed not_checked investigation']).toBe(1);
    const left = await bench.deps.store
      .findByTime({ ...DUE, to: new Date(8e15) })
      [Symbol.asyncIterator]()
      .next();
    expect(left.value).toBeUndefined();
  });
});

it('a run counts the sessions that an installation ends in a minute, in ten writes of the totals', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter: telemetry } = openReceiverExporter(receiver.url);
  const script = { conversations: [{ turns: [{ text: 'It was the disk.' }] }] };
  const { deps } = await startBench({ inMemory: true, telemetry, script });
  const { store, clock } = deps;
  for (let n = 0; n < SESSIONS_A_MINUTE; n++) {
    const session = sampleSession({ sessionId: `ended-${n}`, status: 'completed', openStage: null });
    const { sessionId, expireAt } = session;
    const gap = { sessionId, reason: 'ended' as const, isExported: true, counted: null };
    const times = { dueAt: clock.now(), createdAt: clock.now(), expireAt };
    await store.commit([
      putDocument(paths.session(sessionId), sessionType, session),
      putDocument(paths.telemetryGap(sessionId, 'ended'), telemetryGapType, { ...gap, ...times }),
    ]);
  }
  let writes = 0;
  const counting: Store = {
    ...store,
    commit(batch) {
      writes += batch.filter(({ path }) => path === paths.metricTotals).length;
      return store.commit(batch);
    },
  };
  await sweep({ deps }, { store: counting });
  const ended = (await totals(deps))?.series.filter(({ metric }) => metric === 'inquest.sessions');
  expect(ended?.map(({ value }) => value)).toEqual([SESSIONS_A_MINUTE]);
  expect(writes).toBeLessThanOrEqual(10);
});

describe('the totals', () => {
  const value = fc.record({
    metric: fc.constantFrom('inquest.calls', 'mcp.client.operation.duration'),
    attributes: fc.record({ 'inquest.server': fc.nat(300).map(String) }),
    value: fc.double({ min: 0, max: 1_000, noNaN: true }).map((one) => Math.round(one * 1e3) / 1e3),
  });

  it('are the sums of all values, in whichever portions they are added, with at most 100 series of a metric and one more', () => {
    fc.assert(
      fc.property(fc.array(fc.array(value, { maxLength: 60 }), { maxLength: 12 }), (portions) => {
        const series = portions.reduce(addMeasurements, []);
        const all = portions.flat() as Measurement[];
        for (const metric of ['inquest.calls', 'mcp.client.operation.duration']) {
          const own = series.filter((one) => one.metric === metric);
          const values = all.filter((one) => one.metric === metric);
          expect(own.length).toBeLessThanOrEqual(MAX_SERIES + 1);
          const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
          expect(sum(own.map((one) => one.value))).toBeCloseTo(sum(values.map((one) => one.value)), 6);
          if (metric !== 'inquest.calls')
            expect(sum(own.flatMap(({ counts }) => counts))).toBe(values.length);
        }
        expect(addMeasurements([], all)).toHaveLength(series.length);
      }),
      { numRuns: 100 },
    );
  });

  it('fit into a document with all series of all metrics', () => {
    const attributes = (n: number) => ({
      'gen_ai.request.model': `${n}`.padEnd(120, 'm'),
      'gen_ai.provider.name': 'gcp.gemini',
    });
    const all = Object.keys(METRICS).flatMap((metric) =>
      Array.from({ length: MAX_SERIES + 50 }, (_, n) => ({ metric, attributes: attributes(n), value: n })),
    );
    expect(JSON.stringify(addMeasurements([], all)).length).toBeLessThan(900_000);
  });
});
