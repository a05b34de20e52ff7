// The OpenAPI 3.1 document of the routes, made from the schemas that check their requests.

import * as z from 'zod';
import { REMEDIES, toHttpStatus } from '../http/problem.ts';
import type { AnyRoute, Route } from '../http/route.ts';

type Json = Record<string, unknown>;

const PROBLEMS_OF_ALL = [
  'REQUEST_INVALID',
  'LOGIN_REQUIRED',
  'ACCESS_DENIED',
  'REQUEST_TOO_SLOW',
  'RATE_LIMITED',
  'API_BUSY',
  'STORE_UNAVAILABLE',
] as const;

/** The OpenAPI 3.1 document of these routes, as a JSON value. */
export function openApiDocument(routes: readonly AnyRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes as readonly Route[]) {
    paths[route.path] = { ...paths[route.path], [route.method]: describeOperation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inquest',
      version: '1',
      description: 'Investigations of alerts: open, read, follow and steer them. Times are ISO 8601 in UTC.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // The document is served by the API that it describes.
    servers: [{ url: '/' }],
    paths,
    // On one machine there is no login, so a request without a key is valid.
    security: [{ bearer: [] }, {}],
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of `inquest keys`, or a Firebase ID token',
        },
      },
      schemas: { Problem: problemSchema() },
    },
  };
}

function describeOperation(route: Route): Json {
  const {
    id,
    summary,
    description,
    role,
    identify,
    params,
    query,
    headers,
    body,
    status,
    problems = [],
  } = route;
  const { isForOperators } = route;
  const caller = identify ? 'Only for its source.' : `For the role ${role}.`;
  const byStatus = Map.groupBy([...PROBLEMS_OF_ALL, ...problems], toHttpStatus);
  return {
    operationId: id,
    summary,
    ...(identify ? { security: [] } : { 'x-role': role }),
    ...(isForOperators && { 'x-operators': true }),
    description: [description, caller].filter((text) => text !== undefined).join(' '),
    parameters: [
      ...describeParameters('path', params),
      ...describeParameters('query', query),
      ...describeParameters('header', headers),
    ],
    ...(body !== undefined && { requestBody: describeRequestBody(body) }),
    responses: {
      [status]: {
        description: summary,
        content: describeAnswerContent(route),
      },
      ...Object.fromEntries(
        [...byStatus].map(([code, codes]) => [
          code,
          {
            description: codes.join(', '),
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        ]),
      ),
    },
  };
}

function describeAnswerContent({ answer, streams }: Route): Json {
  const isOnlyStream = answer.type === 'never';
  return {
    ...(!isOnlyStream && { 'application/json': { schema: toOpenApiSchema(answer, 'output') } }),
    ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
  };
}

function describeParameters(where: 'path' | 'query' | 'header', schema: z.ZodType | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toOpenApiSchema(schema, 'input');
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || (required as string[]).includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function describeRequestBody(body: NonNullable<Route['body']>): Json {
  if (body === 'bytes')
    return { required: true, content: { 'application/json': { schema: {} }, 'text/plain': { schema: {} } } };
  const required = !body.safeParse(undefined).success;
  return { required, content: { 'application/json': { schema: toOpenApiSchema(body, 'input') } } };
}

function toOpenApiSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date')
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
  return rest;
}

function problemSchema(): Json {
  const text = { type: 'string' };
  return {
    type: 'object',
    description: 'Why a request failed (RFC 9457). `code` is one of docs/errors.md.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: text,
      title: text,
      status: { type: 'integer' },
      detail: text,
      code: text,
      remedy: {
        type: 'string',
        enum: REMEDIES,
        description: 'The operation on the same session that resolves the problem',
      },
      errors: {
        type: 'array',
        items: { type: 'object', required: ['field', 'message'], properties: { field: text, message: text } },
      },
    },
  };
}
