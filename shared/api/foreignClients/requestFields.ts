// Fields that the requests of several wires have: texts in parts, and settings that agents cannot keep.

import * as z from 'zod';

/** A part of a message's content. */
interface ContentPart {
  type: string;
  text?: string | undefined;
}

/** The content of a message: a text, or parts. */
type MessageContent = string | readonly ContentPart[] | null | undefined;

/** The most parts of a message. */
const MAX_PARTS = 1_000;

/** The content of a message: a text, or parts. */
export const messageContent = <P extends z.ZodType>(part: P) => z.string().or(z.array(part).max(MAX_PARTS));

/** A part of content. Its fields beside `text` are not read. */
export const contentPart = z.looseObject({ type: z.string().max(200), text: z.string().optional() });

/** A setting that changes an answer in a way that agents cannot keep. Its unset forms are accepted. */
export const refused = (hint: string) =>
  z
    .unknown()
    .optional()
    .refine((value) => value == null || (Array.isArray(value) && value.length === 0), hint);

/** The text of a message. @param kinds the types of parts that hold text. */
export function joinTexts(content: MessageContent, kinds: readonly string[]): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ type, text }) => (kinds.includes(type) && text ? [text] : [])).join('\n');
}

/** Why content is no question: a part that no agent reads, with the fix. @param noun the wire's word. */
export function findUnreadFault(
  content: MessageContent,
  kinds: readonly string[],
  noun: 'parts' | 'blocks',
): string | undefined {
  if (typeof content === 'string') return undefined;
  const unread = content?.find(({ type }) => !kinds.includes(type));
  return (
    unread && `agents read text only; write the question as text, without ${noun} of type ${unread.type}`
  );
}
