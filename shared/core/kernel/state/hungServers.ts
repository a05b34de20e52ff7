// Servers that accept calls but do not answer in time: after two such iterations they rest for a few, as if
// unreachable. Pure.

import { afterFailure, circuitState } from '../../contract/circuit.ts';
import type { MissingSource } from '../../contract/tools.ts';
import { RetryableError } from '../../errors.ts';
import type { Execution, HungServer, PendingCall } from '../../schema/execution.ts';

/** Number of consecutive iterations with a hang after which a server rests. */
const MAX_HANGS = 2;
/** Iterations for which a server rests before its tools are offered again; also after one more hang. */
const RESTING_ITERATIONS = 3;

/**
 * Returns the hung servers after an iteration with all calls settled: a server hung if a call of it timed out
 * and none was answered. Answers remove a server from the list; an unused server keeps its state.
 */
export function hungServersAfter({
  hungServers,
  pendingCalls,
  iteration,
}: Pick<Execution, 'hungServers' | 'pendingCalls' | 'iteration'>): HungServer[] {
  const servers = new Set([
    ...hungServers.map(({ name }) => name),
    ...pendingCalls.flatMap(({ name, timedOut }) => listHungServer(name, timedOut)),
  ]);
  return [...servers].flatMap((name) => {
    const before = hungServers.find((server) => server.name === name);
    const calls = pendingCalls.filter((call) => call.name.startsWith(`${name}.`));
    if (calls.some(isAnswered)) return [];
    if (!calls.some(({ timedOut }) => timedOut)) return before ?? [];
    return { name, iterations: (before?.iterations ?? 0) + 1, iteration };
  });
}

/** The server of a call that hung; none for a built-in tool. */
function listHungServer(name: string, timedOut: PendingCall['timedOut']): string[] {
  const dot = name.indexOf('.');
  return timedOut && dot > 0 ? [name.slice(0, dot)] : [];
}

function isAnswered({ state, waits }: PendingCall): boolean {
  return state === 'done' && waits !== 'child';
}

/** The servers that the current iteration does not connect because they hung, each with the reason. */
export function restingServers({
  hungServers,
  iteration,
}: Pick<Execution, 'hungServers' | 'iteration'>): MissingSource[] {
  return hungServers
    .filter(({ iterations, iteration: last }) => {
      const before = { failures: iterations - 1, openUntil: null };
      const circuit = afterFailure(before, MAX_HANGS, () => last + RESTING_ITERATIONS + 1);
      return circuitState(circuit, iteration) === 'open';
    })
    .map(({ name, iterations }) => ({
      name,
      error: new RetryableError(
        'TOOL_SERVER_UNAVAILABLE',
        `MCP server "${name}" is unavailable: it took calls and did not answer them in time, in ${iterations} iterations in a row`,
      ),
    }));
}
