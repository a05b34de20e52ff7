// What every measured iteration depends on; each measurement says what is different in it.

import { randomUUID } from 'node:crypto';
import { createConversationCache } from '../../shared/core/kernel/conversation/conversationCache.ts';
import { type RuntimeDeps, systemClock } from '../../shared/core/kernel/deps.ts';
import { createLogger } from '../../shared/log.ts';
import { createGuards } from '../../shared/masking/guards.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { SIGNATURES } from '../support/signatures.ts';
import { instantModel, instantTool } from './instantWorld.ts';

/** The dependencies of a new instance with a model and a tool that answer at once, and a silent log. */
export function benchDeps(own: Pick<RuntimeDeps, 'store' | 'publisher'> & Partial<RuntimeDeps>): RuntimeDeps {
  return composeState({
    llm: instantModel(),
    connectTools: () => Promise.resolve(instantTool()),
    clock: systemClock,
    agents: {},
    agentCache: new Map(),
    featureCaches: new Map(),
    pauseCache: {},
    maskerFor: createGuards({}),
    conversations: createConversationCache(),
    newId: randomUUID,
    log: createLogger({ LOG_LEVEL: 'silent' }),
    ...SIGNATURES,
    ...own,
  });
}
