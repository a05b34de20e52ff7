// Routes of questions in OpenAI's wire form.

import * as z from 'zod';
import { defineRoute } from '../../api/http/route.ts';
import { completeChat, findListedModel, modelList } from './completions.ts';
import { completionRequestSchema } from './request.ts';

const modelSchema = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});

const models = defineRoute({
  method: 'get',
  path: '/v1/models',
  alias: '/models',
  id: 'listModels',
  summary:
    'The chains that answer questions: the default chain (`inquest`), and every chain with a chat agent',
  role: 'viewer',
  status: 200,
  answer: z.strictObject({ object: z.literal('list'), data: z.array(modelSchema) }),
  handle: async (_, deps) => modelList(deps),
});

const model = defineRoute({
  method: 'get',
  path: '/v1/models/{model}',
  alias: '/models/{model}',
  id: 'getModel',
  summary: 'A chain that answers questions',
  role: 'viewer',
  params: z.strictObject({ model: z.string().min(1).max(200) }),
  status: 200,
  answer: modelSchema,
  problems: ['NOT_FOUND'],
  handle: async ({ params }, deps) => findListedModel(params.model, deps),
});

const completions = defineRoute({
  method: 'post',
  path: '/v1/chat/completions',
  alias: '/chat/completions',
  id: 'createChatCompletion',
  summary: 'Asks a question in the form of OpenAI',
  description:
    'In a new chat, or in the session of `X-Session-Id`, a header of each answer. With `stream`, text comes as chunks while the model writes, and actions of the agent as named events (`tool_call`, `action`, `progress`, `done`, `error`), whose data have empty choices. Errors have the form of OpenAI.',
  role: 'responder',
  body: completionRequestSchema,
  status: 200,
  answer: z.looseObject({ id: z.string(), object: z.literal('chat.completion') }),
  streams: true,
  problems: [
    'SESSION_UNKNOWN',
    'SESSION_STATE',
    'SESSION_BUSY',
    'CONFIG_UNKNOWN_CHAIN',
    'BUDGET_REACHED',
    'ANSWER_FAILED',
  ],
  handle: (input, deps, context) => completeChat(context, input, deps),
});

/** All routes in OpenAI's form. */
export const OPENAI_ROUTES = [models, model, completions];
