// An investigation with all kinds of spans, and an exporter for it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Telemetry } from '../../shared/core/contract/telemetry.ts';
import { deriveTraceId } from '../../shared/core/kernel/session/spanIds.ts';
import { decideApproval } from '../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { encodeMetrics } from '../../shared/telemetry/encodeMetrics.ts';
import { encodeSpans } from '../../shared/telemetry/encodeSpans.ts';
import { createExporter, type ExporterSettings } from '../../shared/telemetry/exporter.ts';
import { startJournalServer } from '../tools/httpServer.ts';
import { type Bench, opened } from './harness.ts';
import { sampleAgent } from './samples.ts';

/** An exporter to a receiver, and its warnings. */
export const openReceiverExporter = (
  url: string,
  changes: Partial<Pick<ExporterSettings, 'sample' | 'signals' | 'content'>> = {},
) => {
  const warnings: string[] = [];
  const fields: object[] = [];
  const exporter = createExporter({
    load: async () => ({
      targets: [{ url, headers: async () => ({ authorization: 'Bearer token' }) }],
      content: 'none',
      sample: 1,
      encode: (spans) => encodeSpans({ 'service.name': 'inquest' }, spans),
      encodeMetrics: (snapshot) => encodeMetrics({ 'service.name': 'inquest' }, snapshot),
      ...changes,
    }),
    traceIdOf: deriveTraceId,
    warn(given, message) {
      fields.push(given);
      warnings.push(message);
    },
  });
  return { exporter, warnings, fields };
};

const google = (model: string) => ({ provider: 'google', model, includeThoughts: true });

/** An investigation with an asked agent, a fallback model, and an approved tool. */
export async function openTraced(telemetry?: Telemetry): Promise<Bench & { sessionId: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-telemetry-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'journal'), '');
  const journal = await startJournalServer(join(folder, 'journal'));
  onTestFinished(() => journal.close());
  return opened({
    inMemory: true,
    ...(telemetry && { telemetry }),
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
}

/**
 * Runs the investigation of `openTraced` to its end.
 * @param whileWaiting called before the person decides.
 */
export async function runTraced(
  telemetry: Telemetry,
  whileWaiting: (bench: Bench) => Promise<void> = async () => {},
): Promise<Bench & { sessionId: string; sent: string[] }> {
  const bench = await openTraced(telemetry);
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
  await whileWaiting(bench);
  await approve(bench.deps);
  await bench.drain();
  await bench.deps.finishTelemetry?.();
  return { ...bench, sent };
}

/** Approves the call that waits. @throws Error if none does. */
export async function approve(deps: Bench['deps']): Promise<void> {
  const [waiting] = await listApprovals(deps.store, deps.clock.now());
  if (waiting === undefined) throw new Error('no call waits for approval');
  await decideApproval(waiting.approvalId, { verdict: 'approved', by: 'jane', reason: null }, deps);
}
