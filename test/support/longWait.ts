// An investigation whose call waits 25 hours for its approval, because the installation is paused meanwhile.

import { expect } from 'vitest';
import type { ToolSource } from '../../shared/core/contract/tools.ts';
import { decideApproval } from '../../shared/kits/approvals/decideApproval.ts';
import { pauseSystem } from '../../shared/kits/steering/pauseSystem.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { expectNoGaps, listToolResults } from './expectations.ts';
import { opened } from './harness.ts';

const HOUR_MS = 3_600_000;

/** Settings of a server whose tool `say` needs an approval. */
export const SAY_NEEDS_APPROVAL = {
  access: 'write' as const,
  readOnly: [],
  trustHints: false,
  tools: { say: { approval: 'required' as const } },
};

/**
 * Runs an investigation that calls `guarded.say` with an approval after 25 hours.
 * @param sourcesAt makes the sources with the clock of the investigation, in milliseconds.
 * @param onWait called when the call waits.
 * @returns the result of the call.
 */
export async function callAfter25Hours(
  sourcesAt: (now: () => number) => Promise<ToolSource[]>,
  onWait: () => void = () => {},
) {
  const bench = await opened({
    inMemory: true,
    deadlineMs: HOUR_MS,
    retentionMs: 100 * HOUR_MS,
    agent: { tools: ['guarded.say'] },
    script: {
      conversations: [{ turns: [{ toolCalls: [{ name: 'guarded.say', args: {} }] }, { text: 'Done.' }] }],
    },
  });
  const { clock, store } = bench.deps;
  bench.deps.connectTools = createToolConnector(await sourcesAt(() => clock.now().getTime()), {
    warn: () => {},
  });
  await bench.deliverNext();
  const [approval] = await listApprovals(store, clock.now());
  expect(approval).toMatchObject({ toolName: 'guarded.say' });
  onWait();
  await pauseSystem({ by: 'ada', forMs: 24 * HOUR_MS }, bench.deps);
  clock.advance(23 * HOUR_MS);
  await pauseSystem({ by: 'ada', forMs: 2 * HOUR_MS }, bench.deps);
  clock.advance(2 * HOUR_MS);
  await bench.tick();
  const verdict = { verdict: 'approved' as const, by: 'jane', reason: null };
  const decided = await decideApproval(approval?.approvalId ?? '', verdict, bench.deps);
  expect(decided).toMatchObject({ kind: 'decided' });
  await bench.drain();
  const run = await bench.read(bench.sessionId);
  expectNoGaps(run);
  expect(run.session.status).toBe('completed');
  const results = listToolResults(run);
  expect(results).toHaveLength(1);
  return results[0];
}
