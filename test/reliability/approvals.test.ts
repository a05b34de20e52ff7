// Functions that die by SIGKILL during an approved call: its effect happens once.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { expectNoGaps } from '../support/expectations.ts';
import { LEASE_LEAP_MS, type Rig, startRig } from './rig.ts';
import { unverifiedCalls } from './soundness.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig(100);
});
afterAll(() => rig?.stop());
beforeEach(({ onTestFailed }) => {
  const begin = rig.output().length;
  onTestFailed(() => console.error(rig.output().slice(begin).join('\n')));
});

/** An investigation whose function dies while its approved call runs, when the other side has it. */
async function diesDuringOrder(chain: string) {
  const alert = rig.planAlert();
  const deaths = rig.deaths('runIteration');
  const gate = rig.gate();
  const sessionId = await rig.publish(alert, chain);
  const { traceparent } = alert;
  rig.arm('runIteration', {
    point: CRASH_POINTS.duringTool,
    traceparent,
    until: gate.path,
    leapMs: LEASE_LEAP_MS,
  });
  await rig.approve(sessionId);
  await expect.poll(() => rig.orders(sessionId)).toHaveLength(1);
  gate.open();
  await rig.died('runIteration', deaths);
  const run = await rig.ended(sessionId);
  expectNoGaps(run);
  expect(run.session).toMatchObject({ status: 'completed', failure: null });
  expect(rig.orders(sessionId)).toHaveLength(1);
  return { run, tools: rig.toolRuns(sessionId).map(({ tool }) => tool) };
}

it('a tool that honours the idempotency key is called again, and has its effect once', async () => {
  const { run, tools } = await diesDuringOrder('keyed-orderer');
  expect(tools).toEqual(['order_keyed', 'order_keyed']);
  expect(unverifiedCalls(run, '01-keyed-orderer')).toEqual([]);
});

it('a tool with a probe is asked for, and not called again', async () => {
  const { run, tools } = await diesDuringOrder('probed-orderer');
  expect(tools).toEqual(['order_probed', 'find_order']);
  expect(unverifiedCalls(run, '01-probed-orderer')).toEqual([]);
});

it('a tool with neither is not called again: its outcome is unknown in the timeline', async () => {
  const { run, tools } = await diesDuringOrder('orderer');
  expect(tools).toEqual(['order']);
  expect(unverifiedCalls(run, '01-orderer')).toMatchObject([
    { content: expect.stringContaining('Verify with a read-only call (cluster.look)') },
  ]);
});
