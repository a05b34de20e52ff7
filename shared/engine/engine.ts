// The exports of `inquest/engine`.

import type { Guard } from '../core/contract/guard.ts';
import type { Skill } from '../core/contract/skills.ts';
import type { Store } from '../core/contract/store.ts';
import type { Wording } from '../core/prompts/wording.ts';
import { readDatabaseName, readProjectId } from '../environment.ts';
import { ENGINE_PARTS } from '../lists/engineFeatures.ts';
import { checkParts } from '../store/checkedParts.ts';
import { createFirestoreStore } from '../store/firestore/firestoreStore.ts';
import { createMemoryStore } from '../store/memory/memoryStore.ts';

export * as z from 'zod';
export { RetryableError, TerminalError } from '../core/errors.ts';
export type { Agent, AgentOptions, Chain, ChainOptions, StageOptions } from './agentOptions.ts';
export { type Agents, type DurableOptions, durable, type Run } from './durable.ts';
export type { RunEvent, RunResult, RunState } from './followRun.ts';
export type { Handler, HandlerRequest, HandlerResponse, Handlers } from './handlers.ts';
export { type DeliverySteps, type InProcessQueue, inProcess, type SteppedQueue } from './inProcess.ts';
export type { ListOptions, RunPage } from './listRuns.ts';
export type { EngineManifest } from './manifest.ts';
export { type McpOptions, type McpSource, mcp } from './mcp.ts';
export { gemini, langchain, type Model, type ModelOptions, script } from './model.ts';
export { pubsub, type Queue } from './queue.ts';
export type { Signal, SignalOutcome } from './signalRun.ts';
export type { RunInput, StartOptions } from './startRun.ts';
export { type Tool, type ToolContext, type ToolOptions, tool } from './tool.ts';
export type { Guard, Skill, Store, Wording };

/** A store in the memory of this process: it loses all runs with the process. */
export function memory(): Store {
  return checkParts(createMemoryStore(), ENGINE_PARTS);
}

/**
 * A database of Firestore. `FIRESTORE_EMULATOR_HOST` points it at an emulator.
 * @param options.projectId default: `GOOGLE_CLOUD_PROJECT`.
 * @param options.databaseId default: `FIRESTORE_DATABASE`, else `(default)`.
 * @param options.timeoutMs limit of a call with all retries, in milliseconds. Default: 10,000, well below the
 *   life of a lease.
 */
export function firestore(
  options: { projectId?: string; databaseId?: string; timeoutMs?: number } = {},
): Store {
  const { projectId = readProjectId(process.env), timeoutMs = 10_000 } = options;
  const databaseId = options.databaseId ?? readDatabaseName(process.env);
  return checkParts(createFirestoreStore({ projectId, databaseId, timeoutMs }), ENGINE_PARTS);
}
