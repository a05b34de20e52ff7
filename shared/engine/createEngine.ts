// Puts the parts of an engine together: what iterations need, with empty caches, and their features. Wiring
// passes parts that files and environment name, `durable` those of a program, replays and tests their own.
// The files beside it handle what Google Cloud delivers, one for each function: `handleIteration`,
// `handleDeadLetter` and `handleTick`.

import { randomUUID } from 'node:crypto';
import type { FeatureDeps } from '../contract/featureDeps.ts';
import type { ToolSource } from '../core/contract/tools.ts';
import { createConversationCache } from '../core/kernel/conversation/conversationCache.ts';
import type { RuntimeDeps } from '../core/kernel/deps.ts';
import type { Feature } from '../core/kernel/feature/feature.ts';
import { createToolConnector } from '../tools/connectTools.ts';

/** The parts that each engine makes itself, and starts empty. */
type OwnParts = 'agentCache' | 'featureCaches' | 'pauseCache' | 'conversations' | 'newId' | 'connectTools';

/** An engine: what iterations need, and what they do. */
export interface Engine extends RuntimeDeps, FeatureDeps {
  /** The features of iterations, in the order of their hooks. */
  features: readonly Feature[];
}

/** The parts of an engine. */
export interface EngineParts extends Omit<Engine, OwnParts> {
  /** Every source of tools that agents can name. */
  sources: readonly ToolSource[];
  /** Ids of lease holders. Default: random ones. */
  newId?: () => string;
}

/** An engine. It shares nothing with other engines of the process. */
export function createEngine({ sources, newId = randomUUID, ...parts }: EngineParts): Engine {
  return {
    ...parts,
    connectTools: createToolConnector(sources, {
      warn: (message, fields) => parts.log.warn(fields, message),
    }),
    agentCache: new Map(),
    featureCaches: new Map(),
    pauseCache: {},
    conversations: createConversationCache(),
    newId,
  };
}
