// Unintended requests: every route, with right and wrong parts. None makes the API fail.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Route } from '../../shared/api/http/route.ts';
import { ANTHROPIC_WIRE } from '../../shared/features/anthropic/messages.ts';
import { OPENAI_WIRE } from '../../shared/features/openai/completions.ts';
import { ROUTES } from '../../shared/lists/routes.ts';
import { startApiBench } from '../support/apiBench.ts';
import { randomRuns } from '../support/fullTests.ts';

/** `API_REQUESTS=10000` tries more. */
const REQUESTS = Number(process.env.API_REQUESTS ?? randomRuns(1_000));
const script = { conversations: Array(6).fill({ turns: [{ text: 'Done.' }] }) };

/** Values of a JSON schema, and now and then something else. */
function valuesOf(schema: z.core.JSONSchema.BaseSchema): fc.Arbitrary<unknown> {
  const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(20_000)));
  const fitting = (): fc.Arbitrary<unknown> => {
    const { type, anyOf, enum: choices, properties = {}, items } = schema;
    if (choices) return fc.constantFrom(...choices);
    if (anyOf) return fc.oneof(...anyOf.map((one) => valuesOf(one as never)));
    if (type === 'object')
      return fc.record(
        Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valuesOf(one as never)])),
        { requiredKeys: [] },
      );
    if (type === 'array') return fc.array(valuesOf((items ?? {}) as never), { maxLength: 4 });
    if (type === 'integer' || type === 'number') return fc.integer({ min: -5, max: 300 });
    if (type === 'boolean') return fc.boolean();
    return type === 'string' ? fc.string({ unit: 'grapheme', maxLength: 30 }) : anything;
  };
  return fc.oneof({ weight: 5, arbitrary: fitting() }, { weight: 1, arbitrary: anything });
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as z.core.JSONSchema.BaseSchema;

it('no request makes the API fail, whatever it holds', async () => {
  const api = await startApiBench({ script, chat: {} });
  const sessionId = await api.investigate();
  const { timeline } = await api.read(sessionId);
  const eventId = `${timeline[0]?.executionId}.00001`;
  const wellKnown = fc.constantFrom(
    sessionId,
    eventId,
    'nosuch',
    '__proto__',
    '__x__',
    '..',
    '%2e%2e',
    '~',
    'a b',
    '\u0000',
    'é',
  );
  const requests = fc
    .constantFrom(...(ROUTES as unknown as Route[]))
    .filter(({ streams }) => !streams)
    .chain((route) =>
      fc.record({
        route: fc.constant(route),
        ids: fc.array(fc.oneof(wellKnown, fc.string({ unit: 'grapheme', minLength: 1 })), {
          minLength: 2,
          maxLength: 2,
        }),
        query: route.query ? valuesOf(schemaOf(route.query)) : fc.constant({}),
        body:
          route.body === undefined || route.body === 'bytes'
            ? fc.oneof(fc.string({ unit: 'binary' }), fc.json())
            : valuesOf(schemaOf(route.body)).map((value) => JSON.stringify(value) ?? ''),
        headers: fc.record(
          {
            'content-type': fc.constantFrom('application/json', 'text/plain', 'application/problem+json'),
            'x-tenant-id': fc.constantFrom('', 'acme', 'a b', '-'),
            'x-user-id': fc.constantFrom('', 'anna', 'x'.repeat(300)),
            'last-event-id': fc.constantFrom('', 'e30', 'x'),
          },
          { requiredKeys: ['content-type'] },
        ),
      }),
    );
  await fc.assert(
    fc.asyncProperty(requests, async ({ route, ids, query, body, headers }) => {
      const path = route.path.replace(/\{\w+\}/g, () =>
        encodeURIComponent((ids.shift() ?? 'x').toWellFormed()),
      );
      const search = new URLSearchParams(
        Object.entries(Object(query)).map(([name, value]): [string, string] => [
          name,
          // An object can hold a `toString` that is no function.
          typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]),
      );
      const method = route.method.toUpperCase();
      const request = { method, headers, ...(method === 'POST' && { body }) };
      const { status, body: answer } = await api.ask(`${path}?${search}`, request);
      expect(status, JSON.stringify({ path, body, answer })).toBeLessThan(500);
      const code = expect.any(String);
      // A segment of two dots leads to another address.
      const { pathname } = new URL(path, 'http://localhost');
      if (status >= 400)
        expect(answer).toMatchObject(
          [OPENAI_WIRE, ANTHROPIC_WIRE].some(({ owns }) => owns(pathname))
            ? { error: { code } }
            : { status, code },
        );
    }),
    { numRuns: REQUESTS, endOnFailure: true },
  );
});
