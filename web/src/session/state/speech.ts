// What models say while they speak, as events that are being written. Stored ones take their place.

import type { TimelineEvent } from '../../../../shared/api/types.ts';

/** What a stream says of a model that speaks. Each replaces the one before. */
export interface Speech {
  executionId: string;
  iteration: number;
  text: string;
  /** UTF-16 units before `text` that are not sent any more. */
  textStart: number;
  thinking: string;
  thinkingStart: number;
  /** Whether it is over; what was said is stored by now, or was thrown away. */
  ended: boolean;
  now: string;
}

/** Behind every number of a stored event. */
const LAST = 1_000_000_000;

const KINDS = ['llm_thinking', 'llm_response'] as const;
const idOf = (executionId: string, kind: string) => `live ${executionId} ${kind}`;

/** The ids of what is being written in an execution. */
export function speechIds(executionId: string): string[] {
  return KINDS.map((kind) => idOf(executionId, kind));
}

/** The events of what is said by now; those without words are left out. */
export function speechEvents(sessionId: string, speech: Speech): TimelineEvent[] {
  const said = [
    { text: speech.thinking, start: speech.thinkingStart },
    { text: speech.text, start: speech.textStart },
  ];
  return KINDS.flatMap((eventType, index) => {
    const { text = '', start = 0 } = said[index] ?? {};
    if (text === '') return [];
    const content = start > 0 ? `… ${text}` : text;
    return {
      ...{ eventId: idOf(speech.executionId, eventType), eventType, sessionId, content },
      ...{ executionId: speech.executionId, stageId: '', parentExecutionId: null },
      ...{ sequenceNumber: LAST + index, iteration: speech.iteration, status: 'streaming' as const },
      ...{ metadata: {}, cut: false, masked: 0, truncated: false, createdAt: speech.now },
      ...{ lines: content.split('\n').length, bytes: content.length },
    };
  });
}
