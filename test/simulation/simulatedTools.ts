// Simulates two tools, one read-only and one that changes something. Both may fail, hang or be unavailable.

import type {
  ConnectTools,
  MissingSource,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
  ToolResult,
} from '../../shared/contract/tools.ts';
import { RetryableError, TerminalError } from '../../shared/errors.ts';
import { startActivity } from './activity.ts';
import type { Invocation } from './record.ts';
import { CHANGE_TOOL, READ_TOOL, SimulatedBug, untilAborted } from './simulatedModel.ts';
import { pause } from './simulatedProcess.ts';
import type { World } from './world.ts';

/** The only server. */
const SERVER = 'sim';
const inputSchema = { type: 'object' };
const TOOLS: ToolDefinition[] = [
  { name: CHANGE_TOOL, description: 'Changes something.', inputSchema, readOnly: false },
  { name: READ_TOOL, description: 'Looks.', inputSchema, readOnly: true },
];

/** The executor of an agent whose only server is missing. */
function withoutTools(missing: MissingSource[]): ToolExecutor {
  return {
    missing,
    list: () => [],
    execute: ({ callId, name }) =>
      Promise.resolve({
        callId,
        name,
        content: 'the server is missing',
        isError: true,
        truncated: false,
        durationMs: 0,
        timedOut: false,
        noAnswer: true,
      }),
    close: () => Promise.resolve(),
  };
}

/** The tool connector of one invocation. */
export function simulatedTools(by: Invocation, world: World): ConnectTools {
  return async (_, { signal, skip, retry }) => {
    if (skip?.has(SERVER)) return withoutTools([]);
    /** Whether it stays down for all tries of this iteration. */
    let isOutage = false;
    for (let attempts = 1; ; attempts++) {
      await untilAborted(signal, pause(by.process, world.drawMs(20, 500), world));
      if (!isOutage && !world.drawFault('tool_server_down')) break;
      isOutage ||= world.random.chance(0.7);
      if (world.random.chance(0.1)) {
        const error = new TerminalError('TOOL_SERVER_UNAVAILABLE', 'the server refuses the login');
        return withoutTools([{ name: SERVER, error }]);
      }
      const again = await retry?.(SERVER, attempts);
      signal.throwIfAborted();
      const error = new RetryableError('TOOL_SERVER_UNAVAILABLE', 'the server does not answer');
      if (again !== true) return withoutTools([{ name: SERVER, error }]);
    }
    return {
      missing: [],
      list: () => TOOLS,
      async execute(call, { signal, timeoutMs, idempotencyKey }) {
        const [, executionId = '', iteration, index] = idempotencyKey.split('/');
        const readOnly = call.name === READ_TOOL;
        const run = { index: Number(index), readOnly, key: idempotencyKey };
        if (!/^[^/]+\/[^/]+\/\d+\/\d+$/.test(idempotencyKey))
          world.record.violations.push(`I4: ${idempotencyKey} does not identify one call`);
        checkCall(call, executionId, run.index, world);
        const end = startActivity(
          { kind: 'tool', by, executionId, iteration: Number(iteration), ...run },
          world,
        );
        const startedAt = world.time.now();
        const result = (content: string, isError: boolean, timedOut = false): ToolResult => {
          const durationMs = world.time.now() - startedAt;
          return {
            callId: call.callId,
            name: call.name,
            content,
            isError,
            truncated: false,
            durationMs,
            timedOut,
          };
        };
        const answer = async (): Promise<ToolResult> => {
          if (world.drawFault('tool_hung')) return await new Promise<never>(() => {});
          const slow = world.drawFault('tool_slow');
          await pause(by.process, slow ? world.drawMs(5_000, 90_000) : world.drawMs(10, 2_000), world);
          if (world.drawFault('bug', 'tool')) throw new SimulatedBug('this code is wrong');
          if (world.drawFault('tool_lost')) return { ...result('connection lost', true), noAnswer: true };
          return world.drawFault('tool_failed')
            ? result('refused', true)
            : result(`all pods run ${world.nextMark()}`, false);
        };
        const timeout = pause(by.process, timeoutMs, world).then(() =>
          result('no answer in time', true, true),
        );
        try {
          return await untilAborted(signal, Promise.race([answer(), timeout]));
        } finally {
          end();
        }
      },
      close: () => Promise.resolve(),
    };
  };
}

/** The call that is run is the one that the execution waits for. */
function checkCall({ callId, name }: ToolCall, executionId: string, index: number, { record }: World): void {
  const pending = record.executions.get(executionId)?.value.pendingCalls.find((one) => one.index === index);
  if (pending !== undefined && (pending.callId !== callId || pending.name !== name))
    record.violations.push(
      `conversation: ${name} (${callId}) is run for ${executionId}, which waits for ${pending.name} (${pending.callId})`,
    );
}
