// The event type `hypothesis`: what an agent takes for the cause at the moment, and how sure it is of it.

import * as z from 'zod';
import { timelineEventType } from '../../shared/schema/documents.ts';
import { documentType } from '../../shared/schema/documentType.ts';
import { timelineEventSchema, timelineEventUpcasters } from '../../shared/schema/timelineEvent.ts';

const CONFIDENCES = ['low', 'medium', 'high'] as const;

/** In the project: an entry of `eventMetadata`, which spreads `anyEvent`, and one of the union. */
const hypothesisMetadata = z.strictObject({
  masked: z.int().positive().optional(),
  confidence: z.enum(CONFIDENCES),
  /** Numbers of the events that hold the evidence. */
  evidence: z.array(z.int().positive()),
});
const hypothesis = timelineEventSchema.options[0].extend({
  eventType: z.literal('hypothesis'),
  metadata: hypothesisMetadata,
});

/** In the project: the next `version` in documents.ts, and an upcaster in timelineEvent.ts. */
export const nextTimelineEventType = documentType({
  name: timelineEventType.name,
  version: timelineEventType.version + 1,
  schema: z.discriminatedUnion('eventType', [...timelineEventSchema.options, hypothesis]),
  upcasters: {
    ...timelineEventUpcasters,
    // Older events are of the types there were, which did not change.
    [timelineEventType.version]: (event) => event,
  },
});

/**
 * What a strategy returns among the `events` of an interpretation.
 * @param evidence numbers of events; in the order of the timeline, each once, whatever the order they come in.
 */
export function hypothesisEvent(
  text: string,
  confidence: (typeof CONFIDENCES)[number],
  evidence: readonly number[],
) {
  return {
    eventType: 'hypothesis' as const,
    // Content is never empty: people read it, and every printer shows it.
    content: `${text.trim() || 'No hypothesis'} (confidence: ${confidence})`,
    metadata: { confidence, evidence: [...new Set(evidence)].sort((a, b) => a - b) },
  };
}
