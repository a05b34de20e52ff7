// Reads a question from a request in the form of OpenAI's Responses API.

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
  type: z.literal('message').optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: messageContent(contentPart),
});
const itemReference = z.looseObject({ type: z.literal('item_reference'), id: z.string().max(1_000) });
/** Thoughts that come back are ignored. */
const reasoning = z.looseObject({ type: z.literal('reasoning') });
const item = z.discriminatedUnion('type', [message, itemReference, reasoning], {
  error: 'unknown item; use messages, item_reference and reasoning: calls of a client are not run',
});

/** The used fields of a request. Settings that only tune a model (`temperature`) are ignored. */
export const responsesRequestSchema = z.looseObject({
  /** One of GET /v1/models. Absent: the default chain. */
  model: z.string().min(1).max(200).default(DEFAULT_MODEL),
  input: z.string().or(z.array(item).min(1).max(1_000)),
  /** Text of the caller, never instructions of the agent. */
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(1_000).nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  /** Whether the answer is structured. Its schema is the agent's own. */
  text: z
    .looseObject({
      format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
    })
    .nullish(),
  store: z
    .unknown()
    .optional()
    .refine((value) => value !== false, 'every answer is stored; leave it out'),
  conversation: refused('conversations do not exist; use previous_response_id'),
  prompt: refused('stored prompts do not exist; write the question as input'),
  tools: refused('agents use the tools of their configuration; leave it out'),
  max_output_tokens: refused('the answers of agents have limits of their own; leave it out'),
  max_tool_calls: refused('agents have limits of their own; leave it out'),
});
/** A request in the form of the Responses API. */
export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

/** A question with the messages before it, and the stored answer that it continues. */
interface ReadInput {
  /** The messages after the last stored answer. */
  messages: ClientMessage[];
  /** The id of the answer or of a part of it; undefined for a new chat. */
  continues: string | undefined;
  /** Why it is no question; undefined if it is one. */
  fault: string | undefined;
}

/** Reads the input. The last stored answer stands for everything before it. */
export function readInput({
  input,
  instructions,
  previous_response_id,
  metadata,
}: ResponsesRequest): ReadInput {
  const items: z.infer<typeof item>[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const last = items.at(-1);
  const isReference = (one: (typeof items)[number]) => one.type === 'item_reference';
  const reference = items.findLast(isReference);
  const own = items.slice(items.findLastIndex(isReference) + 1);
  const messages = own.flatMap((one) =>
    'role' in one && 'content' in one
      ? [
          {
            role: String(one.role),
            text: joinTexts(one.content as z.infer<typeof message>['content'], TEXT_PARTS),
          },
        ]
      : [],
  );
  const system = instructions ? [{ role: 'system', text: instructions }] : [];
  const isQuestion = last !== undefined && 'role' in last && last.role === 'user';
  return {
    messages: [...listProfile(metadata), ...system, ...messages],
    continues: previous_response_id ?? (reference && 'id' in reference ? String(reference.id) : undefined),
    fault: isQuestion
      ? findUnreadFault(last.content as z.infer<typeof message>['content'], TEXT_PARTS, 'parts')
      : 'the last item must be a message of the role user',
  };
}

/** Whether a request asks for a structured answer (true), text (false), or leaves it open (null). */
export function structuredForm({ text }: ResponsesRequest): boolean | null {
  return text?.format == null ? null : text.format.type !== 'text';
}

/** Kinds of content that hold text. */
const TEXT_PARTS = ['text', 'input_text', 'output_text'];
