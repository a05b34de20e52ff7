// Messages that cannot be handled at all, on Pub/Sub over the wire: one whose function dies at every
// delivery, and garbage. Neither may keep other investigations from their end, and of both something must be
// left to read.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FunctionName } from '../../functions/manifest.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { replaceDocument } from '../../shared/core/contract/store.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { MAX_CLAIMS } from '../../shared/core/rescue/buryIteration.ts';
import { executionType, paths } from '../../shared/lists/documents.ts';
import { listErrorCodes, listEventTypes } from '../support/expectations.ts';
import { readRejected } from '../support/harness.ts';
import { type Rig, startRig } from './rig.ts';
import { expectSound, timesAsked } from './soundness.ts';

/** The least Pub/Sub allows. */
const DELIVERIES = 5;
const WALKER = '01-walker';

let rig: Rig;

beforeAll(async () => {
  rig = await startRig(DELIVERIES);
});

afterAll(async () => {
  await rig?.stop();
});

beforeEach(({ onTestFailed }) => {
  const begin = rig.output().length;
  onTestFailed(() => console.error(rig.output().slice(begin).join('\n')));
});

it('an iteration that kills its function at every delivery ends its session, and no other', async () => {
  // No sweep publishes more copies of the message.
  rig.sweeps(false);
  const alert = rig.planAlert();
  const { traceparent } = alert;
  const gate = rig.gate();
  rig.arm('runIteration', {
    point: CRASH_POINTS.afterLoad,
    times: DELIVERIES,
    traceparent,
    executionId: WALKER,
    alone: true,
    until: gate.path,
  });
  // Its burial meets a death as well.
  rig.arm('buryIteration', { point: CRASH_POINTS.beforeEnding, traceparent });
  const poisoned = await rig.publish(alert, 'walk');
  await rig.died('runIteration', 0);

  const healthy = await rig.publish(rig.planAlert(), 'investigate');
  const other = await rig.ended(healthy);
  expect(other.session).toMatchObject({ status: 'completed', failure: null });
  expectSound(rig, other, 0);
  expect((await rig.read(poisoned)).session.status).toBe('in_progress');

  // It counts as claimed as often as it can be: waiting for the leases to run out would take minutes.
  const walker = await rig.store.get(paths.execution(poisoned, WALKER), executionType);
  if (walker === undefined) throw new Error('the execution is missing');
  const claimed = { ...walker.value, claims: MAX_CLAIMS };
  await rig.store.commit([replaceDocument(walker.path, executionType, claimed, walker.version)]);

  gate.open();
  const run = await rig.ended(poisoned);
  const failure = {
    code: 'DELIVERY_EXHAUSTED',
    message: expect.stringMatching(
      /^Iteration 1 was claimed 8 times, started 0 times and never finished; all 5 deliveries/,
    ),
  };
  expect(run.session).toMatchObject({ status: 'failed', failure, finalAnalysis: null });
  expect(run.execution).toMatchObject({ status: 'failed', failure, iteration: 1 });
  expect(listEventTypes(run)).toEqual(['error failed']);
  expect(listErrorCodes(run)).toEqual(['DELIVERY_EXHAUSTED']);
  expect(timesAsked(rig, poisoned)).toEqual({});
  expectSound(rig, run, DELIVERIES);
  const kill = { name: 'runIteration', point: CRASH_POINTS.afterLoad, executionId: WALKER };
  expect(rig.kills()).toEqual([
    ...Array.from({ length: DELIVERIES }, () => kill),
    { name: 'buryIteration', point: CRASH_POINTS.beforeEnding, executionId: WALKER },
  ]);
});

it('garbage is recorded once for each message, and not delivered again', async () => {
  const valid = { schemaVersion: 1, sessionId: 'nobody', executionId: WALKER, iteration: 1 };
  const garbage: [string, string][] = [
    ['{"iteration"', 'MESSAGE_MALFORMED'],
    [JSON.stringify({ ...valid, iteration: 0 }), 'MESSAGE_MALFORMED'],
    [JSON.stringify({ ...valid, schemaVersion: 99 }), 'MESSAGE_SCHEMA_UNKNOWN'],
    [JSON.stringify(valid), 'EXECUTION_UNKNOWN'],
  ];
  const expected: { function: FunctionName; messageId: string; code: string; excerpt: string }[] = [];
  for (const [excerpt, code] of garbage) {
    const data = Buffer.from(excerpt);
    const messageId = await rig.publishRaw(TOPICS.iterations, data);
    expected.push({ function: 'runIteration', messageId, code, excerpt });
    const deadMessageId = await rig.publishRaw(TOPICS.iterationsDead, data);
    expected.push({ function: 'buryIteration', messageId: deadMessageId, code, excerpt });
  }
  const recorded = async () => {
    const all = await readRejected(rig.store);
    return all.map(({ function: name, messageId, failure, excerpt }) => ({
      function: name,
      messageId,
      code: failure.code,
      excerpt,
    }));
  };
  await expect.poll(async () => (await recorded()).length).toBe(expected.length);
  // A message that was not acked would be back after a second.
  await sleep(2_500);
  expect(await recorded()).toHaveLength(expected.length);
  expect(await recorded()).toEqual(expect.arrayContaining(expected));
  for (const { function: name, messageId } of expected) {
    const handled = rig.lines(name).filter((line) => line.includes(`"messageId":"${messageId}"`));
    expect(handled, `${name}: ${handled.join('\n')}`).toHaveLength(1);
  }
});
