// Reads a question from a request in Anthropic's form.

import * as z from 'zod';
import type { ClientMessage } from '../../api/foreignClients/composeQuestion.ts';
import {
  contentPart,
  findUnreadFault,
  joinTexts,
  messageContent,
  refused,
} from '../../api/foreignClients/requestFields.ts';

/** The versions of Anthropic's API: no field that is read here differs between them. */
export const VERSIONS: readonly string[] = ['2026-10-21', '2023-06-01'];

/** The fields that blocks of a kind must have. Others are ignored, whatever they hold. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  thinking: ['thinking'],
  tool_use: ['id', 'name', 'input'],
  server_tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id'],
};
const block = contentPart.superRefine((value, context) => {
  const required = Object.hasOwn(REQUIRED, value.type) ? (REQUIRED[value.type] ?? []) : [];
  for (const field of required)
    if (value[field] === undefined)
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `is missing in a block of type ${value.type}`,
      });
});
const content = messageContent(block);

const OWN_TOOLS = 'agents use the tools of their configuration; leave out';
const toolName = z.looseObject({ name: z.string() });

const tools = z
  .unknown()
  .optional()
  .superRefine((value, context) => {
    if (value == null || (Array.isArray(value) && value.length === 0)) return;
    const names = (Array.isArray(value) ? value : [value]).flatMap((one) => {
      const named = toolName.safeParse(one);
      return named.success ? [named.data.name.slice(0, 64)] : [];
    });
    const shown = names.length === 0 ? 'the tools' : names.slice(0, 10).join(', ');
    context.addIssue({ code: 'custom', message: `${OWN_TOOLS} ${shown}` });
  });

const asked = {
  /** An agent, a chain, or `inquest` for the default chain. */
  model: z.string().min(1).max(200),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content }))
    .min(1)
    .max(1_000),
  /** Text of the caller, never instructions of the agent. */
  system: content.nullish(),
  tools,
  mcp_servers: refused(`${OWN_TOOLS} the servers`),
  output_config: z
    .looseObject({ format: refused('an answer has the form of its agent; leave it out') })
    .nullish(),
};

/** The used fields of a request to count tokens. */
export const countRequestSchema = z.looseObject(asked);

/** The used fields of a question. Settings that only tune a model (`temperature`) are ignored. */
export const messagesRequestSchema = z.looseObject({
  ...asked,
  /** Where the answer is cut; a token counts as four bytes. */
  max_tokens: z.int().positive(),
  /** Texts at which the answer is cut. */
  stop_sequences: z.array(z.string().min(1).max(1_000)).max(100).nullish(),
  stream: z.boolean().nullish(),
});
/** A request in Anthropic's form. */
export type MessagesRequest = z.infer<typeof messagesRequestSchema>;

/** Thoughts, signatures and blocks of tools that come back are ignored. */
const TEXT_BLOCKS = ['text'];

/** The messages of a request with their texts, after the system text. */
export function listMessages({ messages, system }: z.infer<typeof countRequestSchema>): ClientMessage[] {
  const texts = messages.map(({ role, content }) => ({ role, text: joinTexts(content, TEXT_BLOCKS) }));
  return system == null ? texts : [{ role: 'system', text: joinTexts(system, TEXT_BLOCKS) }, ...texts];
}

/** Why the last message is no question: its role, or content no agent reads. Undefined if it is one. */
export function lastMessageFault({ messages }: MessagesRequest): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return 'the last message must have the role user: answers cannot be started';
  return findUnreadFault(last.content, TEXT_BLOCKS, 'blocks');
}
