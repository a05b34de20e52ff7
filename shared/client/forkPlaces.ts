// The events at which people fork a session.

import type { TimelineEvent } from '../core/schema/timelineEvent.ts';

/** Events of a person and of Inquest: no answer of an agent. */
const NO_PLACES: readonly string[] = [
  'notice',
  'error',
  'user_guidance',
  'user_question',
  'executive_summary',
  'task_assigned',
];
/** Characters of an event. */
const MAX_TEXT = 90;

type ShownEvent = Pick<
  TimelineEvent,
  'executionId' | 'sequenceNumber' | 'iteration' | 'eventType' | 'content'
>;

/** The first event of each answer, and of its results. */
export function listForkPlaces(events: readonly ShownEvent[]): { at: string; text: string }[] {
  const seen = new Set<string>();
  return events.flatMap(({ executionId, sequenceNumber, iteration, eventType, content }) => {
    const isResult = eventType === 'tool_result';
    const key = `${executionId} ${iteration} ${isResult}`;
    if (iteration === null || NO_PLACES.includes(eventType) || seen.has(key)) return [];
    seen.add(key);
    const [line = ''] = content.split('\n');
    const when = isResult ? 'after' : 'before';
    return [{ at: `${executionId}.${sequenceNumber}`, text: `${when} ${line.slice(0, MAX_TEXT)}` }];
  });
}
