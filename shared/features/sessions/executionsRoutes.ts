// Routes of an execution's conversation with its model, and of its model calls.

import * as z from 'zod';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { EVENT_ID, sessionParams } from '../../api/http/schemas.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import {
  readConversation,
  readShownMessage,
  readWholeConversation,
} from '../../kits/views/conversationView.ts';
import { interactionViewSchema, readInteractions } from '../../kits/views/interactionView.ts';
import { messageViewSchema } from '../../kits/views/messageView.ts';
import { nextSchema } from '../../kits/views/readPage.ts';
import { CONVERSATION_FORMS } from '../../text/conversationForms.ts';

const executionParams = sessionParams.extend({ executionId: z.string().regex(EVENT_ID) });
const SEQUENCE = /^[1-9]\d{0,8}$/;

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
    messages: z.array(messageViewSchema),
    unreadable: unreadableSchema,
    next: nextSchema,
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
  answer: messageViewSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sequenceNumber, ...params } }, { store }) {
    const message = await readShownMessage(params, Number(sequenceNumber), store);
    if (message !== undefined) return message;
    throw new Problem('NOT_FOUND', `execution ${params.executionId} has no message ${sequenceNumber}`);
  },
});

const exportConversation = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/executions/{executionId}/conversation',
  id: 'exportConversation',
  summary: "The whole conversation of an execution in the form of a provider's API",
  description:
    'With calls and results of tools, as a request of that API holds them. As stored: masked; marks of frames (`…`) are omitted.',
  role: 'responder',
  params: executionParams,
  query: z.strictObject({ form: z.enum(CONVERSATION_FORMS).default('gemini') }),
  status: 200,
  answer: z.looseObject({}),
  problems: ['NOT_FOUND'],
  async handle({ params, query: { form } }, deps) {
    const messages = await readWholeConversation(params, deps.store);
    if (messages === undefined) throw noExecution(params);
    return deps.exportConversation(messages, form);
  },
});

const callsAnswer = z.strictObject({
  interactions: z.array(interactionViewSchema),
  unreadable: unreadableSchema,
  next: nextSchema,
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
export const EXECUTION_ROUTES = [
  listMessages,
  getMessage,
  exportConversation,
  listInteractions,
  listSessionInteractions,
];
