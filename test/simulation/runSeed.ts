// One run of the simulation, fully determined by its seed.

import { readWaitedBudgets } from '../../shared/alerts/schema/waitedBudgets.ts';
import type { FeatureDeps } from '../../shared/contract/featureDeps.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { createDocument } from '../../shared/core/contract/store.ts';
import type { CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { readPubsubEvent } from '../../shared/core/kernel/pubsubEvent.ts';
import type { SuccessPolicy } from '../../shared/core/schema/agent.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { startDeferred } from '../../shared/core/session/startDeferred.ts';
import { handleDeadLetter } from '../../shared/engine/handleDeadLetter.ts';
import { handleIteration } from '../../shared/engine/handleIteration.ts';
import { handleTick } from '../../shared/engine/handleTick.ts';
import { publishFaulty } from '../../shared/engine/testing/faultyQueue.ts';
import { createRandom } from '../../shared/engine/testing/random.ts';
import { createClock } from '../../shared/engine/testing/simulatedProcess.ts';
import { createVirtualTime } from '../../shared/engine/testing/virtualTime.ts';
import { publishLate } from '../../shared/features/deliveries/outbox/publishLate.ts';
import { removeThoughts } from '../../shared/features/interactions/removeThoughts.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { handleAlert } from '../../shared/lists/alertHandler.ts';
import { handleChange } from '../../shared/lists/changeHandler.ts';
import { paths, sweepMarkType } from '../../shared/lists/documents.ts';
import { FEATURES } from '../../shared/lists/iterationFeatures.ts';
import { PARTS } from '../../shared/lists/parts.ts';
import { SWEEP_FEATURES } from '../../shared/lists/sweepFeatures.ts';
import { createLogger } from '../../shared/log.ts';
import { createGuards } from '../../shared/masking/guards.ts';
import { DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { checkParts } from '../../shared/store/checkedParts.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { SIGNATURES } from '../support/signatures.ts';
import { noteAnnouncement } from './announceRule.ts';
import { drawPlan, type Fault, type FaultPlan, MINUTE } from './faults.ts';
import { decideAtSomeTime, repeatMessageNearItsTime } from './features/approvals/simulatedPeople.ts';
import { mentionAtSomeTimes, withMentions } from './features/ask/simulatedAsks.ts';
import { withTokens } from './features/budgets/tokenRule.ts';
import { askAtSomeTimes } from './features/chat/simulatedChat.ts';
import {
  CHANGE_CHECKS,
  checkFeatures,
  requestAtSomeTimes,
  withChecks,
} from './features/checks/simulatedSchedules.ts';
import { RULE_ALERT } from './features/claims/rulesRule.ts';
import { groupAtSomeTimes } from './features/correlation/simulatedGrouping.ts';
import { stormAtOnce, withRelated } from './features/correlation/simulatedRelated.ts';
import { strategyInFork } from './features/fork/forkedSessions.ts';
import { forkAtSomeTimes, withForks, withMessages } from './features/fork/simulatedForks.ts';
import { steerAtSomeTimes } from './features/guidance/simulatedSteering.ts';
import { checkFollowed } from './features/incidents/incidentRule.ts';
import { reportAtSomeTimes, type SimulatedReport } from './features/incidents/simulatedIncidents.ts';
import { withBackground } from './features/interactions/backgroundPlans.ts';
import { removerOf, simulatedBackground } from './features/interactions/simulatedBackground.ts';
import { checkThoughts, type ThoughtCounts } from './features/interactions/thoughtRule.ts';
import { watchAtSomeTimes } from './features/live/simulatedWatchers.ts';
import { runChecks, withProbes } from './features/outcomes/simulatedProbes.ts';
import { quotasOf, withQuota } from './features/quotas/quotaRule.ts';
import { pauseAtSomeTimes, withSystemPause } from './features/system/simulatedSystemPause.ts';
import { checkInvariants } from './invariants.ts';
import { expireSession, migrateAll } from './otherPrograms.ts';
import {
  withApprovals,
  withBudget,
  withChat,
  withClocks,
  withCollect,
  withCutOffCalls,
  withFallback,
  withIncidents,
  withLedger,
  withLostClaims,
  withModelOutage,
  withPolicy,
  withRareRaces,
  withRules,
  withSlowTools,
  withSteering,
  withStorm,
  withSummary,
  withTrees,
  withWatchers,
} from './planVariants.ts';
import { executionKey, type Invocation } from './record.ts';
import { drawScenario } from './scenario.ts';
import { type Cloud, createCloud, failpointOf } from './simulatedCloud.ts';
import { SimulatedBug, simulatedModel } from './simulatedModel.ts';
import { simulatedStore } from './simulatedStore.ts';
import { SIMULATED_SIZES, simulatedTools } from './simulatedTools.ts';
import { deployAtSomeTime } from './simulatedUpgrade.ts';
import { watchSweep } from './sweepRule.ts';
import type { TreeRow } from './treeMoments.ts';
import { noteDecisions } from './treeRows.ts';
import { createWorld, type World } from './world.ts';

const START = Date.UTC(2026, 0, 1);
/** The simulation has no destinations: a sweep for late messages only costs reads. */
const SWEPT = SWEEP_FEATURES.filter(({ run }) => run !== publishLate);

/** The longest duration of a run. The latest deadline and the longest back-off are well within. */
const LIMIT_MS = 24 * 60 * MINUTE;

/** Maximum events of a run, usually thousands; multiplying messages would never end. */
const MAX_EVENTS = 200_000;

/** The result of a run. */
export interface Run {
  seed: number;
  /** How the last session ended; `unfinished` when it did not, `deleted` when its documents were. */
  outcome: Session['status'] | 'unfinished' | 'deleted';
  violations: string[];
  faults: Map<Fault, number>;
  kills: Map<CrashPoint, number>;
  killsAtFallback: Set<CrashPoint>;
  /** The moments of trees that were seen. */
  rows: Set<TreeRow>;
  /** When its stages have completed. */
  successPolicy: SuccessPolicy;
  modelCalls: number;
  /** What happened to its questions in the background. */
  thoughts: ThoughtCounts;
  toolRuns: number;
  iterations: number;
  deadLetters: number;
  trace: string[];
}

/**
 * Runs one seed to its end and checks all invariants.
 * @param change the plan that is run instead of the one that the seed draws. Default: none.
 */
export async function runSeed(
  seed: number,
  change: (plan: FaultPlan) => FaultPlan = (plan) => plan,
): Promise<Run> {
  const random = createRandom(seed);
  const approved = withApprovals(withRareRaces(drawPlan(random), seed), createRandom(-seed));
  const drawn = withSteering(withCutOffCalls(approved, seed), seed);
  const kind = withSummary(withPolicy(withFallback(withBudget(drawn, seed), seed), seed), seed);
  const asking = withWatchers(
    withChat(withModelOutage(withSlowTools(withCollect(kind, seed), seed), seed), seed),
    seed,
  );
  const treed = withClocks(withTrees(withIncidents(asking, seed), seed), seed);
  const stormy = treed.modelOutage === null ? withStorm(treed, seed) : treed;
  const kept = withLedger(withSystemPause(withTokens(stormy, seed), seed), seed);
  const losing = withLostClaims(
    withQuota(withRelated(withChecks(withProbes(kept, seed), seed), seed), seed),
    seed,
  );
  const plan = change(withBackground(withForks(withMentions(withRules(losing, seed), seed), seed), seed));
  const scenario = drawScenario(random, plan);
  const time = createVirtualTime(START);
  const store = checkParts(
    createMemoryStore(() => new Date(time.now())),
    PARTS,
  );
  const world = createWorld({ time, random, plan, store });
  // The sweep ran for long: without a mark it would list every session.
  const started = new Date(START);
  const mark = { completedAt: started, listedAt: started, expireAt: new Date(START + LIMIT_MS) };
  await store.commit([createDocument(paths.sweepMark, sweepMarkType, mark)]);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  // A deployment may change the rules of masking, and with them the id of a session that is opened again.
  const ownRule = { kind: 'product', pattern: 'Disk', ignoreCase: false };
  const maskers = [createGuards({}), createGuards({ rules: { ...DEFAULT_MASKING, rules: [ownRule] } })];

  let holders = 0;
  // Nonces and keys are part of what tokens are estimated from.
  const bytes = createRandom(seed + 7_000_000);
  const depsOf = (by: Invocation): RuntimeDeps & FeatureDeps => {
    const state = composeState({
      store: simulatedStore(by, world),
      announce: noteAnnouncement(world.announcements),
      publisher: {
        publish: (topic, data, attributes) =>
          publish(by, () => cloud.publish(topic, data, attributes).id, attributes, world),
        warm() {},
        close: () => Promise.resolve(),
      },
      clock: createClock(by.process, world),
      log,
      failpoint: (point) => {
        if (point === plan.cancelAtPoint) cancelOnce();
        return failpointOf(by, world)(point);
      },
    });
    const strategyOf = (id: string) =>
      strategyInFork(by, world.record) ??
      scenario.strategyOf(id, world.record.executions.get(executionKey(by))?.value.agentName);
    return {
      ...state,
      llm: simulatedModel(by, strategyOf, world),
      ...(plan.background && { background: simulatedBackground(by, strategyOf, () => cloud, world) }),
      agents: scenario.configFor('').askable,
      connectTools: simulatedTools(by, world),
      maskerFor: maskers[by.id % 2] ?? createGuards({}),
      agentCache: by.process.agentCache,
      featureCaches: by.process.featureCaches,
      pauseCache: by.process.pauseCache,
      quotas: quotasOf(by.process, plan, scenario.models),
      resultSizes: SIMULATED_SIZES,
      conversations: by.process.conversations,
      random: () => random.int(0, 999) / 1_000,
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => bytes.int(0, 255))),
      newId: () => `${by.process.name}-${++holders}`,
      ...SIGNATURES,
    };
  };
  const handlers = {
    [TOPICS.alerts]: async (event: unknown, deps: RuntimeDeps) => {
      const read = readPubsubEvent(event);
      const messageId = read.ok ? read.message.messageId : '';
      await handleAlert(event, withMessages(scenario.configFor(messageId), plan), deps);
      await checkFollowed(messageId, reported, world);
    },
    [TOPICS.iterations]: (event: unknown, deps: RuntimeDeps) =>
      handleIteration(event, { ...deps, features: FEATURES }),
    [TOPICS.iterationsDead]: handleDeadLetter,
    [TOPICS.changes]: (event: unknown, deps: RuntimeDeps) =>
      handleChange(event, { ...deps, changeChecks: CHANGE_CHECKS }),
    // Its sessions have no destinations; test/deliveries simulates those.
    [TOPICS.deliveries]: () => Promise.reject(new SimulatedBug('a message for no destination')),
  };
  const reported: SimulatedReport[] = [];
  const cloud: Cloud = createCloud(handlers, depsOf, world);

  if (plan.incidents !== null)
    reportAtSomeTimes(scenario.chains, plan, cloud, world, createRandom(seed + 3_000_000), reported);
  const grouping = groupAtSomeTimes(scenario.chains[0] ?? '', cloud, world, createRandom(seed + 11_000_000));
  const isStorm = plan.related && plan.grouped === null;
  const related = isStorm
    ? stormAtOnce(scenario.chains[0] ?? '', cloud, world, createRandom(seed + 10_000_000))
    : [];
  const keys =
    plan.incidents !== null || plan.related
      ? () => [...reported, ...related, ...grouping.alerts].map(({ key }) => key ?? '')
      : constant(
          scenario.chains.map((chain) => {
            const alert = cloud.publish(
              TOPICS.alerts,
              { title: 'Disk full', ...(plan.rules && RULE_ALERT) },
              { chain },
            );
            return deriveAlertKey({ messageId: alert.id, data: alert.data });
          }),
        );
  const requested = requestAtSomeTimes(cloud, world, createRandom(seed + 9_000_000));
  const mentions = mentionAtSomeTimes(cloud, world, createRandom(seed + 12_000_000));
  const forks = forkAtSomeTimes(scenario.configFor(''), cloud, world, createRandom(seed + 13_000_000));
  const allKeys = () => [
    ...keys(),
    ...grouping.splitKeys(),
    ...requested.alertKeys(),
    ...mentions.alertKeys(),
  ];
  const sessionIds = () => [
    ...new Set(allKeys().flatMap((key) => world.record.alertKeys.get(key) ?? [])),
    ...forks.sessionIds(),
  ];
  // The first one is cancelled, and expires; the others must not notice.
  const firstSession = () => world.record.alertKeys.get(keys()[0] ?? '') ?? 'not-opened-yet';
  if (plan.migrateAfterMs !== null) {
    time.after(plan.migrateAfterMs, () =>
      cloud.invoke('migrate', (_, deps) => migrateAll(deps, world), undefined),
    );
  }
  if (plan.expireAfterMs !== null) time.after(plan.expireAfterMs, () => expireSession(firstSession, world));
  let sweeps = plan.sweep;
  const sweepEveryMinute = () => {
    const tick = (_: unknown, deps: RuntimeDeps) => {
      const check = watchSweep(deps.clock, world);
      const own = plan.background ? [removeThoughts(removerOf(deps as RuntimeDeps & FeatureDeps))] : [];
      return handleTick(deps, [...SWEPT, ...checkFeatures(world, START), ...own]).then(check);
    };
    const sweepOnce = () => cloud.invoke('sweep', tick, undefined);
    everyMinute(() => {
      if (!sweeps) return;
      if (world.drawFault('sweep_doubled')) sweepOnce();
      sweepOnce();
    }, world);
  };
  if (plan.sweep) sweepEveryMinute();
  let cancelled: string | null = null;
  const cancel = (_: unknown, deps: RuntimeDeps) => {
    const sessionId = firstSession();
    return cancelSession(sessionId, deps, { by: 'a person', reason: null }).then((outcome) => {
      if (outcome.kind !== 'cancelled') return;
      cancelled = sessionId;
      const status = world.record.sessions.get(sessionId)?.status;
      if (!world.record.expired.has(sessionId) && (status === undefined || !isTerminal(status)))
        world.record.violations.push(`I1: reported as cancelled, but still ${status}`);
    });
  };
  let isCancelRequested = false;
  const cancelOnce = () => {
    if (isCancelRequested) return;
    isCancelRequested = true;
    const count = world.drawFault('cancel_doubled') ? 3 : 1;
    for (let copy = 1; copy <= count; copy++) {
      time.after(world.drawMs(0, 20), () => cloud.invoke('cancel', cancel, undefined));
    }
  };
  if (plan.cancelAfterMs !== null) time.after(plan.cancelAfterMs, cancelOnce);

  world.onApproval = (approval) => {
    if (plan.cancelAtApproval) cancelOnce();
    decideAtSomeTime(approval, cloud, world);
    repeatMessageNearItsTime(approval, cloud, world);
  };
  steerAtSomeTimes(sessionIds, cloud, world, createRandom(seed + 1_000_000));
  pauseAtSomeTimes(cloud, world, createRandom(seed + 5_000_000));
  const isDeployed = deployAtSomeTime(cloud, world, createRandom(seed + 8_000_000));
  watchAtSomeTimes(sessionIds, cloud, world, createRandom(seed + 4_000_000));
  const isNobodyAsking = askAtSomeTimes(sessionIds, cloud, world, createRandom(seed + 2_000_000));
  let isStartDue = plan.startDeferredAfterMs !== null;
  if (plan.startDeferredAfterMs !== null) {
    // A very late commit may start it half an hour after it was asked for.
    time.after(plan.startDeferredAfterMs + 35 * MINUTE, () => {
      isStartDue = false;
    });
    time.after(plan.startDeferredAfterMs, () => {
      const id = sessionIds().find((one) => world.record.sessions.get(one)?.status === 'deferred');
      if (id === undefined) return;
      const start = (_: unknown, deps: RuntimeDeps) => startDeferred(id, deps).then(() => undefined);
      for (let copy = 1; copy <= 2; copy++) cloud.invoke('start-deferred', start, undefined);
    });
  }

  // Run until sessions end and messages settle, then on: late copies must change nothing.
  const hasEnded = () =>
    !isStartDue &&
    isDeployed() &&
    isNobodyAsking() &&
    requested.isOver() &&
    mentions.isOver() &&
    forks.isOver() &&
    grouping.isOver() &&
    allKeys().every((key) => world.record.alertKeys.has(key)) &&
    sessionIds().every(
      (id) => world.record.expired.has(id) || isOver(world.record.sessions.get(id), plan.sweep),
    ) &&
    cloud.isQuiet();
  const isOverLimit = () => time.events() > MAX_EVENTS;
  await time.runUntil(() => isOverLimit() || hasEnded(), START + LIMIT_MS);
  // Who cannot read an open session leaves it to the sweep; other runs need it only then.
  if (!plan.sweep && world.record.unreadableProblems && !hasEnded() && !isOverLimit()) {
    sweeps = true;
    sweepEveryMinute();
    await time.runUntil(() => isOverLimit() || hasEnded(), START + LIMIT_MS);
  }
  // Copies may come hours later; until then a sweep finds nothing.
  sweeps = false;
  await time.runUntil(() => isOverLimit() || cloud.isSilent(), START + LIMIT_MS);
  const isSettled = () => isOverLimit() || cloud.isQuiet();
  const sweeping = (isOn: boolean) => {
    sweeps = isOn;
  };
  await runChecks(world, cloud, sweeping, isSettled);
  sweeps = plan.sweep;
  // The sweep looks after what is left at the model, at the latest after some minutes.
  if (plan.background) world.faultsUntil = 0;
  await time.runUntil(isOverLimit, time.now() + (plan.background ? 12 : 2) * MINUTE);
  if (isOverLimit())
    world.record.violations.push(
      `limits: the run has ${time.events()} events and ${cloud.messages.length} messages`,
    );

  noteDecisions(world);
  await checkInvariants(
    {
      // Of an incident as many as it may have.
      alerts:
        plan.incidents === null && !plan.related
          ? allKeys().length + forks.sessionIds().length
          : sessionIds().length,
      sessionIds: sessionIds(),
      reported,
      related,
      grouping,
      requested,
      mentions,
      forks,
      cancelled,
      // Five agents that keep a ledger share so few calls that their iterations can run out.
      peaceful: plan.peaceful && plan.grouped === null && !(plan.ledger && plan.big),
      startedAt: START,
      deadLetters: cloud.deadLetters,
      deadLetterDeliveries: cloud.deadLetterDeliveries,
      refused: cloud.refused(),
      published: cloud.messages.filter(({ topic }) => topic === TOPICS.iterations).length,
    },
    world,
  );
  const thoughts = checkThoughts(world, (rule, detail) => world.record.violations.push(`${rule}: ${detail}`));
  const { activities, commits, violations, trace } = world.record;
  return {
    seed,
    outcome: outcomeOf(sessionIds().at(-1) ?? '', world),
    violations: [...new Set(violations)],
    faults: world.faults,
    kills: world.kills,
    killsAtFallback: world.killsAtFallback,
    rows: world.rows,
    successPolicy: plan.successPolicy,
    modelCalls: activities.filter(({ kind }) => kind === 'model').length,
    thoughts,
    toolRuns: activities.filter(({ kind }) => kind === 'tool').length,
    iterations: commits.flatMap(({ writes }) => writes.filter(({ path }) => path.includes('/interactions/')))
      .length,
    deadLetters: cloud.deadLetters,
    trace,
  };
}

function outcomeOf(sessionId: string, { record }: World): Run['outcome'] {
  if (record.expired.has(sessionId)) return 'deleted';
  const session = record.sessions.get(sessionId);
  return session !== undefined && isOver(session, false) ? session.status : 'unfinished';
}

/** Whether nothing more happens without a user. The sweep starts what waits for a budget. */
function isOver(session: Session | undefined, isSwept: boolean): boolean {
  if (session === undefined || session.openStage !== null) return false;
  if (session.status === 'deferred')
    return session.deferral?.until == null && (readWaitedBudgets(session) === null || !isSwept);
  return isTerminal(session.status);
}

const constant =
  <T>(value: T) =>
  (): T =>
    value;

function everyMinute(action: () => void, world: World): void {
  const tick = () => {
    world.time.after(MINUTE, tick);
    action();
  };
  world.time.after(MINUTE, tick);
}

async function publish(
  by: Invocation,
  accept: () => string,
  about: Partial<Record<'sessionId' | 'executionId', string>>,
  world: World,
): Promise<string> {
  const { process } = by;
  const { executionId } = about;
  const key = executionKey(about);
  const known = world.record.executions.get(key);
  if (known !== undefined) {
    const { iteration, notBefore } = known.value;
    const claimed = world.record.claims.get(`${key}.${iteration}`) ?? Number.POSITIVE_INFINITY;
    if (known.value.status === 'waiting' && known.at < by.startedAt)
      world.record.violations.push(`waits: ${process.name} #${by.id} publishes ${executionId}, which waits`);
    if (known.value.status === 'waiting' && known.by === by)
      world.record.violations.push(
        `waits: ${process.name} #${by.id} publishes ${executionId}, which it made wait`,
      );
    // The sweep cannot know about pending messages, a dead letter may have been the last message, and each
    // webhook has the answer read.
    const mayRepeat = ['sweep', 'buryIteration', 'resume', 'webhook'].includes(by.target);
    if (!mayRepeat && claimed < by.startedAt)
      world.record.violations.push(
        `outbox: ${process.name} #${by.id} publishes iteration ${iteration} of ${executionId} once more, which was claimed before`,
      );
    const pausedMs = (notBefore?.getTime() ?? 0) - world.time.now() - process.maxSkewMs;
    const isOwn = by.target === 'buryIteration' && by.iteration === iteration;
    if (isOwn && known.at < by.startedAt && pausedMs > 0)
      world.record.violations.push(
        `dead letters: ${process.name} #${by.id} publishes ${executionId}, which pauses for another ${pausedMs} ms`,
      );
  }
  const pause = world.record.pauses.get(known?.value.sessionId ?? '');
  if (
    by.target === 'sweep' &&
    // The messages of a stage that it advances, and of a call that it settles, are acked like any other.
    (known?.value.publishedIteration ?? 0) > 0 &&
    // So is that of a parent whose child it finds settled by another process.
    known?.value.children === 0 &&
    known?.by !== by &&
    pause !== undefined &&
    pause.from < by.startedAt &&
    pause.to >= world.time.now()
  )
    world.record.violations.push(
      `pauses: ${process.name} #${by.id} publishes ${executionId}, whose session is paused`,
    );
  if (['sweep', 'resume', 'webhook'].includes(by.target)) world.record.published.bySweep++;
  return await publishFaulty(process, accept, world, (isLost) => {
    if (executionId !== undefined) world.record.published.lastAt.set(key, world.time.now());
    countUnmarked(by, key, isLost, world);
  });
}

/** Counts a message that was published again by a process that does not come to mark it. */
function countUnmarked(by: Invocation, key: string, isLost: boolean, { record }: World): void {
  const { process, unmarked } = by;
  const count = () => {
    if (unmarked.delete(key)) record.published.unmarked++;
  };
  if (isLost || !process.alive) count();
  else process.onDeath.push(count);
}
