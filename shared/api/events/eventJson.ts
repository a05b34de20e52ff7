// Events of a timeline as the API returns them.

import * as z from 'zod';
import { EVENT_STATUSES, type TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { cutText } from '../../text/cut.ts';

/** Maximum UTF-8 bytes of a content in a list or a stream: of a tool result, and of any other event. */
const RESULT_BYTES = 8_000;
const CONTENT_BYTES = 100_000;

/** How much of a result readers of a timeline want. */
export const resultBytesSchema = z.coerce
  .number()
  .int()
  .min(0)
  .max(RESULT_BYTES)
  .default(RESULT_BYTES)
  .describe('Bytes of the result of a tool, at most; of a longer one only the start is sent (`cut`)');

/** A complete event. Readers show an event with an unknown `eventType` by its `content`. */
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
  metadata: z.looseObject({}).describe('Data of the `eventType`, for showing the event'),
  createdAt: z.date(),
});

/** An event whose content can be truncated. */
export const eventSchema = wholeEventSchema.extend({
  cut: z.boolean().describe('Whether `content` is truncated here; `getEvent` has all of it'),
  lines: z.int().describe('Of the whole content'),
  bytes: z.int().describe('Of the whole content in UTF-8'),
  masked: z.int().describe('Number of secrets that were masked in it'),
  truncated: z.boolean().describe('Whether the stored content is only a part of the original'),
});
/** An event whose content can be truncated. */
export type EventJson = z.infer<typeof eventSchema>;

/** An event for a list or a stream. @param resultBytes of the result of a tool, at most. */
export function eventJson(eventId: string, event: TimelineEvent, resultBytes = RESULT_BYTES): EventJson {
  const { content, metadata, eventType } = event;
  const bytes = Buffer.byteLength(content);
  const most = eventType === 'tool_result' ? resultBytes : CONTENT_BYTES;
  const cut = bytes > most;
  return {
    eventId,
    ...event,
    content: cut ? cutText(content, most, 'bytes') : content,
    cut,
    lines: content.split('\n').length,
    bytes,
    masked: metadata.masked ?? 0,
    truncated: 'truncated' in metadata && metadata.truncated === true,
  };
}
