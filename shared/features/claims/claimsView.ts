// The claims of a session as the API returns them: hypotheses, evidence, the verdict and its outcome.

import * as z from 'zod';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { verdictSentence } from '../../evidence/verdictWords.ts';
import type { Outcome } from '../../kits/alerts/outcome.ts';
import type { ExecutionClaims } from '../../kits/claims/executionClaims.ts';
import { executionLetter } from '../../kits/claims/readClaims.ts';
import type { SessionClaims } from '../../kits/claims/sessionClaims.ts';
import { evidenceName } from './checkClaims.ts';

const text = z.string().nullable();

/** The claims of a session. Missing values are null. */
export const claimsSchema = z.strictObject({
  verdict: z
    .string()
    .nullable()
    .describe('`confirmed`, `likely`, `inconclusive`, `blocked` or `not_an_incident`; null: not checked'),
  sentence: z.string().describe('The verdict with its reason, for people'),
  rule: z.string().describe('The rule that decided: shared/features/claims/README.md'),
  caps: z.array(z.string()).describe('Reasons for which the verdict is not better'),
  isRecovered: z.boolean().describe("Whether the alert's condition was true and is not any more"),
  hypotheses: z
    .array(
      z.strictObject({
        id: z.string(),
        text,
        component: text,
        mechanism: text,
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
      yields: z
        .string()
        .describe('The kind of its result: `state`, `text`, `change`, `alert`, `error` or `person`'),
      speaks: z.string().describe('How it speaks of the mechanism: as a `state`, as a `text`, or `nothing`'),
      contrast: z
        .string()
        .describe('Whether the state is different elsewhere or before: `shown`, `usual` or `open`'),
      executionId: text.describe('The execution whose result has it'),
      result: text.describe('The id of that result'),
      callId: text.describe('The call that returned it'),
      line: z.int().nullable(),
      found: text.describe('The text that stands there instead'),
    }),
  ),
  links: z
    .array(z.strictObject({ text: z.string(), evidence: z.array(z.string()) }))
    .describe('Sentences of the analysis, with the ids of their evidence'),
  values: z
    .array(
      z.strictObject({
        text: z.string(),
        kind: z.enum(['number', 'time', 'name', 'direction', 'state', 'cause']),
        state: z
          .enum(['held', 'alert', 'derived', 'absent', 'unchecked', 'contradicted', 'claim'])
          .describe(
            '`absent`: in no result. `unchecked`: the results have too little to decide. `contradicted`: they state otherwise. `claim`: a cause that the verdict does not cover',
          ),
        end: z.int().describe('Where it ends in the analysis, in UTF-16 units; -1: not known'),
        executionId: text,
        result: text,
        callId: text.describe('The call that returned the result'),
        line: z.int().nullable().describe('The first line of the result with the value as it is written'),
      }),
    )
    .describe('Values and assertions of the analysis of the session; of assertions only those with a mark'),
  outcome: z
    .strictObject({
      value: text.describe(
        '`held`, `self_resolved`, `overridden`, `recurred`, `unknown`; null before a check',
      ),
      reason: text,
      nextCheckAt: z.date().nullable().describe('Null after the last check'),
      probes: z.array(
        z.strictObject({
          id: z.string(),
          tool: z.string(),
          arguments: z.string(),
          find: z.string(),
          is: z.string(),
          value: text,
          action: text.describe('The action that should end the problem'),
        }),
      ),
      checks: z.array(
        z.strictObject({
          startedAt: z.date(),
          endedAt: z.date().nullable().describe('Null while it runs'),
          results: z
            .array(z.strictObject({ holds: z.boolean().nullable(), why: text }))
            .describe('Whether the result is as after the end of the problem, in the order of the probes'),
        }),
      ),
    })
    .nullable()
    .describe(
      'Whether the problem ended, by calls that are repeated 30 minutes and 24 hours later; null without probes',
    ),
  unreadable: unreadableSchema,
});
type Claims = z.infer<typeof claimsSchema>;

/** The view of claims. @param outcome of the session; undefined before the first check. */
export function claimsView(claims: SessionClaims, outcome: Outcome | undefined): Claims {
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
  const index = executions.findIndex((_, at) => executionLetter(at) === letter);
  const executionId = executions[index]?.execution.executionId ?? null;
  return executionId === null || id === undefined
    ? { executionId: null, result: null }
    : { executionId, result: id };
}
