// Events of a timeline as the API gives them.

import * as z from 'zod';
import { EVENT_STATUSES, type TimelineEvent } from '../schema/timelineEvent.ts';
import { cutToBytes } from '../text/utf8.ts';

/** UTF-8 bytes of a content that a list or a stream shows: of a tool's result, and of anything else. */
const RESULT_BYTES = 8_000;
const CONTENT_BYTES = 100_000;

/** An event, whole. An `eventType` that a reader does not know is shown as its `content`. */
export const wholeEventSchema = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  sessionId: z.string(),
  stageId: z.string(),
  executionId: z.string(),
  sequenceNumber: z.int(),
  iteration: z.int().nullable(),
  status: z.enum(EVENT_STATUSES),
  content: z.string().describe('Text that people can read'),
  metadata: z.looseObject({}).describe('Data for how it is shown, by its `eventType`'),
  createdAt: z.date(),
});

/** An event whose content can be truncated. */
export const eventSchema = wholeEventSchema.extend({
  cut: z.boolean().describe('Whether `content` is only the beginning'),
  lines: z.int().describe('Of the whole content'),
  bytes: z.int().describe('Of the whole content in UTF-8'),
  masked: z.int().describe('Secrets that were taken out of it'),
  truncated: z.boolean().describe('Whether what is stored is a part of what there was'),
});
/** An event whose content can be truncated. */
export type EventJson = z.infer<typeof eventSchema>;

/** An event for a list or a stream. */
export function eventJson(eventId: string, event: TimelineEvent): EventJson {
  const { content, metadata, eventType } = event;
  const bytes = Buffer.byteLength(content);
  const most = eventType === 'tool_result' ? RESULT_BYTES : CONTENT_BYTES;
  const cut = bytes > most;
  return {
    eventId,
    ...event,
    content: cut ? cutToBytes(content, most) : content,
    cut,
    lines: content.split('\n').length,
    bytes,
    masked: metadata.masked ?? 0,
    truncated: 'truncated' in metadata && metadata.truncated === true,
  };
}
