// Connects to an agent's tools, with retries that are long enough for a server to restart.

import { secondsText } from '../../../text/amounts.ts';
import type { ToolExecutor } from '../../contract/tools.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import { pauseFor } from '../../kernel/pause.ts';
import { failedResult } from '../../kernel/state/callResult.ts';
import { restingServers } from '../../kernel/state/hungServers.ts';
import { isSettled } from '../../kernel/state/pendingCalls.ts';
import { BUILT_IN_TOOLS } from '../../schema/agent.ts';
import type { Execution } from '../../schema/execution.ts';
import type { RunDeps } from '../context/features.ts';
import type { LoadedAgent } from './loadAgent.ts';

/** Delay before each further attempt at a server whose outage is new, in milliseconds. */
const DELAYS_MS = [1_000, 3_000];

/** The executor of agents without tools, and of iterations in which no tool call is allowed. */
const NO_TOOLS: ToolExecutor = {
  offered: [],
  missing: [],
  list: () => [],
  execute: (call) =>
    Promise.resolve(failedResult(call, `There is no tool ${call.name}: this agent has no tools.`)),
  probe: () => Promise.resolve({ answer: 'unclear', content: 'No tool can be probed.' }),
  close: () => Promise.resolve(),
};

/** The connected tools, or the error that prevented the connection. */
export type Connection = { executor: ToolExecutor } | { executor?: undefined; error: unknown };

/** A connection in progress, possibly started before the claim. */
export interface OpeningTools {
  /** Waits for the connection. From now on, an abort of `signal` ends the attempt with its reason. */
  connected(signal: AbortSignal): Promise<Connection>;
  /** Ends the attempt and closes the connections. Can be called at any time, and twice. Never throws. */
  close(): Promise<void>;
}

/**
 * Starts to connect the servers of the agent. Permanently missing servers, and those that rest because they
 * hung, are not tried; those that were missing in the last iteration are tried once. All of it takes at most
 * half of the iteration's time. No tool is called. A failure is returned, not thrown: the caller decides how
 * to proceed.
 */
export function startConnecting(execution: Execution, loaded: LoadedAgent, deps: RunDeps): OpeningTools {
  const abort = new AbortController();
  let isOver = false;
  const connection = connectAgent(execution, loaded, abort.signal, deps).finally(() => {
    isOver = true;
  });
  return {
    connected(signal) {
      if (isOver) return connection;
      const onAbort = () => abort.abort(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      return connection.finally(() => signal.removeEventListener('abort', onAbort));
    },
    async close() {
      if (!isOver) abort.abort(new Error('the iteration is over'));
      const { executor } = await connection;
      await executor?.close();
    },
  };
}

/** Replaces a connection if no tool call is allowed. */
export const NOTHING_TO_CONNECT: OpeningTools = {
  connected: () => Promise.resolve({ executor: NO_TOOLS }),
  close: () => Promise.resolve(),
};

async function connectAgent(
  execution: Execution,
  { agent, labels }: LoadedAgent,
  signal: AbortSignal,
  deps: RunDeps,
): Promise<Connection> {
  const { limits, missingServers, pendingCalls } = execution;
  const known = new Map(missingServers.map(({ name, permanent }) => [name, permanent]));
  const limitMs = Math.ceil(limits.iterationTimeoutMs / 2);
  const limit = new AbortController();
  const cancel = deps.clock.after(limitMs, () => {
    limit.abort(
      new RetryableError('TOOL_SERVER_UNAVAILABLE', `no connection within ${secondsText(limitMs)}.`),
    );
  });
  try {
    const executor = await deps.features.connectTools(execution, deps)(
      agent.tools.filter((tool) => !BUILT_IN_TOOLS.includes(tool)),
      {
        signal,
        giveUp: limit.signal,
        labels,
        outsideTools: agent.outsideTools,
        hasPrivate: agent.tools.some((tool) => BUILT_IN_TOOLS.includes(tool)),
        fresh: pendingCalls.some((call) => call.approval !== undefined && !isSettled(call)),
        skip: new Set([
          ...[...known].flatMap(([name, permanent]) => (permanent ? [name] : [])),
          ...restingServers(execution).map(({ name }) => name),
        ]),
        async retry(source, attempts) {
          const delay = known.has(source) ? undefined : DELAYS_MS[attempts - 1];
          if (delay === undefined) return false;
          await pauseFor(delay, AbortSignal.any([signal, limit.signal]), deps.clock);
          return true;
        },
      },
    );
    for (const { error } of executor.missing) deps.log.warn({ err: error }, error.message);
    return { executor };
  } catch (error) {
    return { error };
  } finally {
    cancel();
  }
}

/** An executor without tools: every call gets `error` as its result. */
export function unreachableTools(error: unknown): ToolExecutor {
  return {
    ...NO_TOOLS,
    execute: (call) =>
      Promise.resolve(failedResult(call, `${call.name} could not be run: ${errorMessage(error)}`)),
  };
}
