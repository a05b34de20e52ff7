// Routes of an execution's conversation with its model, and of its model calls.

import * as z from 'zod';
import { readConversation, readMessage } from '../../../runtime/views/conversationView.ts';
import { readInteractions } from '../../../runtime/views/interactionView.ts';
import { citationSchema } from '../../../schema/block.ts';
import { interactionSchema } from '../../../schema/interaction.ts';
import { unreadableSchema } from '../../../schema/readable.ts';
import { storedResultSchema } from '../../../schema/storedResult.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import { defineRoute } from '../../http/route.ts';
import { EVENT_ID, sessionParams } from '../../http/schemas.ts';

const executionParams = sessionParams.extend({ executionId: z.string().regex(EVENT_ID) });
const SEQUENCE = /^[1-9]\d{0,8}$/;

const blockSchema = z.strictObject({
  type: z
    .string()
    .describe('`text`, `thinking`, `tool_use`, `web_search_use`, `tool_result`, `image`, `document`'),
  text: z.string().describe('The text, the arguments of a call as JSON, or the result of a tool'),
  signed: z.boolean().describe('Whether the provider signed it'),
  ranBy: z.enum(['provider', 'server', 'client']).nullable().describe('Which side ran a tool'),
  toolName: z.string().nullable(),
  toolUseId: z.string().nullable(),
  isError: z.boolean().nullable(),
  stored: storedResultSchema
    .nullable()
    .describe('The place of the complete result, if `text` is a part of it'),
  mimeType: z.string().nullable(),
  uri: z.string().nullable(),
  citations: z.array(citationSchema.omit({ providerData: true })),
  sources: z.array(z.looseObject({ title: z.string(), url: z.string() })).describe('Of a search'),
});

const messageSchema = z.strictObject({
  messageId: z.string(),
  sequenceNumber: z.int(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  iteration: z.int().nullable(),
  model: z.string().nullable().describe('The model that wrote it, as `provider/model`'),
  blocks: z.array(blockSchema),
  cut: z.boolean().describe('Whether texts or blocks are omitted; `getMessage` has them'),
  createdAt: z.date(),
});

const callSchema = interactionSchema
  .omit({
    sessionId: true,
    thinking: true,
    expireAt: true,
    createdAt: true,
    interactionType: true,
    costUsd: true,
  })
  .extend({
    interactionId: z.string(),
    kind: interactionSchema.shape.interactionType,
    startedAt: z.date(),
    usd: z.number().nullable().describe('Null: its model has no price, or counted no tokens'),
    searchEntryPoint: z
      .string()
      .nullable()
      .describe('Unchecked HTML of search suggestions; show it only in a sandbox'),
  });

const page = { after: z.string().regex(EVENT_ID).optional().describe('`next` of the previous page') };
const reading = { method: 'get', role: 'viewer', status: 200 } as const;

const listMessages = defineRoute({
  ...reading,
  path: '/v1/sessions/{sessionId}/executions/{executionId}/messages',
  id: 'listMessages',
  summary: 'The conversation of an execution with its model, in pages of 800 kB',
  description:
    'As stored: masked, with results in frames. Data that only the provider reads and the marks of frames (`…`) are omitted. Texts of more than 64 kB in a message are cut (`cut`).',
  params: executionParams,
  query: z.strictObject(page),
  answer: z.strictObject({
    messages: z.array(messageSchema),
    unreadable: unreadableSchema,
    next: z.string().nullable(),
    now: z.date(),
  }),
  problems: ['NOT_FOUND'],
  async handle({ params, query: { after } }, { store, clock }) {
    checkCursor(after, params.executionId);
    const found = await readConversation({ ...params, after }, store);
    if (found === undefined) throw noExecution(params);
    const { items: messages, unreadable, next } = found;
    return { messages, unreadable, next, now: clock.now() };
  },
});

const getMessage = defineRoute({
  ...reading,
  path: '/v1/sessions/{sessionId}/executions/{executionId}/messages/{sequenceNumber}',
  id: 'getMessage',
  summary: 'A complete message of a conversation',
  params: executionParams.extend({ sequenceNumber: z.string().regex(SEQUENCE, 'must be a number from 1') }),
  answer: messageSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sequenceNumber, ...params } }, { store }) {
    const message = await readMessage(params, Number(sequenceNumber), store);
    if (message !== undefined) return message;
    throw new Problem('NOT_FOUND', `execution ${params.executionId} has no message ${sequenceNumber}`);
  },
});

const callsAnswer = z.strictObject({
  interactions: z.array(callSchema),
  unreadable: unreadableSchema,
  next: z.string().nullable(),
  now: z.date(),
});
const aboutCalls =
  'An iteration has one call of its model, and one for each result that was summarized (`kind`). The cost of an iteration is the sum of its calls. It is unknown if a call has no `usd`.';

const listInteractions = defineRoute({
  ...reading,
  path: '/v1/sessions/{sessionId}/executions/{executionId}/interactions',
  id: 'listInteractions',
  summary: 'The model calls of an execution: start, duration, model, tokens, cost, attempts and their errors',
  description: aboutCalls,
  params: executionParams,
  query: z.strictObject(page),
  answer: callsAnswer,
  problems: ['NOT_FOUND'],
  async handle({ params, query: { after } }, { store, clock }) {
    checkCursor(after, params.executionId);
    const found = await readInteractions({ ...params, after }, store);
    if (found === undefined) throw noExecution(params);
    const { items: interactions, unreadable, next } = found;
    return { interactions, unreadable, next, now: clock.now() };
  },
});

const listSessionInteractions = defineRoute({
  ...reading,
  path: '/v1/sessions/{sessionId}/interactions',
  id: 'listSessionInteractions',
  summary: 'The model calls of all executions of a session',
  description: aboutCalls,
  params: sessionParams,
  query: z.strictObject(page),
  answer: callsAnswer,
  problems: ['NOT_FOUND'],
  async handle({ params, query: { after } }, { store, clock }) {
    const found = await readInteractions({ ...params, after }, store);
    if (found === undefined) throw new Problem('NOT_FOUND', `there is no session ${params.sessionId}`);
    const { items: interactions, unreadable, next } = found;
    return { interactions, unreadable, next, now: clock.now() };
  },
});

function checkCursor(after: string | undefined, executionId: string): void {
  if (after === undefined || after.startsWith(`${executionId}.`)) return;
  const message = 'belongs to another execution; use `next` of a page';
  throw invalidField('query.after', message);
}

function noExecution({ sessionId, executionId }: z.infer<typeof executionParams>): Problem {
  return new Problem(
    'NOT_FOUND',
    `session ${sessionId} has no execution ${executionId}; GET /v1/sessions/${sessionId} lists the executions`,
  );
}

/** All routes about executions. */
export const EXECUTION_ROUTES = [listMessages, getMessage, listInteractions, listSessionInteractions];
