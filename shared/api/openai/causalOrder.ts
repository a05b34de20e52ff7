// Puts events that the store returns together into the order in which they occurred: an asked agent answers before the call
// that asked it has its result. By id, all events of the asking agent come first.

import type { TimelineEvent } from '../../schema/timelineEvent.ts';

/** Creates a function that orders the events of an answer, batch by batch. It remembers which call asked which agent. */
export function causalOrder(): (events: readonly TimelineEvent[]) => TimelineEvent[] {
  const childOf = new Map<string, string>();
  return (events) => {
    const byExecution = Map.groupBy(events, ({ executionId }) => executionId);
    const ordered: TimelineEvent[] = [];
    const place = (executionId: string): void => {
      const own = byExecution.get(executionId) ?? [];
      byExecution.delete(executionId);
      for (const event of own) {
        const { eventType, metadata } = event;
        if (eventType === 'llm_tool_call' && metadata.childExecutionId !== undefined)
          childOf.set(callKey(event.executionId, metadata.callId), metadata.childExecutionId);
        const child =
          eventType === 'tool_result' ? childOf.get(callKey(event.executionId, metadata.callId)) : undefined;
        if (child !== undefined) place(child);
        ordered.push(event);
      }
    };
    for (const executionId of [...byExecution.keys()]) place(executionId);
    return ordered;
  };
}

const callKey = (executionId: string | null, callId: string): string => JSON.stringify([executionId, callId]);
