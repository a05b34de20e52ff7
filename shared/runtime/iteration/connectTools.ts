// Connects to an agent's tools, with retries that are long enough for a server to restart.

import type { ToolExecutor } from '../../contract/tools.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import type { RuntimeDeps } from '../deps.ts';
import { pause } from '../pause.ts';
import { failedResult } from './callResult.ts';

/** Delay before each attempt, in milliseconds. */
const DELAYS_MS = [0, 1_000, 3_000];

/** The executor of agents without tools, and of turns in which no tool may be called. */
export const NO_TOOLS: ToolExecutor = {
  list: () => [],
  execute: (call) =>
    Promise.resolve(failedResult(call, `There is no tool ${call.name}: this agent has no tools.`)),
  close: () => Promise.resolve(),
};

/** The connected tools, or the error that prevented the connection. */
export type Connection = { executor: ToolExecutor } | { executor?: undefined; error: unknown };

/** Connects, with retries while servers are unavailable. A failure is returned, not thrown: the caller decides what follows. */
export async function connectWithRetries(
  allowed: string[],
  signal: AbortSignal,
  deps: RuntimeDeps,
): Promise<Connection> {
  let failure: unknown;
  for (const delay of DELAYS_MS) {
    if (delay > 0) await pause(delay, signal, deps.clock);
    try {
      return { executor: await deps.connectTools(allowed, signal) };
    } catch (error) {
      failure = error;
      if (signal.aborted || !(error instanceof RetryableError)) break;
      deps.log.warn({ err: error }, error.message);
    }
  }
  return { error: failure };
}

/** An executor without tools: every call gets `error` as its result. */
export function unreachableTools(error: unknown): ToolExecutor {
  return {
    ...NO_TOOLS,
    execute: (call) =>
      Promise.resolve(failedResult(call, `${call.name} could not be run: ${errorMessage(error)}`)),
  };
}
