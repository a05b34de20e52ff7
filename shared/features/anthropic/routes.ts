// Routes of questions in Anthropic's wire form.

import * as z from 'zod';
import { defineRoute } from '../../api/http/route.ts';
import { countTokens, createMessage, REPEATED_WITHIN_MS } from './messages.ts';
import { countRequestSchema, messagesRequestSchema } from './request.ts';

const messages = defineRoute({
  method: 'post',
  path: '/v1/messages',
  id: 'createMessage',
  summary: 'Asks a question in the form of Anthropic',
  description:
    'In a new chat, or in the session of `X-Session-Id`, a header of each answer. The model is an agent, a chain or `inquest`. With `stream`, text and thoughts come while the model writes. An equal request within 15 minutes joins the running question. Errors have the form of Anthropic.',
  role: 'responder',
  headers: z.looseObject({
    'x-session-id': z.string().optional(),
    'x-agent-schema': z.string().optional(),
    'x-model-name': z.string().optional(),
  }),
  repeatedWithinMs: REPEATED_WITHIN_MS,
  body: messagesRequestSchema,
  status: 200,
  answer: z.looseObject({ id: z.string(), type: z.literal('message') }),
  streams: true,
  problems: [
    'NOT_FOUND',
    'SESSION_UNKNOWN',
    'SESSION_STATE',
    'SESSION_BUSY',
    'BUDGET_REACHED',
    'ANSWER_FAILED',
    'REQUEST_RUNNING',
  ],
  handle: (input, deps, context) => createMessage(context, input, deps),
});

const count = defineRoute({
  method: 'post',
  path: '/v1/messages/count_tokens',
  id: 'countMessageTokens',
  summary: 'Counts the tokens of a question at most, without instructions and tools of the agent',
  role: 'viewer',
  body: countRequestSchema,
  status: 200,
  answer: z.strictObject({ input_tokens: z.int() }),
  handle: async ({ body }, _, context) => countTokens(context, body),
});

/** All routes in Anthropic's form. */
export const ANTHROPIC_ROUTES = [messages, count];
