// How the page presents events, also those of a type that only a newer server knows.

import type { EventOf, EventType, TimelineEvent } from '../../../shared/api/types.ts';
import { EVENTS } from '../../../shared/schema/eventDisplay.ts';
import type { IconName } from './Icon.tsx';

/** Label, verb and icon of a type of event. */
export interface EventWords {
  label: string;
  verb: string;
  icon: IconName;
}

/** Types whose row is label and content. */
type TextEventType = {
  [T in EventType]: (typeof EVENTS)[T]['row'] extends 'text' ? T : never;
}[EventType];

const KNOWN = new Map<string, EventWords & { row: string }>(Object.entries(EVENTS));

/** How a type of event is presented; an unknown type by its name. */
export function wordsOfEvent(eventType: string): EventWords {
  const name = eventType.replaceAll('_', ' ');
  return KNOWN.get(eventType) ?? { label: name, verb: name, icon: 'question' };
}

/** Whether the row of an event is label and content. An unknown type has no other row. */
export function isTextEvent(event: TimelineEvent): event is EventOf<TextEventType> {
  return KNOWN.get(event.eventType)?.row !== 'own';
}
