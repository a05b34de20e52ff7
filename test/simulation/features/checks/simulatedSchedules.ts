// Simulates checks: a schedule that people pause, resume and run, changes of a service that are reported more
// than once, and programs that request the same check again.

import type { ChangeChecks } from '../../../../shared/config/changeChecks.ts';
import type { Schedules } from '../../../../shared/config/schedulesFile.ts';
import { TOPICS } from '../../../../shared/core/contract/publisher.ts';
import type { SweepFeature } from '../../../../shared/core/kernel/feature/sweepFeature.ts';
import { DEFAULT_TENANT } from '../../../../shared/core/schema/session.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { changeSchedule } from '../../../../shared/features/checks/changeSchedule.ts';
import { alertKeyOfCheck } from '../../../../shared/features/checks/checkRequest.ts';
import { CHECKS } from '../../../../shared/features/checks/publishChecks.ts';
import { requestCheck } from '../../../../shared/features/checks/requestCheck.ts';
import { runSchedules } from '../../../../shared/features/checks/runSchedules.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';
import { perform } from '../chat/simulatedChat.ts';

/** The time between two checks of the schedule. */
export const RHYTHM_MS = 3 * MINUTE;
/** A check that could not start for longer is missed. */
export const START_WITHIN_MS = 5 * MINUTE;
/** The schedule is in the configuration for as long. */
const SCHEDULED_MS = 3 * RHYTHM_MS + MINUTE;
/** The delay of checks after changes. */
export const AFTER_CHANGE_MS = 2 * MINUTE;
/** Everything is requested by then: a very late commit comes half an hour later. */
const REQUESTED_MS = 45 * MINUTE;

const question = 'Are the disks full?';
const common = { chain: 'chain-1', question } as const;

/** The schedule. */
export const SCHEDULES: Schedules = {
  disks: {
    ...common,
    cron: '*/3 * * * *',
    timezone: 'UTC',
    labels: {},
    tenant: DEFAULT_TENANT,
    onlyIf: 'changed',
    startWithin: START_WITHIN_MS,
  },
};
/** The checks after changes. */
export const CHANGE_CHECKS: ChangeChecks = {
  rollouts: { ...common, kinds: ['deploy'], resources: ['service:web*'], after: AFTER_CHANGE_MS },
};

/** Seeds with checks, by the rest of a division by 37. */
const CHECKED_SEEDS = [11, 20, 30];

/** The plan of a seed with checks: about one of twenty. Nothing is drawn for it. */
export function withChecks(plan: FaultPlan, seed: number): FaultPlan {
  const isOther =
    plan.incidents !== null ||
    plan.sessionsPerHour !== null ||
    plan.tokens !== null ||
    plan.modelOutage !== null;
  if (!CHECKED_SEEDS.includes(seed % 37) || isOther || plan.big || plan.ledger) return plan;
  // Only the sweep requests checks. An unreadable check counts as ended; other runs have these.
  const checked = { ...plan, checks: true, sweep: true, sessions: 1, rollout: null };
  return { ...checked, migrateAfterMs: null, expireAfterMs: null, trees: false };
}

/** The features of the sweep for checks, at this time. */
export function checkFeatures({ plan, time }: World, startedAt: number): readonly SweepFeature[] {
  if (!plan.checks) return [];
  return time.now() - startedAt < SCHEDULED_MS ? [runSchedules(SCHEDULES), CHECKS] : [CHECKS];
}

/** The requests of a run, beside the times of its schedule. */
export interface RequestedChecks {
  /** When changes took effect, by title; null for undone or unchecked ones. */
  changes: Map<string, number | null>;
  /** The keys of programs, with the ids of the checks that they were given. */
  keys: Map<string, string[]>;
  /** Keys of the alerts of all checks that are not refused. */
  alertKeys(): string[];
  /** Whether all is requested, and every check has a session or is refused. */
  isOver(): boolean;
}

/** Requests checks at some times of a run. */
export function requestAtSomeTimes(cloud: Cloud, world: World, random: Random): RequestedChecks {
  const { time, plan, record } = world;
  const startedAt = time.now();
  const requested: RequestedChecks = {
    changes: new Map(),
    keys: new Map(),
    alertKeys: () =>
      [...record.checks.values()]
        .filter(({ state }) => state !== 'refused')
        .map(({ checkId }) => alertKeyOfCheck(checkId)),
    isOver: () =>
      !plan.checks ||
      (time.now() - startedAt > REQUESTED_MS &&
        [...record.checks.values()].every(({ state }) => state !== 'waiting')),
  };
  if (!plan.checks) return requested;
  for (let left = random.int(1, 2); left > 0; left--) {
    const title = `Version ${world.nextMark()}`;
    const [kind, service] = random.pick([
      ['deploy', 'web-1'],
      ['deploy', 'web-1'],
      ['deploy', 'db'],
      ['config', 'web-1'],
    ] as const);
    const statuses: readonly string[] = random.pick([
      ['done'],
      ['running', 'done'],
      ['attempted'],
      ['running'],
    ]);
    const isChecked = kind === 'deploy' && service === 'web-1' && statuses.includes('done');
    const tookEffectAt = startedAt + random.int(0, MINUTE);
    requested.changes.set(title, isChecked ? tookEffectAt : null);
    const at = new Date(tookEffectAt).toISOString();
    for (const [index, status] of statuses.entries())
      time.after(random.int(0, 2 * MINUTE) + index * 1_000, () => {
        cloud.publish(TOPICS.changes, { id: title, resource: service, title, kind, status, at }, {});
      });
  }
  for (let left = random.int(0, 2); left > 0; left--) {
    const key = world.nextMark();
    const ids: string[] = [];
    requested.keys.set(key, ids);
    const afterMs = random.pick([0, MINUTE]);
    const content = { title: `Check ${key}`, question, labels: {}, chain: 'chain-1' };
    const request = { tenantId: DEFAULT_TENANT, userId: null, by: 'a program', key, afterMs, content };
    for (let copy = random.int(1, 3); copy > 0; copy--)
      time.after(random.int(0, random.pick([100, 3 * MINUTE])), () =>
        perform('request', cloud, async (deps) => {
          const outcome = await requestCheck(request, deps);
          if (outcome.kind === 'key_reused')
            record.violations.push(`checks: ${key} is refused as another request`);
          else ids.push(outcome.check.checkId);
        }),
      );
  }
  for (let left = random.int(0, 4); left > 0; left--) {
    const act = random.pick(['pause', 'resume', 'resume', 'run'] as const);
    time.after(random.int(MINUTE, SCHEDULED_MS), () => {
      world.traceLine(`a person wants to ${act} the schedule`);
      perform('schedule', cloud, async (deps) => {
        await changeSchedule({ name: 'disks', act, by: 'ada', tenantId: DEFAULT_TENANT }, SCHEDULES, deps);
      });
    });
  }
  return requested;
}
