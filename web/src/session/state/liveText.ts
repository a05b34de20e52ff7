// Text that models are streaming, as events of the timeline. Stored events replace them.

import type { LiveText, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import type { SessionModel } from './sessionModel.ts';

/** Above every sequence number of a stored event. */
const LAST = 1_000_000_000;

const KINDS = ['llm_thinking', 'llm_response'] as const;
const liveTextId = (executionId: string, kind: string) => `live ${executionId} ${kind}`;

/** Shows live text. It is not counted as new and not announced. */
export function showLiveText(model: SessionModel, live: LiveText): void {
  const { sessionId, timeline, aroundChange } = model;
  aroundChange.current(() => {
    const events = live.ended ? [] : liveEvents(sessionId, live);
    const kept = new Set(events.map(({ eventId }) => eventId));
    timeline.remove(liveIds(live.executionId).filter((id) => !kept.has(id)));
    timeline.add(events);
  });
}

/** Removes live text that a stored event contains, with the change that adds it. */
export function replaceLiveText({ timeline }: SessionModel, { eventType, executionId }: TimelineEvent): void {
  const kind = eventType === 'final_analysis' ? 'llm_response' : eventType;
  timeline.remove([liveTextId(executionId, kind)]);
}

/** Removes all live text: after a lost connection it is out of date. */
export function removeLiveText({ timeline }: SessionModel): void {
  timeline.remove(timeline.executionIds().flatMap(liveIds));
}

function liveIds(executionId: string): string[] {
  return KINDS.map((kind) => liveTextId(executionId, kind));
}

/** The events of the text so far, without empty ones. */
function liveEvents(sessionId: string, live: LiveText): TimelineEvent[] {
  const { executionId, iteration, now } = live;
  const common = {
    sessionId,
    executionId,
    stageId: '',
    parentExecutionId: null,
    iteration,
    status: 'streaming' as const,
    cut: false,
    masked: 0,
    truncated: false,
    createdAt: now,
  };
  const events: TimelineEvent[] = [
    {
      ...common,
      ...shownText(live.thinking, live.thinkingStart),
      sequenceNumber: LAST,
      eventId: liveTextId(executionId, 'llm_thinking'),
      eventType: 'llm_thinking',
      metadata: { source: 'native' },
    },
    {
      ...common,
      ...shownText(live.text, live.textStart),
      sequenceNumber: LAST + 1,
      eventId: liveTextId(executionId, 'llm_response'),
      eventType: 'llm_response',
      metadata: {},
    },
  ];
  return events.filter(({ content }) => content !== '');
}

/** @param start UTF-16 units before `text` that are not shown. */
function shownText(text: string, start: number) {
  const content = start > 0 && text !== '' ? `… ${text}` : text;
  return { content, lines: content.split('\n').length, bytes: content.length };
}
