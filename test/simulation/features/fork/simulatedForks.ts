// Simulates requests for forks: while a session runs or after its end, with recorded and live tools, of forks
// as well. Each is repeated until it is answered, and can come twice at once.

import type { Config } from '../../../../shared/config/config.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { type ForkOutcome, openFork } from '../../../../shared/features/fork/openFork.ts';
import { FORK_TOOLS } from '../../../../shared/schema/forkPart.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';
import { perform } from '../chat/simulatedChat.ts';
import { forkOf } from './forkedSessions.ts';

/** Seeds with forks, by the rest of a division by 47: none that notices other faults. */
const FORK_SEEDS = [27, 33, 40, 45];
/** A request that was not answered is repeated after this time. */
const RETRY_MS = 30_000;
/** How often a person looks whether a session has an event to fork it at, and until when. */
const LOOK_EVERY_MS = 7_000;
const LAST_LOOK_MS = 90 * MINUTE;
/** What was requested may be stored so much later. */
const LATEST_COMMIT_MS = 35 * MINUTE;
/** Where the sessions of such a run send messages. */
export const NOTIFIED = [{ to: 'team', when: ['ended' as const], digestMs: null }];

/** The plan of a seed with forks: about one of twelve. Nothing is drawn for it. */
export function withForks(plan: FaultPlan, seed: number): FaultPlan {
  const isOther = plan.incidents !== null || plan.modelOutage !== null || plan.grouped !== null;
  const isOwn = plan.checks || plan.related || plan.mentions || plan.big || plan.ledger;
  if (!FORK_SEEDS.includes(seed % 47) || isOther || isOwn) return plan;
  return { ...plan, forks: true, sweep: true, rollout: null, migrateAfterMs: null };
}

/** A request for a fork, with its answers. */
interface RequestedFork {
  sessionId: string;
  at: string;
  answers: ForkOutcome[];
}

/** The forks of a run. */
export interface SimulatedForks {
  requested: readonly RequestedFork[];
  /** The sessions that are forks. */
  sessionIds(): string[];
  /** Whether nobody is going to request one any more. */
  isOver(): boolean;
}

/** The configuration of a run with forks: its sessions send messages. */
export function withMessages(config: Config, { forks }: FaultPlan): Config {
  return forks ? { ...config, notify: () => NOTIFIED } : config;
}

/** Forks sessions at some times of a run. */
export function forkAtSomeTimes(config: Config, cloud: Cloud, world: World, random: Random): SimulatedForks {
  const { time, plan, record } = world;
  const startedAt = time.now();
  const requested: RequestedFork[] = [];
  let wanted = plan.forks ? random.int(1, 4) : 0;
  let lastAt = startedAt;
  const request = (): void => {
    const places = listPlaces(world);
    if (places.length === 0 || random.chance(0.3)) {
      if (time.now() - startedAt < LAST_LOOK_MS) time.after(LOOK_EVERY_MS, request);
      else wanted--;
      return;
    }
    const [sessionId, at] = random.pick(places as [[string, string]]);
    const own: RequestedFork = { sessionId, at, answers: [] };
    requested.push(own);
    const body = {
      at,
      tools: random.pick([...FORK_TOOLS]),
      say: random.chance(0.5) ? `It was ${world.nextMark()}` : undefined,
      by: 'ada',
      userId: null,
      key: `fork ${requested.length}`,
    };
    const send = (): void => {
      if (own.answers.length > 0) return;
      lastAt = time.now();
      world.traceLine(`a person forks ${sessionId} at ${at}, with ${body.tools} tools`);
      const copies = random.chance(0.4) ? 2 : 1;
      for (let copy = 1; copy <= copies; copy++)
        perform('fork', cloud, async (deps) => {
          own.answers.push(await openFork(sessionId, body, config, deps));
        });
      time.after(RETRY_MS, send);
    };
    send();
  };
  for (let left = wanted; left > 0; left--)
    time.after(random.int(0, random.pick([20_000, MINUTE, 15 * MINUTE])), request);
  return {
    requested,
    sessionIds: () =>
      plan.forks ? [...record.sessions.keys()].filter((one) => forkOf(one, record) !== undefined) : [],
    isOver: () =>
      wanted === 0 ||
      (requested.length >= wanted &&
        requested.every(({ answers }) => answers.length > 0) &&
        time.now() - lastAt > LATEST_COMMIT_MS),
  };
}

/** Sessions with events of agents that are stored. */
function listPlaces({ record }: World): [sessionId: string, at: string][] {
  return record.commits.flatMap(({ writes }) =>
    writes.flatMap(({ path, value }): [string, string][] => {
      if (path.split('/')[2] !== 'timeline') return [];
      const { sessionId, executionId, sequenceNumber, iteration } = value as TimelineEvent;
      return iteration === null ? [] : [[sessionId, `${executionId}.${sequenceNumber}`]];
    }),
  );
}
