// The traces of investigations: the spans that a receiver of OTLP gets while the system runs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Telemetry } from '../../shared/contract/telemetry.ts';
import { decideApproval } from '../../shared/runtime/features/approval/decideApproval.ts';
import { documentsOfSession, EXPORT_MISSING } from '../../shared/runtime/features/telemetry/exportMissing.ts';
import { spansOf } from '../../shared/runtime/features/telemetry/spansOf.ts';
import { traceIdOf } from '../../shared/runtime/kernel/session/spanIds.ts';
import { listApprovals } from '../../shared/runtime/views/listApprovals.ts';
import { spanEncoder } from '../../shared/telemetry/encodeSpans.ts';
import { createExporter } from '../../shared/telemetry/exporter.ts';
import { type Bench, opened } from '../support/harness.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlpReceiver.ts';
import { sampleAgent } from '../support/samples.ts';
import { REGISTRY } from '../telemetry/registry.ts';
import { startJournalServer } from '../tools/httpServer.ts';

const exporterTo = (url: string, sample = 1) => {
  const warnings: string[] = [];
  const exporter = createExporter({
    load: async () => ({
      targets: [{ url, headers: async () => ({ authorization: 'Bearer token' }) }],
      content: 'none',
      sample,
      encode: spanEncoder({ 'service.name': 'inquest' }),
    }),
    traceIdOf,
    warn: (_, message) => warnings.push(message),
  });
  return { exporter, warnings };
};

/** All spans of a session, derived from its stored documents. */
const storedSpans = async (
  sessionId: string,
  { store }: Bench['deps'],
  content: 'none' | 'masked' = 'none',
) => spansOf(await documentsOfSession(sessionId, store), content);

const google = (model: string) => ({ provider: 'google', model, includeThoughts: true });

/** An investigation whose agent asks another one, falls back to another model, and calls a tool that a person approves. */
async function investigated(telemetry: Telemetry): Promise<Bench & { sessionId: string; sent: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-telemetry-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'journal'), '');
  const journal = await startJournalServer(join(folder, 'journal'));
  onTestFinished(() => journal.close());
  const bench = await opened({
    inMemory: true,
    telemetry,
    deadlineMs: 40 * 60_000,
    agent: {
      instructions: 'You lead.',
      tools: ['ask_agent', 'journal'],
      asks: [{ name: 'logs' }],
      model: google('gemini-3.8-pro'),
      fallback: [google('gemini-3.8-flash')],
    },
    agents: { logs: sampleAgent({ name: 'logs', instructions: 'You are the helper.', tools: [] }) },
    servers: {
      journal: {
        transport: 'http',
        url: journal.url,
        tools: { order: { approval: 'required' }, change: { approval: 'none' } },
      },
    },
    script: {
      conversations: [
        {
          name: 'lead',
          when: 'You lead.',
          turns: [
            {
              failures: [{ status: 429, quotaId: 'RequestsPerDay' }],
              toolCalls: [{ name: 'ask_agent', args: { agent_name: 'logs', input_text: 'Why?' } }],
            },
            { toolCalls: [{ name: 'journal.order', args: { to: 1 } }] },
            { text: 'It was the disk.' },
          ],
        },
        { name: 'logs', when: 'You are the helper.', turns: [{ text: 'The disk is full.' }] },
      ],
    },
  });
  const sent: string[] = [];
  const { connectTools } = bench.deps;
  bench.deps.connectTools = async (...given) => {
    const tools = await connectTools(...given);
    return {
      ...tools,
      execute(call, options) {
        sent.push(options.traceparent ?? '');
        return tools.execute(call, options);
      },
    };
  };
  await bench.drain();
  bench.deps.clock.advance(90_000);
  const [waiting] = await listApprovals(bench.deps.store, bench.deps.clock.now());
  if (waiting === undefined) throw new Error('no call waits for approval');
  await decideApproval(waiting.approvalId, { verdict: 'approved', by: 'jane', reason: null }, bench.deps);
  await bench.drain();
  await bench.deps.finishTelemetry?.();
  return { ...bench, sent };
}

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
    const { exporter, warnings } = exporterTo(receiver.url);
    const { sessionId, sent, deps } = await investigated(exporter);
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
    expect(sent).toContain(`00-${traceIdOf(sessionId)}-${request?.spanId}-01`);
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
    const { sessionId, deps } = await investigated(exporterTo(receiver.url).exporter);
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
    const { exporter } = exporterTo(receiver.url);
    const bench = await investigated(exporter);
    const whole = await storedSpans(bench.sessionId, bench.deps);
    const documents = await documentsOfSession(bench.sessionId, bench.deps.store);
    const byId = new Map(whole.map((span) => [span.spanId, span]));
    fc.assert(
      fc.property(fc.array(fc.nat(documents.length - 1), { maxLength: 60 }), (picks) => {
        const picked = picks.flatMap((index) => documents[index] ?? []);
        for (const span of spansOf(picked)) expect(span).toEqual(byId.get(span.spanId));
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
    const { exporter, warnings } = exporterTo(receiver.url);
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
    await EXPORT_MISSING.run(bench.deps);
    expect(treeOf(receiver.spans)).toEqual([
      'invoke_workflow test',
      '  stage investigation',
      '    invoke_agent investigator',
      '      generate_content gemini-3.8-flash',
    ]);
    const exported = receiver.spans.length;
    bench.deps.clock.advance(121_000);
    await EXPORT_MISSING.run(bench.deps);
    expect(receiver.spans).toHaveLength(exported);
  });
});

it('a process that dies after the end of a session leaves a gap, which the sweep exports', async () => {
  const receiver = await startOtlpReceiver();
  const { exporter } = exporterTo(receiver.url);
  const bench = await opened({
    inMemory: true,
    telemetry: { ...exporter, record: () => {} },
    script: { conversations: [{ turns: [{ text: 'It was the disk.' }] }] },
  });
  delete bench.deps.finishTelemetry;
  await bench.drain();
  expect(receiver.spans).toEqual([]);
  bench.deps.clock.advance(121_000);
  await EXPORT_MISSING.run({ ...bench.deps, telemetry: exporter });
  expect(receiver.spans).toHaveLength(4);
});

it('a part of all traces is exported, the same in every process', async () => {
  const { exporter } = exporterTo('http://127.0.0.1:9', 0.25);
  const other = exporterTo('http://127.0.0.1:9', 0.25).exporter;
  await new Promise((resolve) => setImmediate(resolve));
  const ids = Array.from({ length: 2_000 }, (_, index) => `session-${index}`);
  const sampled = ids.filter((id) => exporter.isSampled(id));
  expect(sampled.length).toBeGreaterThan(400);
  expect(sampled.length).toBeLessThan(600);
  expect(ids.filter((id) => other.isSampled(id))).toEqual(sampled);
});
