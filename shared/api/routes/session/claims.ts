// The route of the claims of a session: hypotheses, evidence and the verdict.

import type * as z from 'zod';
import { evidenceName } from '../../../runtime/claims/checkClaims.ts';
import type { ExecutionClaims } from '../../../runtime/claims/executionClaims.ts';
import { letterOf } from '../../../runtime/claims/readClaims.ts';
import { readSessionClaims, type SessionClaims } from '../../../runtime/claims/sessionClaims.ts';
import { captureFailure } from '../../../runtime/kernel/documents/reading.ts';
import { outcomeType, paths } from '../../../schema/documents.ts';
import type { Outcome } from '../../../schema/features/outcome.ts';
import { verdictSentence } from '../../../text/verdictWords.ts';
import { claimsSchema } from '../../http/claimsSchema.ts';
import { Problem } from '../../http/problem.ts';
import { defineRoute } from '../../http/route.ts';
import { sessionParams } from '../../http/schemas.ts';

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
    const stored = await captureFailure(store.get(paths.outcome(sessionId), outcomeType));
    const view = claimsView(claims, stored.value?.value);
    const { failure } = stored;
    if (failure === undefined) return view;
    const fault = { path: paths.outcome(sessionId), code: failure.code, message: failure.message };
    return { ...view, unreadable: [...view.unreadable, fault] };
  },
});

function claimsView(claims: SessionClaims, outcome: Outcome | undefined): Claims {
  const { verdict, merged, executions, links, values, unreadable, causes } = claims;
  return {
    outcome: outcome === undefined ? null : outcomeView(outcome),
    unreadable: [...unreadable],
    verdict: verdict.value,
    sentence: verdictSentence(verdict),
    rule: verdict.rule,
    caps: [...verdict.caps],
    isRecovered: verdict.isRecovered,
    hypotheses: merged.all.map(({ id, text = null, component = null, mechanism = null }) => ({
      id,
      text,
      component,
      mechanism,
      cause: causes.includes(id),
    })),
    evidence: executions.flatMap((one, index) => evidenceView(one, index, claims)),
    links: links.map(({ text: sentence, evidence }) => ({ text: sentence, evidence: [...evidence] })),
    values: values.map(({ text: written, kind, state, end, result, callId = null, line = null }) => {
      const { executionId, result: id } = placeOf(claims, result);
      return { text: written, kind, state, end, executionId, result: id, callId, line };
    }),
  };
}

function outcomeView({ value, reason, dueAt, probes, checks }: Outcome): Claims['outcome'] {
  return {
    value,
    reason,
    nextCheckAt: dueAt,
    probes: probes.map(({ executionId: _, ...probe }) => probe),
    checks: checks.map(({ stageId: _, ...check }) => check),
  };
}

function evidenceView(one: ExecutionClaims, index: number, claims: SessionClaims): Claims['evidence'] {
  const { execution, kind, ledger, matches, citable } = one;
  return [...ledger.evidence.values()].map(({ id, side, quote = null, pointer = null, value = null }) => {
    const checked = claims.evidence.find((other) => other.id === `${execution.executionId}:${id}`);
    const { result, line = null, found = null } = matches.get(id) ?? {};
    const {
      state = 'absent',
      yields = 'text',
      hypothesis = '',
      speaks = 'nothing',
      contrast = 'open',
    } = checked ?? {};
    const place =
      kind === 'agent' && result !== undefined
        ? { executionId: execution.executionId, result }
        : placeOf(claims, result);
    const callId = citable.results.find((source) => source.id === result)?.callId ?? null;
    return {
      id: kind === 'agent' ? evidenceName(index, id) : id,
      hypothesis,
      side,
      quote,
      pointer,
      value,
      state,
      yields,
      speaks,
      contrast,
      ...place,
      callId,
      line,
      found,
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
export const CLAIM_ROUTES = [getClaims];
