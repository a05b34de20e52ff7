// Puts the parts of an engine together: the dependencies of iterations, with empty caches. The wiring calls
// it with the parts that files and environment name, `durable` with those that a program passes.

import { randomUUID } from 'node:crypto';
import type { ToolSource } from '../core/contract/tools.ts';
import { createConversationCache } from '../core/kernel/conversation/conversationCache.ts';
import type { RuntimeDeps } from '../core/kernel/deps.ts';
import { createToolConnector } from '../tools/connectTools.ts';

/** The parts that each engine makes itself, and starts empty. */
type OwnParts = 'agentCache' | 'pinCache' | 'pauseCache' | 'conversations' | 'newId' | 'connectTools';

/** The parts of an engine. */
interface EngineParts extends Omit<RuntimeDeps, OwnParts> {
  /** Every source of tools that agents can name. */
  sources: readonly ToolSource[];
  /** Ids of lease holders. Default: random ones. */
  newId?: () => string;
}

/** The dependencies of iterations. Nothing is shared with other engines of the process. */
export function createEngine({ sources, newId = randomUUID, ...parts }: EngineParts): RuntimeDeps {
  return {
    ...parts,
    connectTools: createToolConnector(sources, {
      warn: (message, fields) => parts.log.warn(fields, message),
    }),
    agentCache: new Map(),
    pinCache: new Map(),
    pauseCache: {},
    conversations: createConversationCache(),
    newId,
  };
}
