// Prepares waiting calls with their features: reads before a batch is built, and reserved ids.

import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import { RetryableError } from '../../errors.ts';
import type { ReservedIds, StartWait, WaitFeature } from '../../kernel/feature/feature.ts';
import type { Execution } from '../../schema/execution.ts';
import type { RunContext } from '../context/features.ts';

/** How calls of each kind start to wait; `unread` if that could not be read. */
export type Waits = ReadonlyMap<WaitFeature['kind'], StartWait | 'unread'>;

/** No call can wait. */
export const NO_WAITS: Waits = new Map();

/**
 * Reads how the calls of an answer start to wait.
 * @param waits the features with waiting calls.
 * @param onFailure `keep` turns a RetryableError into `unread`: the calls stay requested, and are planned
 * again later.
 * @throws as `WaitFeature.plan`.
 */
export async function planWaits(
  context: RunContext,
  calls: readonly ToolCall[],
  waits: readonly WaitFeature[],
  onFailure: 'throw' | 'keep',
): Promise<Waits> {
  const planned = new Map<WaitFeature['kind'], StartWait | 'unread'>();
  for (const { kind, plan } of waits) {
    const start = await plan(context, calls).catch((error: unknown) => {
      if (onFailure === 'throw' || !(error instanceof RetryableError)) throw error;
      return 'unread' as const;
    });
    if (start !== undefined) planned.set(kind, start);
  }
  return planned;
}

/** The execution with the ids that its calls reserve, and these ids. */
export function reserveIds(
  execution: Execution,
  calls: readonly ToolCall[],
  tools: readonly ToolDefinition[],
  waits: readonly WaitFeature[],
): { execution: Execution; reserved: ReadonlyMap<ToolCall, ReservedIds> } {
  const reserved = new Map<ToolCall, ReservedIds>();
  let reserving = execution;
  for (const { kind, reserve } of waits) {
    const waiting = calls.filter((call) => tools.find(({ name }) => name === call.name)?.waits === kind);
    const ids = reserve?.(reserving, waiting);
    if (ids === undefined) continue;
    reserving = ids.execution;
    for (const [call, own] of ids.reserved) reserved.set(call, own);
  }
  return { execution: reserving, reserved };
}
