// The route of the claims of a session: hypotheses, evidence, tests and the verdict.

import * as z from 'zod';
import { readSessionClaims, type SessionClaims } from '../../runtime/claims/sessionClaims.ts';
import { Problem } from '../http/problem.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { sessionParams, unreadableSchema } from '../http/schemas.ts';

const text = z.string().nullable();
const ofExecution = { id: z.string(), executionId: z.string() };

const claimsSchema = z.strictObject({
  verdict: z
    .string()
    .nullable()
    .describe('`likely`, `inconclusive` or `blocked`; null: no agent kept a ledger, so nothing was checked'),
  rule: z.string().describe('The rule that decided: docs/trust.md'),
  caps: z.array(z.string()).describe('Reasons for which the verdict is not better'),
  hypotheses: z.array(
    z.strictObject({
      ...ofExecution,
      text,
      component: text,
      mechanism: text,
      cause: z.boolean().describe('Whether its agent concludes it'),
    }),
  ),
  evidence: z.array(
    z.strictObject({
      ...ofExecution,
      hypothesis: z.string(),
      side: z.enum(['for', 'against']),
      quote: text,
      pointer: text,
      value: text,
      state: z.string().describe('Only `held` counts'),
      result: text.describe('The id of the result in which it was found'),
      line: z.int().nullable(),
      found: text.describe('The text that stands there instead'),
    }),
  ),
  tests: z.array(
    z.strictObject({
      ...ofExecution,
      hypothesis: z.string(),
      against: z.string(),
      outcome: z.enum(['passed', 'failed', 'void', 'unanswered']),
      why: text.describe('Why a void test does not count'),
    }),
  ),
  values: z
    .array(
      z.strictObject({
        text: z.string(),
        kind: z.enum(['number', 'time', 'name']),
        state: z.enum(['held', 'alert', 'derived', 'unchecked']),
        result: text,
      }),
    )
    .describe('Of the analysis of the session'),
  unreadable: unreadableSchema,
});

/** The answer of the route. */
export type Claims = z.infer<typeof claimsSchema>;

const getClaims = defineRoute({
  method: 'get',
  role: 'viewer',
  status: 200,
  path: '/v1/sessions/{sessionId}/claims',
  id: 'getClaims',
  summary: 'The claims of a session, checked in the stored results, and the verdict',
  params: sessionParams,
  answer: claimsSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId } }, { store }) {
    const claims = await readSessionClaims(sessionId, store);
    if (claims === undefined) throw new Problem('NOT_FOUND', `there is no session ${sessionId}`);
    return claimsView(claims);
  },
});

function claimsView({ judgement, executions, values, unreadable }: SessionClaims): Claims {
  return {
    unreadable: [...unreadable],
    verdict: judgement.verdict ?? null,
    rule: judgement.rule,
    caps: [...judgement.caps],
    hypotheses: executions.flatMap(({ execution: { executionId }, ledger }) =>
      [...ledger.hypotheses.values()].map(
        ({ id, text = null, component = null, mechanism = null, cause = false }) => ({
          id,
          executionId,
          text,
          component,
          mechanism,
          cause,
        }),
      ),
    ),
    evidence: executions.flatMap(({ execution: { executionId }, ledger, matches }) =>
      [...ledger.evidence.values()].map(
        ({ id, hypothesis, side, quote = null, pointer = null, value = null }) => {
          const { state = 'absent', result = null, line = null, found = null } = matches.get(id) ?? {};
          return { id, executionId, hypothesis, side, quote, pointer, value, state, result, line, found };
        },
      ),
    ),
    tests: executions.flatMap(({ execution: { executionId }, tests }) =>
      tests.map(({ test: { id, hypothesis, against }, decision }) => {
        const why = decision.outcome === 'void' ? decision.why : null;
        return { id, executionId, hypothesis, against, outcome: decision.outcome, why };
      }),
    ),
    values: values.map(({ text: written, kind, state, result = null }) => ({
      text: written,
      kind,
      state,
      result,
    })),
  };
}

/** The route of claims. */
export const CLAIM_ROUTES: AnyRoute[] = [getClaims];
