// Checks that a conversation has the instructions of its server that the session saw first, once, and that
// changes are told once.

import type { Message } from '../../../../shared/core/schema/message.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import { instructionsPin } from '../../../../shared/features/pins/toolPins.ts';
import { CHANGED_INSTRUCTIONS, INSTRUCTIONS } from '../../simulatedTools.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';

/** Judges the events and messages of one execution. */
export function checkInstructions(
  executionId: string,
  timeline: TimelineEvent[],
  messages: Message[],
  { record }: World,
  violate: Violate,
): void {
  const texts = messages.map(({ role, blocks }) => (role === 'user' ? JSON.stringify(blocks) : ''));
  const shown = [INSTRUCTIONS, CHANGED_INSTRUCTIONS].flatMap((one) =>
    texts.filter((text) => text.includes(one)).map(() => one),
  );
  const changes = timeline.filter(({ content }) => content.startsWith('The instructions of the server'));
  const told = texts.filter((text) => text.includes('changed its instructions'));
  if (shown.length > 1 || changes.length > 1 || told.length > changes.length)
    violate(
      'instructions',
      `${executionId} has ${shown.length}; ${changes.length} events and ${told.length} messages say they changed`,
    );
  const pinned = record.pins.get(messages[0]?.sessionId ?? '')?.instructions;
  if (shown.some((one) => instructionsPin(one) !== pinned))
    violate('instructions', `${executionId} was shown what its session did not pin`);
}
