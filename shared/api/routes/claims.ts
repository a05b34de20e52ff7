// The route of the claims of a session: hypotheses, evidence, tests and the verdict.

import * as z from 'zod';
import { evidenceName } from '../../runtime/claims/checkClaims.ts';
import type { ExecutionClaims } from '../../runtime/claims/executionClaims.ts';
import { letterOf } from '../../runtime/claims/readClaims.ts';
import { readSessionClaims, type SessionClaims } from '../../runtime/claims/sessionClaims.ts';
import { checkedEvidence } from '../../runtime/claims/verdictFacts.ts';
import { Problem } from '../http/problem.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { sessionParams, unreadableSchema } from '../http/schemas.ts';

const text = z.string().nullable();

const claimsSchema = z.strictObject({
  verdict: z
    .string()
    .nullable()
    .describe('`confirmed`, `likely`, `inconclusive`, `blocked` or `not_an_incident`; null: not checked'),
  rule: z.string().describe('The rule that decided: docs/trust.md'),
  caps: z.array(z.string()).describe('Reasons for which the verdict is not better'),
  isRecovered: z.boolean().describe("Whether the alert's condition was true and is not any more"),
  hypotheses: z
    .array(
      z.strictObject({
        id: z.string(),
        text,
        component: text,
        mechanism: text,
        effectOf: text,
        cause: z.boolean().describe('Whether the analysis concludes it'),
      }),
    )
    .describe('Of all agents; those with the same component and mechanism are one'),
  evidence: z.array(
    z.strictObject({
      id: z.string(),
      hypothesis: z.string(),
      side: z.enum(['for', 'against']),
      quote: text,
      pointer: text,
      value: text,
      state: z.string().describe('Only `held` counts'),
      yields: z.string().describe('The kind of its result: `state`, `text`, `change`, `alert` or `error`'),
      executionId: text.describe('The execution whose result has it'),
      result: text.describe('The id of that result'),
      callId: text.describe('The call that returned it'),
      line: z.int().nullable(),
      found: text.describe('The text that stands there instead'),
    }),
  ),
  tests: z.array(
    z.strictObject({
      id: z.string(),
      hypothesis: z.string(),
      against: z.string(),
      outcome: z.enum(['passed', 'failed', 'void', 'unanswered']),
      why: text.describe('Why a void test does not count'),
    }),
  ),
  links: z
    .array(z.strictObject({ text: z.string(), evidence: z.array(z.string()) }))
    .describe('Sentences of the analysis, with the ids of their evidence'),
  values: z
    .array(
      z.strictObject({
        text: z.string(),
        kind: z.enum(['number', 'time', 'name']),
        state: z.enum(['held', 'alert', 'derived', 'unchecked']),
        executionId: text,
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
  async handle({ params: { sessionId } }, { store, clock }) {
    const claims = await readSessionClaims(sessionId, store, clock.now());
    if (claims === undefined) throw new Problem('NOT_FOUND', `there is no session ${sessionId}`);
    return claimsView(claims);
  },
});

function claimsView(claims: SessionClaims): Claims {
  const { verdict, merged, executions, links, values, unreadable, causes } = claims;
  return {
    unreadable: [...unreadable],
    verdict: verdict.value,
    rule: verdict.rule,
    caps: [...verdict.caps],
    isRecovered: verdict.isRecovered,
    hypotheses: merged.all.map(
      ({ id, text = null, component = null, mechanism = null, effectOf = null }) => ({
        ...{ id, text, component, mechanism, effectOf, cause: causes.includes(id) },
      }),
    ),
    evidence: executions.flatMap((one, index) => evidenceView(one, index, claims)),
    tests: executions.flatMap(({ execution: { executionId }, tests }, index) =>
      tests.map(({ test: { id, hypothesis, against }, decision }) => ({
        id: evidenceName(index, id),
        hypothesis: merged.nameOf(executionId, hypothesis),
        against: merged.nameOf(executionId, against),
        outcome: decision.outcome,
        why: decision.outcome === 'void' ? decision.why : null,
      })),
    ),
    links: links.map(({ text: sentence, evidence }) => ({ text: sentence, evidence: [...evidence] })),
    values: values.map(({ text: written, kind, state, result }) => {
      const { executionId, result: id } = placeOf(claims, result);
      return { text: written, kind, state, executionId, result: id };
    }),
  };
}

function evidenceView(one: ExecutionClaims, index: number, claims: SessionClaims): Claims['evidence'] {
  const { execution, kind, ledger, matches, citable } = one;
  const checked = checkedEvidence(one, claims.merged);
  return [...ledger.evidence.values()].map(({ id, side, quote = null, pointer = null, value = null }, at) => {
    const { result, line = null, found = null } = matches.get(id) ?? {};
    const { state = 'absent', yields = 'text', hypothesis = '' } = checked[at] ?? {};
    const place =
      kind === 'agent' && result !== undefined
        ? { executionId: execution.executionId, result }
        : placeOf(claims, result);
    const callId = citable.results.find((source) => source.id === result)?.callId ?? null;
    return {
      id: kind === 'agent' ? evidenceName(index, id) : id,
      ...{ hypothesis, side, quote, pointer, value, state, yields, ...place, callId, line, found },
    };
  });
}

/** The execution and the own id of a result among those of all agents: `a.r5`. */
function placeOf({ executions }: SessionClaims, result: string | undefined) {
  const [letter, id] = (result ?? '').split('.');
  const index = executions.findIndex((_, at) => letterOf(at) === letter);
  const executionId = executions[index]?.execution.executionId ?? null;
  return executionId === null || id === undefined
    ? { executionId: null, result: null }
    : { executionId, result: id };
}

/** The route of claims. */
export const CLAIM_ROUTES: AnyRoute[] = [getClaims];
