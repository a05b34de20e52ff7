// A request in OpenAI's form, and the question that it stands for.

import * as z from 'zod';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.string().or(z.array(part)).nullish(),
});

/** What is read of such a request; settings of models (`temperature`, `tools`) mean nothing here. */
export const completionRequestSchema = z.looseObject({
  /** One of GET /v1/models. */
  model: z.string().min(1).max(200),
  messages: z.array(message).min(1).max(1_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
/** A request in OpenAI's form. */
export type CompletionRequest = z.infer<typeof completionRequestSchema>;

const NAMES = { system: 'Instructions', developer: 'Instructions', user: 'User', assistant: 'Assistant' };

/**
 * The last message, which is the question; undefined when it is none of a user. What stands before it goes along, unless the
 * session has it.
 */
export function questionOf(
  { messages }: CompletionRequest,
  { hasHistory }: { hasHistory: boolean },
): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const question = textOf(last).trim();
  const before = messages.slice(0, -1).flatMap((one) => {
    const name = one.role in NAMES ? NAMES[one.role as keyof typeof NAMES] : undefined;
    const text = textOf(one).trim();
    return name === undefined || text === '' ? [] : [`${name}: ${text}`];
  });
  if (hasHistory || before.length === 0 || question === '') return question;
  return `What was said before, oldest first:\n\n${before.join('\n\n')}\n\nThe question now:\n\n${question}`;
}

function textOf({ content }: z.infer<typeof message>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('\n');
}
