// Simulates two tools, one read-only and one that changes something. Both may fail, hang or be unavailable.

import type { ConnectTools, ToolDefinition, ToolResult } from '../../shared/contract/tools.ts';
import { RetryableError } from '../../shared/errors.ts';
import { startActivity } from './activity.ts';
import type { Invocation } from './record.ts';
import { CHANGE_TOOL, READ_TOOL, SimulatedBug, untilAborted } from './simulatedModel.ts';
import { pause } from './simulatedProcess.ts';
import type { World } from './world.ts';

const inputSchema = { type: 'object' };
const TOOLS: ToolDefinition[] = [
  { name: CHANGE_TOOL, description: 'Changes something.', inputSchema, readOnly: false },
  { name: READ_TOOL, description: 'Looks.', inputSchema, readOnly: true },
];

/** The tool connector of one invocation. */
export function simulatedTools(by: Invocation, world: World): ConnectTools {
  return async (_, signal) => {
    const connected = pause(by.process, world.drawMs(20, 500), world);
    await untilAborted(signal, connected);
    if (world.drawFault('tool_server_down')) {
      throw new RetryableError('TOOL_SERVER_UNAVAILABLE', 'the server does not answer');
    }
    return {
      list: () => TOOLS,
      async execute(call, { signal, timeoutMs, idempotencyKey }) {
        const [, executionId = '', iteration, index] = idempotencyKey.split('/');
        const readOnly = call.name === READ_TOOL;
        const run = { index: Number(index), readOnly, key: idempotencyKey };
        if (!/^[^/]+\/[^/]+\/\d+\/\d+$/.test(idempotencyKey))
          world.record.violations.push(`I4: ${idempotencyKey} does not identify one call`);
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
          return world.drawFault('tool_failed') ? result('refused', true) : result('all pods run', false);
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
