// The engine of a process that replays: a store and a publisher in memory, and a clock that is set.

import type { ConnectTools, ToolSource } from '../core/contract/tools.ts';
import { type Clock, systemClock } from '../core/kernel/deps.ts';
import { createEngine, type Engine } from '../engine/createEngine.ts';
import { createOwnSignatures } from '../kits/access/signatures.ts';
import { FEATURES } from '../lists/iterationFeatures.ts';
import { PARTS } from '../lists/parts.ts';
import { STAGE_FEATURES } from '../lists/stageFeatures.ts';
import { createLogger } from '../log.ts';
import { createGuards } from '../masking/guards.ts';
import { checkParts } from '../store/checkedParts.ts';
import {
  createMemoryPublisher,
  type MemoryPublisher,
  type PublishedMessage,
} from '../store/memory/memoryPublisher.ts';
import { createMemoryStore, type MemoryStore } from '../store/memory/memoryStore.ts';
import { createToolConnector } from '../tools/connectTools.ts';
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

/** The engine of a replay. Its store and its publisher are in memory. */
export interface ReplayEngine extends Engine {
  store: MemoryStore;
  publisher: MemoryPublisher;
}

/** The parts that replays choose. */
type ReplayParts = Pick<Engine, 'clock'> &
  Partial<Pick<Engine, 'agents' | 'llm' | 'listPrices' | 'maskerFor' | 'randomBytes'>> & {
    sources?: readonly ToolSource[];
  };

/**
 * @param parts.llm default: each delivery passes its own.
 * @param parts.sources default: as `llm`.
 * @param parts.maskerFor of the configuration. Default: the standard rules, without known secrets.
 */
export function createReplayEngine({ clock, ...parts }: ReplayParts): ReplayEngine {
  let ids = 0;
  const store = checkParts(createMemoryStore(clock.now), PARTS);
  const publisher = createMemoryPublisher();
  const engine = createEngine({
    store,
    announce: undefined,
    wording: INQUEST_WORDING,
    stageFeatures: STAGE_FEATURES,
    features: FEATURES,
    publisher,
    clock,
    log: createLogger({ LOG_LEVEL: 'silent' }),
    ...createOwnSignatures(),
    maskerFor: createGuards({}),
    agents: {},
    llm: { generate: () => Promise.reject(new Error('a delivery has a model of its own')) },
    sources: [],
    newId: () => `replay-${++ids}`,
    ...parts,
  });
  return { ...engine, store, publisher };
}

/** A connector to recorded servers. A missing one is not tried again: the record has that end. */
export function connectRecorded(sources: readonly ToolSource[]): ConnectTools {
  const connect = createToolConnector(sources, { warn: () => {} });
  return (allowed, { retry: _, ...options }) => connect(allowed, options);
}

/** The event in which a function gets a published message. */
export function toPushEvent({ id, data, attributes }: PublishedMessage, at: Date) {
  const message = { data: data.toString('base64'), attributes, messageId: id, publishTime: at.toISOString() };
  return { data: { message } };
}
