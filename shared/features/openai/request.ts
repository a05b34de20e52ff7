// Reads a question from a request in OpenAI's form.

import * as z from 'zod';
import { DEFAULT_MODEL } from '../../api/foreignClients/askForClient.ts';
import { type ClientMessage, listProfile } from '../../api/foreignClients/composeQuestion.ts';
import {
  contentPart,
  findUnreadFault,
  joinTexts,
  messageContent,
  refused,
} from '../../api/foreignClients/requestFields.ts';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: messageContent(contentPart).nullish(),
});

const OWN_LIMITS = 'the answers of agents have limits of their own; leave it out';
const OWN_TOOLS = 'agents use the tools of their configuration; leave it out';

/** The used fields of a request. Settings of models that only tune an answer (`temperature`) are ignored. */
export const completionRequestSchema = z.looseObject({
  /** One of GET /v1/models. Absent: the default chain. */
  model: z.string().min(1).max(200).default(DEFAULT_MODEL),
  messages: z.array(message).min(1).max(1_000),
  stream: z.boolean().nullish(),
  max_tokens: refused(OWN_LIMITS),
  max_completion_tokens: refused(OWN_LIMITS),
  stop: refused('the answers of agents are not cut at a text; leave it out'),
  n: z
    .unknown()
    .optional()
    .refine((value) => value == null || value === 1, 'one request has one answer; use 1 or leave it out'),
  tools: refused(OWN_TOOLS),
  functions: refused(OWN_TOOLS),
  /** Whether the answer is structured. Its schema is the agent's own. */
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
  stream_options: z
    .looseObject({
      include_usage: z.boolean().nullish(),
      /** Whether the fields of an observation are also sent as an event `metadata`. */
      include_metadata: z.boolean().nullish(),
    })
    .nullish(),
});
/** A request in OpenAI's form. */
export type CompletionRequest = z.infer<typeof completionRequestSchema>;

/** Whether a request asks for a structured answer (true), text (false), or leaves it open (null). */
export function structuredForm({ response_format: format }: CompletionRequest): boolean | null {
  return format == null ? null : format.type !== 'text';
}

/** The messages of a request with their texts, after the profile of the user. */
export function listMessages({ messages, metadata }: CompletionRequest): ClientMessage[] {
  const texts = messages.map((one) => ({ role: one.role, text: joinTexts(one.content, TEXT_PARTS) }));
  return [...listProfile(metadata), ...texts];
}

/** Kinds of content that hold text, in the forms of chat and of responses. */
const TEXT_PARTS = ['text', 'input_text', 'output_text'];

/** Why the last message is no question: its role, or content no agent reads. Undefined if it is one. */
export function lastMessageFault({ messages }: CompletionRequest): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return 'the last message must have the role user';
  return findUnreadFault(last.content, TEXT_PARTS, 'parts');
}
