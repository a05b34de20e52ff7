// Checks what an acknowledged message leaves of a tree: nothing to publish, settle or end.

import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import { executionKey, type Invocation } from './record.ts';
import type { World } from './world.ts';

/** Called when an invocation starts; the returned function is called when it has handled its message. */
export function watchTree(by: Invocation, { record, time }: World): () => void {
  const { id, process, sessionId, executionId = '', startedAt } = by;
  const keyOf = (one: string): string => executionKey({ sessionId, executionId: one });
  const storedValue = (one: string): Execution | undefined => record.executions.get(keyOf(one))?.value;
  const before = storedValue(executionId);
  const parentBefore = storedValue(before?.parentExecutionId ?? '');
  const violate = (detail: string) =>
    void record.violations.push(`trees: ${process.name} #${id} acks ${executionId}, ${detail}`);
  return () => {
    const now = record.executions.get(keyOf(executionId));
    if (now === undefined || before === undefined) return;
    // Changes by others while the message was handled do not count as its own.
    const isEnded = isTerminal(before.status) || (isTerminal(now.value.status) && now.by === by);
    if (isEnded) {
      const below = [...record.executions.values()].filter(
        ({ value }) =>
          value.sessionId === sessionId &&
          value.executionId.startsWith(`${executionId}~`) &&
          !isTerminal(value.status),
      );
      for (const { value } of below) violate(`and ${value.executionId} below it is open`);
      const parent = storedValue(now.value.parentExecutionId ?? '');
      const isLeft = parent?.pendingCalls.some(
        ({ state, waitsFor }) => state === 'waiting' && waitsFor?.id === executionId,
      );
      if (isLeft) violate(`and ${parent?.executionId} waits for it`);
      if (parent !== undefined && parent === parentBefore && isUnpublished(parent)) {
        const at = record.published.lastAt.get(keyOf(parent.executionId)) ?? 0;
        if (at < startedAt) violate(`and ${parent.executionId} was never published`);
      }
    }
    // It found or made the execution wait for these. Others can have added further ones.
    const isAbout = before.status === 'waiting' && before.iteration === by.iteration;
    const found = new Set(isAbout ? before.pendingCalls.map(({ waitsFor }) => waitsFor?.id) : []);
    for (const { state, waitsFor } of now.value.pendingCalls) {
      if (now.by !== by && !found.has(waitsFor?.id)) continue;
      if (state !== 'waiting' || waitsFor?.kind !== 'child' || waitsFor.until.getTime() < time.now())
        continue;
      const child = storedValue(waitsFor.id);
      if (
        child?.publishedIteration === 0 &&
        !record.published.lastAt.has(keyOf(waitsFor.id)) &&
        child.status === 'pending'
      )
        violate(`and ${waitsFor.id} was never published`);
    }
  };
}

function isUnpublished({ status, lease, notBefore, publishedIteration, iteration }: Execution): boolean {
  const goesOn = status !== 'waiting' && !isTerminal(status);
  return goesOn && lease === null && notBefore === null && publishedIteration < iteration;
}
