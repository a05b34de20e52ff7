// How the page presents events, also those of a type that only a newer server knows.

import { EVENTS } from '../../../shared/api/events/eventDisplay.ts';
import type { IconName } from './Icon.tsx';

/** Label, verb and icon of a type of event. */
interface EventWords {
  label: string;
  verb: string;
  icon: IconName;
}

const KNOWN = new Map<string, EventWords>(Object.entries(EVENTS));

/** How a type of event is presented; an unknown type by its name. */
export function wordsOfEvent(eventType: string): EventWords {
  const name = eventType.replaceAll('_', ' ');
  return KNOWN.get(eventType) ?? { label: name, verb: name, icon: 'question' };
}
