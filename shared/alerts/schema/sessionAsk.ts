// The question in a chat that a session answers.

import * as z from 'zod';
import { nameSchema } from '../../core/schema/common.ts';
import { definePart, readPart, type WithParts } from '../../core/schema/parts.ts';

const sessionAskSchema = z.strictObject({
  askId: z.string().min(1),
  /** The question, without secrets. */
  question: z.string().min(1),
  /** The confirmed address of the person. */
  by: z.string().min(1),
  /** Where it was asked: all messages about the session go to this thread. */
  destination: nameSchema,
  thread: z.string().min(1),
});

/** The question in a chat that a session answers, and its thread. */
export const askPart = definePart('session', 'ask', sessionAskSchema);

/** The thread at a destination in which a session was asked for; null for any other session. */
export function findChatThread(session: WithParts, destination: string): string | null {
  const ask = readPart(askPart, session);
  return ask?.destination === destination ? ask.thread : null;
}
