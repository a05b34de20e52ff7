// Routes of questions in the form of OpenAI's Responses API.

import * as z from 'zod';
import { defineRoute } from '../../api/http/route.ts';
import { responsesRequestSchema } from './request.ts';
import { cancelResponse, createResponse, getResponse } from './responses.ts';

const response = z.looseObject({ id: z.string(), object: z.literal('response') });
const params = z.strictObject({ responseId: z.string().min(1).max(1_000) });

const create = defineRoute({
  method: 'post',
  path: '/v1/responses',
  alias: '/responses',
  id: 'createResponse',
  summary: "Asks a question in the form of OpenAI's Responses API",
  description:
    'In a new chat, or after the newest answer of a session, which `previous_response_id` or an `item_reference` names. With `background` it returns at once; `GET /v1/responses/{responseId}` has the answer.',
  role: 'responder',
  body: responsesRequestSchema,
  status: 200,
  answer: response,
  streams: true,
  problems: ['NOT_FOUND', 'SESSION_STATE', 'SESSION_BUSY', 'CONFIG_UNKNOWN_CHAIN', 'BUDGET_REACHED'],
  handle: (input, deps, context) => createResponse(context, input, deps),
});

const get = defineRoute({
  method: 'get',
  path: '/v1/responses/{responseId}',
  alias: '/responses/{responseId}',
  id: 'getResponse',
  summary: 'A response, or with `stream` its events after `starting_after`',
  role: 'viewer',
  params,
  query: z.strictObject({
    stream: z.enum(['true', 'false']).default('false'),
    starting_after: z.coerce.number().int().min(-1).default(-1),
    include: z.string().optional(),
  }),
  status: 200,
  answer: response,
  streams: true,
  problems: ['NOT_FOUND'],
  handle: async ({ params: { responseId: id }, query }, deps, context) => {
    const found = { id, stream: query.stream === 'true', after: query.starting_after };
    const answer = await getResponse(context, found, deps);
    return answer instanceof Response ? answer : context.json(answer);
  },
});

const cancel = defineRoute({
  method: 'post',
  path: '/v1/responses/{responseId}/cancel',
  alias: '/responses/{responseId}/cancel',
  id: 'cancelResponse',
  summary: 'Cancels the question of a response',
  role: 'responder',
  params,
  status: 200,
  answer: response,
  problems: ['NOT_FOUND'],
  handle: async ({ params: { responseId: id }, caller }, deps, context) =>
    (await cancelResponse(context, { id, caller }, deps)) as z.infer<typeof response>,
});

/** All routes in the form of the Responses API. */
export const RESPONSES_ROUTES = [create, get, cancel];
