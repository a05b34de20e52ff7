// Simulates mentions of the app outside of sessions: each is handled until that succeeds, and sometimes
// again; several can come in one thread at once.

import type { ConfiguredDestination } from '../../../../shared/contract/destination.ts';
import { DEFAULT_TENANT } from '../../../../shared/core/schema/session.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { deriveAskId, deriveAskKey } from '../../../../shared/features/ask/ask.ts';
import { ASKS } from '../../../../shared/features/ask/takeMention.ts';
import type { Mention, MentionDeps } from '../../../../shared/kits/deliveries/mentionTaker.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';
import { perform } from '../chat/simulatedChat.ts';

/** Seeds with mentions, by the rest of a division by 43. */
const MENTION_SEEDS = [4, 17, 33];
/** A mention that was not handled is requested again after this time. */
const RETRY_MS = 30_000;
/** Everything is mentioned by then: a very late commit comes half an hour later. */
const MENTIONED_MS = 45 * MINUTE;
const CHANNEL = 'C0123456789';
export const DESTINATION = 'team';

/** The plan of a seed with mentions: about one of twenty. Nothing is drawn for it. */
export function withMentions(plan: FaultPlan, seed: number): FaultPlan {
  const isOther =
    plan.incidents !== null ||
    plan.sessionsPerHour !== null ||
    plan.tokens !== null ||
    plan.modelOutage !== null;
  const isOwn =
    plan.checks || plan.related || plan.ledger || plan.big || plan.probes || plan.grouped !== null;
  if (!MENTION_SEEDS.includes(seed % 43) || isOther || isOwn) return plan;
  const mentioned = { ...plan, mentions: true, sweep: true, sessions: 1, rollout: null };
  return { ...mentioned, migrateAfterMs: null, expireAfterMs: null, trees: false };
}

/** The mentions of a run. */
export interface SimulatedMentions {
  /** The threads, with the outcome of each mention: `session` for one that belongs to it. */
  threads: Map<string, Map<string, string>>;
  /** Keys of the alerts of all questions. */
  alertKeys(): string[];
  /** Whether all are handled. */
  isOver(): boolean;
}

/** Mentions the app at some times of a run. */
export function mentionAtSomeTimes(cloud: Cloud, world: World, random: Random): SimulatedMentions {
  const { time, plan } = world;
  const startedAt = time.now();
  const threads: SimulatedMentions['threads'] = new Map();
  const wanted: string[] = [];
  const outcomes = () => [...threads.values()].flatMap((one) => [...one.keys()]);
  const mentions: SimulatedMentions = {
    threads,
    alertKeys: () => [...threads.keys()].map((thread) => deriveAskKey(deriveAskId(thread))),
    isOver: () =>
      !plan.mentions || (time.now() - startedAt > MENTIONED_MS && outcomes().length === wanted.length),
  };
  if (!plan.mentions) return mentions;
  const handle = (mention: Mention, handled: Map<string, string>): void => {
    const { message } = mention;
    perform('mention', cloud, async (deps) => {
      const all: MentionDeps = { ...deps, destinations: async () => TEAM, memberOf: () => MEMBER };
      const found = await ASKS.find(mention, all);
      const outcome = found === undefined ? (await ASKS.take(mention, all))?.outcome : 'session';
      if (!handled.has(message)) handled.set(message, outcome ?? 'none');
    });
    time.after(RETRY_MS, () => {
      if (!handled.has(message)) handle(mention, handled);
    });
  };
  for (let left = random.int(1, 2); left > 0; left--) {
    const mark = world.nextMark();
    const thread = `${CHANNEL}:${mark}`;
    const handled = new Map<string, string>();
    threads.set(thread, handled);
    for (let count = random.int(1, 3); count > 0; count--) {
      const message = `${thread}.${count}`;
      wanted.push(message);
      const person = { userId: 'U1', team: 'T1' };
      const mention = { text: `Why ${mark}?`, thread, message, person, destinations: [DESTINATION] };
      const at = random.int(0, random.pick([100, MINUTE]));
      for (let copy = random.int(1, 3); copy > 0; copy--)
        time.after(at + random.int(0, random.pick([100, MINUTE])), () => {
          world.traceLine(`${message} mentions the app`);
          handle(mention, handled);
        });
    }
  }
  return mentions;
}

const MEMBER = { role: 'responder', tenantId: DEFAULT_TENANT } as const;

const TEAM: ConfiguredDestination = {
  tenants: [DEFAULT_TENANT],
  onDoubt: 'repeat',
  asks: { chain: 'chain-1' },
  destination: {
    kind: 'slack',
    capabilities: {
      update: true,
      thread: true,
      buttons: true,
      probe: true,
      key: false,
      isRepeatSafe: false,
    },
    timeoutMs: 15_000,
    send: async () => ({ outcome: 'sent', ref: null }),
    hasPlace: () => true,
    personOf: async () => ({ outcome: 'found', email: 'ada@example.com' }),
    readThread: async () => ({ outcome: 'found', messages: [], others: 0 }),
  },
};
