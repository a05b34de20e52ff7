// The verdict at the end of the stage that checks claims, and the texts for its call.

import type { Store } from '../../core/contract/store.ts';
import type { OwnStage } from '../../core/kernel/stageFeature.ts';
import type { Finding } from '../../core/prompts/findings.ts';
import { CLAIMS_STRATEGY } from '../../core/schema/agent.ts';
import type { Session } from '../../core/schema/session.ts';
import type { Stage } from '../../core/schema/stage.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { probeFault } from '../../evidence/probe.ts';
import type { SessionVerdict } from '../../evidence/schema/verdict.ts';
import type { Probe } from '../../kits/alerts/outcome.ts';
import { MAX_PROBES } from '../../kits/alerts/outcome.ts';
import type { ExecutionClaims } from '../../kits/claims/executionClaims.ts';
import { type MergedHypotheses, mergeHypotheses } from '../../kits/claims/mergeHypotheses.ts';
import { executionLetter, type ReadClaims, readClaims } from '../../kits/claims/readClaims.ts';
import { sessionVerdict } from '../../kits/claims/sessionVerdict.ts';
import { verdictFacts } from '../../kits/claims/verdictFacts.ts';
import { limitHead } from '../../text/limitText.ts';
import { CLAIMS_SYSTEM_PROMPT, claimsPrompt } from '../../wording/claims.ts';

/** Characters of a quote and of arguments in a prompt. */
const MAX_QUOTE = 300;

/** The verdict, and the calls that follow from the claims. */
export interface ClaimsCheck {
  verdict: SessionVerdict;
  /** The analysis of a session that has no other. Absent: none. */
  finding?: Finding;
  /** The calls that are repeated after the end of the session. Absent: none. */
  probes?: readonly Probe[];
}

/** Decides the verdict after the call of the stage has ended. @throws as `readClaims`. */
export async function checkClaims(
  session: Session,
  stage: Pick<Stage, 'createdAt'>,
  store: Store,
): Promise<ClaimsCheck> {
  const read = await readClaims(session, store, stage.createdAt);
  const verdict = sessionVerdict(session, read, verdictFacts(session, read));
  return verdict.value === null ? { verdict } : { verdict, probes: statedProbes(read.executions) };
}

/** The longest time of the call, in milliseconds; the session's deadline can be earlier. */
const CLAIMS_TIMEOUT_MS = 120_000;

/** The stage of the call. @throws as `readClaims`; RangeError for a chain without a ledger. */
export async function claimsStage(
  session: Session,
  findings: Finding[],
  store: Store,
  now: Date,
): Promise<OwnStage> {
  const { claims, name: chain } = session.chain;
  if (claims === undefined) throw new RangeError(`chain ${chain} keeps no ledger`);
  const read = await readClaims(session, store, now);
  const merged = mergeHypotheses(read.executions);
  const line = ({ id, component, mechanism, cause, text }: MergedHypotheses['all'][number]): string =>
    [
      id,
      component ?? '(no component)',
      mechanism ?? '(no mechanism)',
      ...(cause ? ['(cause)'] : []),
      text ?? '',
    ].join(' ');
  const texts = {
    alert: session.input ?? '',
    nonce: session.dataNonce,
    findings,
    ledger: merged.all
      .map((one) => [line(one), ...evidenceLines(read, merged, one.id)].join('\n'))
      .join('\n'),
    results: read.combined.results.map(({ id, tool, arguments: args, text }) => ({
      id,
      call: `${tool} ${limitHead(args, MAX_QUOTE)}`,
      text,
    })),
  };
  return {
    agent: { ...claims, name: CLAIMS_STRATEGY, strategy: CLAIMS_STRATEGY },
    deadline: new Date(Math.min(session.deadline.getTime(), now.getTime() + CLAIMS_TIMEOUT_MS)),
    messages: [textMessage('system', CLAIMS_SYSTEM_PROMPT), textMessage('user', claimsPrompt(texts))],
  };
}

/** The evidence of a merged hypothesis, a line each: its id, side, state, result and quote. */
function evidenceLines({ executions }: ReadClaims, merged: MergedHypotheses, of: string): string[] {
  return executions.flatMap(({ execution: { executionId }, kind, ledger, matches }, index) =>
    [...ledger.evidence.values()]
      .filter(({ hypothesis }) => merged.nameOf(executionId, hypothesis) === of)
      .map(({ id, side, quote, pointer, value }) => {
        const { state = 'absent', result } = matches.get(id) ?? {};
        const name = kind === 'agent' ? evidenceName(index, id) : id;
        const place = result === undefined || kind !== 'agent' ? (result ?? '') : evidenceName(index, result);
        const stated = (quote ?? `${pointer ?? ''} = ${value ?? ''}`).replaceAll(/\s+/g, ' ');
        return `  ${name} ${side} ${state} ${place} ${limitHead(stated, MAX_QUOTE)}`;
      }),
  );
}

/** The name of an agent's evidence or result among those of all agents: `a.e1`. */
export const evidenceName = (index: number, id: string): string => `${executionLetter(index)}.${id}`;

/** The first probes that can be repeated, in the order of the agents. */
function statedProbes(executions: readonly ExecutionClaims[]): Probe[] {
  return executions
    .flatMap(({ execution: { executionId }, kind, ledger, citable }, index) =>
      [...ledger.probes.values()]
        .filter((probe) => kind === 'agent' && probeFault(probe, citable.results) === undefined)
        .map(({ value = null, action = null, ...probe }) => ({
          ...probe,
          value,
          action,
          executionId,
          id: `${executionLetter(index)}.${probe.id}`,
        })),
    )
    .slice(0, MAX_PROBES);
}
