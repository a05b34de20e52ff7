// Causes of messages in a run: sessions' starts, steps, ends, outcomes; rejected alerts.

import { notifyPart } from '../../../../shared/config/notified.ts';
import { ALL_ON } from '../../../../shared/contract/switches.ts';
import {
  createDocument,
  putDocument,
  replaceDocument,
  type Store,
  type Write,
} from '../../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../../shared/core/errors.ts';
import type { PubsubMessage } from '../../../../shared/core/kernel/pubsubEvent.ts';
import type { Failure } from '../../../../shared/core/schema/common.ts';
import { NO_PARTS, withPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { storeRejectedFate } from '../../../../shared/features/alertFates/feature.ts';
import type { Outcome, OutcomeValue, Probe } from '../../../../shared/kits/alerts/outcome.ts';
import { rejectedFeatures } from '../../../../shared/lists/alertHandler.ts';
import {
  approvalType,
  destinationStateType,
  incidentType,
  outcomeType,
  paths,
  sessionType,
  stageType,
} from '../../../../shared/lists/documents.ts';
import { createMaskers } from '../../../../shared/masking/maskers.ts';
import { utcHour } from '../../../../shared/text/utcPeriod.ts';
import { composeState } from '../../../../shared/wiring/composeState.ts';
import { outboxStore } from '../../../support/outboxStore.ts';
import { sampleApproval, sampleIncident, sampleSession, sampleStage } from '../../../support/samples.ts';
import { die, START, TEAM, unreliableStore, type World } from './deliveryWorld.ts';

const maskerFor = createMaskers({ known: [] });
const HOUR = 3_600_000;
const MINUTE = 60_000;
/** First messages of an hour, as shared/features/deliveries/messageGroups.ts has them. */
const MAX_ROOTS = 20;

const titleOf = (revision: number): string => `state ${String(revision).padStart(3, '0')}`;

/** The values that the checks of a session find; none without probes. */
const FOUND: readonly [OutcomeValue[], ...OutcomeValue[][]] = [
  [],
  ['held', 'held'],
  ['unknown', 'held'],
  ['unknown', 'unknown'],
  ['self_resolved', 'recurred'],
];

const PROBE: Probe = {
  id: 'a.p1',
  executionId: '01-agent',
  tool: 'pods.memory',
  arguments: '{}',
  action: null,
  find: 'memory at',
  is: 'below',
  value: '400Mi',
};

/** In a storm, most first messages of this hour are taken by other sessions. */
export async function fillHour({ store, random, plan, time }: World): Promise<void> {
  if (plan.grouping !== 'storm') return;
  const state = {
    destination: TEAM,
    refusals: 0,
    closedUntil: null,
    failure: null,
    hour: utcHour(new Date(time.now())),
    roots: MAX_ROOTS - random.int(0, 2),
    expireAt: new Date(START + 100 * HOUR),
  };
  await store.commit([createDocument(paths.destination(TEAM), destinationStateType, state)]);
}

/** Alerts that cannot be read arrive for some hours. */
export function rejectAlerts(world: World): void {
  const { time, random, plan } = world;
  if (plan.grouping !== 'rejected') return;
  const digestMs = random.pick([null, null, HOUR]);
  world.rejected = random.int(1, 12);
  world.unsettled += world.rejected;
  for (let index = 0; index < world.rejected; index++) {
    const at = random.int(1_000, random.pick([MINUTE, 2 * HOUR]));
    const code = random.pick(['ALERT_INVALID' as const, 'CONFIG_UNKNOWN_CHAIN' as const]);
    const publishedAt = new Date(START + at);
    const rest = { attributes: {}, publishedAt, traceparent: null, deliveryAttempt: null };
    const message = { messageId: `alert-${index}`, data: Buffer.from('{'), ...rest };
    time.after(at, () => void rejectAlert(message, code, digestMs, world, 0));
  }
}

/** Stores the fate of one, as `ingestAlert` does at each delivery. */
async function rejectAlert(
  message: PubsubMessage,
  code: Failure['code'],
  digestMs: number | null,
  world: World,
  failures: number,
): Promise<void> {
  const { time, random, plan, logger, publisher } = world;
  const notify = () => [{ to: TEAM, when: ['rejected' as const], digestMs }];
  const deps = composeState({
    clock: world.newClock(),
    publisher,
    log: logger,
    maskerFor,
    store: unreliableStore(world),
  });
  try {
    const failure = { code, message: 'It cannot be read.' };
    const rejected = { config: { notify, defaultChain: 'chain' }, features: rejectedFeatures(ALL_ON) };
    const follows = await storeRejectedFate(message, message, failure, rejected, deps);
    world.unsettled -= 1;
    if (random.chance(plan.faults / 10)) return void die(world);
    for (const follow of follows) await follow();
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    const again = () => void rejectAlert(message, code, digestMs, world, failures + 1);
    time.after(10_000 * 2 ** Math.min(failures, 5), again);
  }
}

/** A session opens, moves on some times, may ask for an approval, and ends. */
export async function liveSession(sessionId: string, world: World): Promise<void> {
  const { time, random } = world;
  // Each batch is stored by another process.
  const clock = { now: () => world.newClock().now() };
  const writer = outboxStore(world.store, { ...world, clock, log: world.logger });
  const notify = [
    {
      to: TEAM,
      when: ['opened', 'approval', 'ended', 'failed', 'resolved', 'outcome'],
      digestMs: world.plan.grouping === 'digest' ? HOUR : null,
    },
  ];
  const session = sampleSession({
    sessionId,
    ...withPart(notifyPart, NO_PARTS, { notify }),
    title: titleOf(0),
    expireAt: new Date(START + 100 * HOUR),
  });
  const stage = sampleStage({ sessionId });
  world.titles.set(sessionId, titleOf(0));
  await writer.commit([
    createDocument(paths.session(sessionId), sessionType, session),
    createDocument(paths.stage(sessionId, stage.stageId), stageType, stage),
  ]);
  let at = 0;
  const then = (action: () => Promise<void>) => {
    at += random.int(1_000, random.pick([15_000, 120_000]));
    time.after(at, () => void action());
  };
  for (let index = 2; index < 2 + random.int(0, 5); index++)
    then(() => changeSession(sessionId, world, writer, {}, index));
  if (random.chance(0.6)) {
    const approval = sampleApproval({ sessionId, approvalId: `approval-${sessionId}`, status: 'pending' });
    const path = paths.approval(approval.approvalId);
    then(async () => void (await writer.commit([createDocument(path, approvalType, approval)])));
    then(async () => {
      const stored = await writer.get(path, approvalType);
      if (stored === undefined) return;
      const decided = { ...approval, status: 'approved', decidedBy: 'jane' } as const;
      await writer.commit([replaceDocument(path, approvalType, decided, stored.version)]);
    });
  }
  then(() =>
    changeSession(sessionId, world, writer, { status: 'completed', endedAt: new Date(time.now()) }, null),
  );
  await checkOutcomes(sessionId, world, writer);
  await reportProblem(sessionId, world, writer);
}

/** The source resolves the problem of a session some times, and it fires again in between. */
async function reportProblem(sessionId: string, world: World, writer: Store): Promise<void> {
  const { time, random } = world;
  const key = `problem-${sessionId}`;
  const path = paths.incident(key);
  const alert = { source: 'json', identity: key };
  await writer.commit([createDocument(path, incidentType, sampleIncident({ sessionId, ...alert }))]);
  const reports = random.int(0, 4);
  world.unsettled += reports;
  let at = 0;
  for (let report = 0; report < reports; report++) {
    at += random.int(1_000, random.pick([20_000, 40 * MINUTE]));
    const isFiring = report % 2 === 1;
    time.after(at, () => void changeProblem(sessionId, path, isFiring, world, writer));
  }
}

/** Stores a report with a new state of the session, so that the first message shows whether it was edited. */
async function changeProblem(
  sessionId: string,
  path: string,
  firing: boolean,
  world: World,
  writer: Store,
): Promise<void> {
  const incident = await writer.get(path, incidentType);
  if (incident === undefined) throw new Error(`the problem of ${sessionId} is gone`);
  const now = new Date(world.time.now());
  const change = firing ? { firing, firesSince: now, firingAt: now } : { firing, resolvedAt: now };
  await changeSession(sessionId, world, writer, {}, null, [
    replaceDocument(path, incidentType, { ...incident.value, ...change }, incident.version),
  ]);
  world.unsettled -= 1;
}

/** The checks of an outcome find the values one after the other. */
async function checkOutcomes(sessionId: string, world: World, writer: Store): Promise<void> {
  const { time, random } = world;
  const values = random.pick(FOUND);
  world.found.set(sessionId, values);
  world.unsettled += values.length;
  const path = paths.outcome(sessionId);
  for (const [index, value] of values.entries()) {
    const dueAt = index === values.length - 1 ? null : new Date(START + HOUR);
    const store = async () => {
      const now = new Date(time.now());
      const checks = (await writer.get(path, outcomeType))?.value.checks ?? [];
      const check = { stageId: null, startedAt: now, endedAt: now, results: [] };
      const outcome: Outcome = {
        sessionId,
        probes: [PROBE],
        checks: [...checks, check],
        value,
        reason: 'It says so.',
        dueAt,
        expireAt: new Date(START + 100 * HOUR),
        createdAt: now,
      };
      const { ok } = await writer.commit([putDocument(path, outcomeType, outcome)]);
      if (!ok) world.broken.push(`the outcome ${value} of ${sessionId} is not stored`);
      world.unsettled -= 1;
    };
    time.after(30 * MINUTE * (index + 1) + random.int(1, 5 * MINUTE), () => void store());
  }
}

/** @param stage the position of the stage that starts; null for none. */
async function changeSession(
  sessionId: string,
  world: World,
  writer: Store,
  change: Partial<Session>,
  stage: number | null,
  others: readonly Write[] = [],
): Promise<void> {
  const stored = await writer.get(paths.session(sessionId), sessionType);
  if (stored === undefined) return;
  world.revision += 1;
  world.titles.set(sessionId, titleOf(world.revision));
  if (change.status === 'completed') world.results.set(sessionId, titleOf(world.revision));
  const changed: Session = { ...stored.value, ...change, title: titleOf(world.revision) };
  const started = stage === null ? [] : [sampleStage({ sessionId, index: stage, stageId: `0${stage}-next` })];
  const result = await writer.commit([
    replaceDocument(paths.session(sessionId), sessionType, changed, stored.version),
    ...started.map((one) => createDocument(paths.stage(sessionId, one.stageId), stageType, one)),
    ...others,
  ]);
  if (!result.ok) throw new Error(`the session was not changed: ${result.reason}`);
}
