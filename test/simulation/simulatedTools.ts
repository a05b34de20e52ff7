// Simulates tools, read-only and writing. All can fail, hang, be unavailable, or change.

import { isDeepStrictEqual } from 'node:util';
import type {
  ConnectTools,
  MissingSource,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
  ToolResult,
} from '../../shared/core/contract/tools.ts';
import { RetryableError, TerminalError } from '../../shared/core/errors.ts';
import type { ResultSizes } from '../../shared/core/kernel/resultSizes.ts';
import { toolDigest } from '../../shared/core/kernel/tools/toolDigest.ts';
import type { PendingCall } from '../../shared/core/schema/execution.ts';
import { pause } from '../../shared/engine/testing/simulatedProcess.ts';
import { createPins } from '../../shared/features/pins/toolPins.ts';
import { startActivity } from './activity.ts';
import { podOf } from './features/claims/simulatedLedger.ts';
import { forkOf } from './features/fork/forkedSessions.ts';
import { isProbe } from './features/outcomes/probeRule.ts';
import { checkRest } from './features/serverOutages/slowToolRule.ts';
import { READ_TOOL } from './helpers.ts';
import { executionKey, type Invocation, type RunRecord } from './record.ts';
import {
  APPROVED_TOOLS,
  CHANGE_TOOL,
  KEYED_TOOL,
  PROBED_TOOL,
  SimulatedBug,
  untilAborted,
} from './simulatedModel.ts';
import type { World } from './world.ts';

/** The only server. */
const SERVER = 'sim';
/** What it says to models, and what it says once it has changed. */
export const INSTRUCTIONS = 'Look before you change something.';
export const CHANGED_INSTRUCTIONS = 'Change something before you look.';
const inputSchema = { type: 'object' };
const [RESTART, RESTART_KEYED, RESTART_PROBED] = APPROVED_TOOLS;
const changing = { description: 'Changes something.', inputSchema, readOnly: false };
const TOOLS: ToolDefinition[] = [
  { ...changing, name: CHANGE_TOOL },
  { ...changing, name: KEYED_TOOL, recovery: 'repeat' },
  { ...changing, name: PROBED_TOOL, recovery: 'probe' },
  { ...changing, name: RESTART, waits: 'person' },
  { ...changing, name: RESTART_KEYED, waits: 'person', recovery: 'repeat' },
  { ...changing, name: RESTART_PROBED, waits: 'person', recovery: 'probe' },
  { name: READ_TOOL, description: 'Looks.', inputSchema, readOnly: true },
];

/** The executor of an agent whose only server is missing. */
function withoutTools(missing: MissingSource[]): ToolExecutor {
  return {
    offered: [],
    missing,
    list: () => [],
    probe: () => Promise.resolve({ answer: 'unclear', content: 'the server is missing' }),
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

/** Few bytes, so that thousands of runs hold them, in as many documents and commits as megabytes take. */
export const SIMULATED_SIZES: ResultSizes = { partBytes: 100, partsPerCommit: 5, partsWithResult: 4 };

/** A result that takes three commits, of which the model is shown a fifth. */
function largeResult(result: ToolResult): ToolResult {
  const text = `${result.content}\n`.repeat(Math.ceil(1_300 / (result.content.length + 1)));
  return { ...result, truncated: true, large: { text, bytes: Buffer.byteLength(text), maxBytes: 300 } };
}

/** The tool connector of one invocation. */
export function simulatedTools(by: Invocation, world: World): ConnectTools {
  return async (_, { signal, skip, retry }) => {
    if (forkOf(by.sessionId, world.record)?.tools === 'recorded')
      world.record.violations.push(`forks: ${by.sessionId} is recorded, and reaches the server`);
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
    const isChanged = world.plan.approvals && world.drawFault('tool_changed');
    const tools = isChanged
      ? TOOLS.map((tool) =>
          tool.name === READ_TOOL ? tool : { ...tool, description: `${tool.description} And more.` },
        )
      : TOOLS;
    const instructions = isChanged ? CHANGED_INSTRUCTIONS : INSTRUCTIONS;
    return {
      offered: [{ source: SERVER, tools, instructions }],
      missing: [],
      list: () => tools,
      async probe(call, { signal, idempotencyKey }) {
        const [sessionId = '', executionId = '', iteration, index] = idempotencyKey.split('/');
        const run = { index: Number(index), readOnly: true, key: idempotencyKey };
        checkCall(call, { sessionId, executionId }, run.index, tools, world);
        const end = startActivity(
          { kind: 'tool', by, sessionId, executionId, iteration: Number(iteration), ...run },
          world,
        );
        try {
          await untilAborted(signal, pause(by.process, world.drawMs(10, 2_000), world));
          if (world.drawFault('tool_failed')) return { answer: 'unclear', content: 'refused' };
          const answer = world.record.effects.has(idempotencyKey) ? 'happened' : 'did_not_happen';
          return { answer, content: `${answer} ${world.nextMark()}` };
        } finally {
          end();
        }
      },
      async execute(call, { signal, timeoutMs, idempotencyKey }) {
        const [sessionId = '', executionId = '', iteration, index] = idempotencyKey.split('/');
        checkPin(sessionId, call, tools, world);
        const tool = TOOLS.find(({ name }) => name === call.name);
        const readOnly = tool?.readOnly === true;
        const { recovery } = tool ?? {};
        const run = { index: Number(index), readOnly, key: idempotencyKey, ...(recovery && { recovery }) };
        if (!/^[^/]+\/[^/]+\/\d+\/\d+$/.test(idempotencyKey))
          world.record.violations.push(`I4: ${idempotencyKey} does not identify one call`);
        checkCall(call, { sessionId, executionId }, run.index, tools, world);
        checkRest({ sessionId, executionId }, Number(iteration), SERVER, world);
        world.record.effects.add(idempotencyKey);
        const end = startActivity(
          { kind: 'tool', by, sessionId, executionId, iteration: Number(iteration), ...run },
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
            ...(world.plan.ledger && readOnly && { yields: 'state' as const, fields: 'kubernetes' }),
          };
        };
        const answer = async (): Promise<ToolResult> => {
          if (world.drawFault('tool_hung')) return await new Promise<never>(() => {});
          const slow = world.drawFault('tool_slow');
          await pause(by.process, slow ? world.drawMs(5_000, 90_000) : world.drawMs(10, 2_000), world);
          if (world.drawFault('bug', 'tool')) throw new SimulatedBug('this code is wrong');
          if (world.drawFault('tool_lost')) return { ...result('connection lost', true), noAnswer: true };
          if (world.drawFault('tool_failed')) return result('refused', true);
          const content =
            world.plan.ledger && readOnly
              ? podOf(call, executionId, isProbe({ executionId }), world)
              : `all pods run ${world.nextMark()}`;
          return world.drawFault('result_large')
            ? largeResult(result(content, false))
            : result(content, false);
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

/** The run call is the execution's pending one; one with approval runs as approved. */
function checkCall(
  call: ToolCall,
  own: { sessionId: string; executionId: string },
  index: number,
  tools: readonly ToolDefinition[],
  { record }: World,
): void {
  const { callId, name } = call;
  const { executionId } = own;
  const pending = record.executions
    .get(executionKey(own))
    ?.value.pendingCalls.find((one) => one.index === index);
  checkApproval(call, pending, tools, record);
  if (pending !== undefined && (pending.callId !== callId || pending.name !== name))
    record.violations.push(
      `conversation: ${name} (${callId}) is run for ${executionId}, which waits for ${pending.name} (${pending.callId})`,
    );
}

/** What runs is what the session saw first. */
function checkPin(
  sessionId: string,
  { name }: ToolCall,
  tools: readonly ToolDefinition[],
  { record }: World,
): void {
  if (record.expired.has(sessionId)) return;
  const pinned = record.pins.get(sessionId)?.tools.find((pin) => pin.name === name);
  const [now] = createPins(tools.filter((tool) => tool.name === name));
  if (!isDeepStrictEqual(pinned, now))
    record.violations.push(`pins: ${name} is run in ${sessionId}, and is not what was pinned`);
}

function checkApproval(
  { callId, name, arguments: text }: ToolCall,
  pending: PendingCall | undefined,
  tools: readonly ToolDefinition[],
  record: RunRecord,
): void {
  const tool = tools.find((one) => one.name === name);
  if (pending === undefined || pending.callId !== callId || tool?.waits !== 'person') return;
  const approval = record.approvals.get(pending.waitsFor?.id ?? '');
  const isApproved = approval?.status === 'approved' && approval.decidedBy === pending.approval?.by;
  if (!isApproved)
    record.violations.push(`approvals: ${name} (${callId}) is run, and is ${approval?.status}`);
  if (approval?.arguments !== text || approval.toolName !== name)
    record.violations.push(`approvals: ${name} (${callId}) is run with other arguments than were shown`);
  if (pending.toolDigest !== toolDigest(tool))
    record.violations.push(`approvals: ${name} (${callId}) has changed since it was shown`);
}
