// The dependencies of a process that replays: a store and a publisher in memory, and a clock that is set.

import type { GuardFor } from '../core/contract/guard.ts';
import { createConversationCache } from '../core/kernel/conversation/conversationCache.ts';
import { type Clock, type RuntimeDeps, systemClock } from '../core/kernel/deps.ts';
import { createOwnSignatures } from '../kits/access/signatures.ts';
import { createLogger } from '../log.ts';
import { createGuards } from '../masking/guards.ts';
import { STAGE_FEATURES } from '../runtime/features/stages.ts';
import { PARTS } from '../schema/features/parts.ts';
import { checkParts } from '../store/checkedParts.ts';
import {
  createMemoryPublisher,
  type MemoryPublisher,
  type PublishedMessage,
} from '../store/memory/memoryPublisher.ts';
import { createMemoryStore, type MemoryStore } from '../store/memory/memoryStore.ts';
import { INQUEST_WORDING } from '../wording/inquest.ts';

/** A clock that shows the time it was set to. Its timers never fire: time-outs are part of the record. */
export interface SetClock extends Clock {
  set(to: Date): void;
}

/** A clock that starts at this time. */
export function createSetClock(from: Date): SetClock {
  let current = from;
  const never = () => () => {};
  return {
    now: () => new Date(current),
    every: never,
    after: never,
    set(to) {
      current = to;
    },
  };
}

/** A clock that moves in steps, so that repeated runs send equal requests. Timers run in real time. */
export function createSteppingClock(from: Date): Clock & { step(ms: number): void } {
  let current = from.getTime();
  return {
    ...systemClock,
    now: () => new Date(current),
    step(ms) {
      current += ms;
    },
  };
}

/** The dependencies without model and tools. */
export type ReplayDeps = Omit<RuntimeDeps, 'llm' | 'connectTools'> & {
  store: MemoryStore;
  publisher: MemoryPublisher;
};

/** @param maskerFor the maskers of the configuration. Default: the standard rules, without known secrets. */
export function createReplayDeps(
  clock: Clock,
  agents: RuntimeDeps['agents'],
  maskerFor: GuardFor = createGuards({}),
): ReplayDeps {
  let ids = 0;
  return {
    store: checkParts(createMemoryStore(clock.now), PARTS),
    announce: undefined,
    wording: INQUEST_WORDING,
    stageFeatures: STAGE_FEATURES,
    publisher: createMemoryPublisher(),
    clock,
    log: createLogger({ LOG_LEVEL: 'silent' }),
    ...createOwnSignatures(),
    maskerFor,
    agents,
    agentCache: new Map(),
    pinCache: new Map(),
    conversations: createConversationCache(),
    newId: () => `replay-${++ids}`,
  };
}

/** The event in which a function gets a published message. */
export function toPushEvent({ id, data, attributes }: PublishedMessage, at: Date) {
  const message = { data: data.toString('base64'), attributes, messageId: id, publishTime: at.toISOString() };
  return { data: { message } };
}
