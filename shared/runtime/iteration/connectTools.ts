// The way to an agent's tools, with the patience a restarting server needs.

import type { ToolExecutor } from '../../contract/tools.ts';
import { RetryableError } from '../../errors.ts';
import type { RuntimeDeps } from '../deps.ts';

/** Waits before each try, in milliseconds. */
const WAITS_MS = [0, 1_000, 3_000];

/** For agents without tools, and for turns in which none may be called. */
export const NO_TOOLS: ToolExecutor = {
  list: () => [],
  execute: (call) =>
    Promise.resolve({
      callId: call.callId,
      name: call.name,
      content: `There is no tool ${call.name}: this agent has no tools.`,
      isError: true,
      truncated: false,
      durationMs: 0,
      timedOut: false,
    }),
  close: () => Promise.resolve(),
};

/** The tools, or why there are none. */
export type Connection = { executor: ToolExecutor } | { executor?: undefined; error: unknown };

/** Connects, trying again while servers are unavailable. A failure is a value: the iteration decides what it means. */
export async function connectWithRetries(
  allowed: string[],
  signal: AbortSignal,
  deps: RuntimeDeps,
): Promise<Connection> {
  let failure: unknown;
  for (const wait of WAITS_MS) {
    if (wait > 0) await pause(wait, signal, deps);
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

/** An executor whose results all say why no tool can be reached. */
export function unreachableTools(error: unknown): ToolExecutor {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    ...NO_TOOLS,
    execute: async (call, options) => ({
      ...(await NO_TOOLS.execute(call, options)),
      content: `${call.name} could not be run: ${reason}`,
    }),
  };
}

/** Ends early when the signal aborts; the caller looks at the signal. */
function pause(ms: number, signal: AbortSignal, deps: RuntimeDeps): Promise<void> {
  return new Promise((resolve) => {
    const cancel = deps.clock.after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
