// The facts by which the verdict on a session is decided, from its checked statements. Pure.

import { readClaimsAnswer } from '../../evidence/claimsAnswer.ts';
import { isDecisive } from '../../evidence/decisive.ts';
import { type Observation, observationOf } from '../../evidence/observation.ts';
import { readSymptom } from '../../evidence/symptom.ts';
import type { CheckedEvidence, VerdictFacts } from '../../evidence/verdict.ts';
import type { CaveatCode } from '../../schema/common.ts';
import type { Session } from '../../schema/session.ts';
import type { ExecutionClaims } from './executionClaims.ts';
import { ALERT } from './matchEvidence.ts';
import { type MergedHypotheses, mergeHypotheses } from './mergeHypotheses.ts';
import type { ReadClaims } from './readClaims.ts';

/** Reasons of a conclusion that was forced or cut. */
const FORCED: ReadonlySet<CaveatCode> = new Set<CaveatCode>([
  'MAX_ITERATIONS',
  'BUDGET_REACHED',
  'TOOL_SERVER_UNAVAILABLE',
  'ITERATION_TIMEOUT',
  'MODEL_EMPTY_ANSWER',
  'MODEL_TRUNCATED',
  'DOCUMENT_TOO_LARGE',
]);

/** The facts of the table of verdicts. @param analysis the analysis whose claims were checked. */
export function verdictFacts(session: Session, read: ReadClaims, analysis: string): VerdictFacts {
  const { executions, combined } = read;
  const merged = mergeHypotheses(executions);
  const check = executions.find(({ kind }) => kind === 'claims');
  const answer = readClaimsAnswer(check?.execution.finalAnalysis ?? null);
  const cause = (answer?.cause ?? []).map((id) => merged.nameOf(check?.execution.executionId ?? '', id));
  const unanswered = [...combined.calls.values()].filter((isAnswered) => !isAnswered).length;
  const symptom = symptomOf(session, read);
  const agents = executions.filter(({ kind }) => kind === 'agent').map(({ execution }) => execution);
  const isClear = answer?.conclusion === 'not_an_incident' || symptom === 'recovered';
  return {
    isChecked: answer !== undefined,
    hypotheses: merged.all.map(({ id, component, mechanism }) => ({
      id,
      ...(component !== undefined && { component }),
      ...(mechanism !== undefined && { mechanism }),
    })),
    evidence: executions.flatMap((one) => checkedEvidence(one, merged)),
    cause: [...new Set(cause)],
    isComponentNamed: cause.every((id) => isNamed(merged, id, analysis)),
    calls: { distinct: combined.calls.size, unanswered },
    ...(symptom !== undefined && isClear && { allClear: symptom }),
    isSymptomHeld: symptom === 'true_now',
    isForced: agents.some(({ caveats }) => caveats.some((code) => FORCED.has(code))),
    isServerMissing: isServerMissing(read),
  };
}

function isNamed({ all }: MergedHypotheses, id: string, analysis: string): boolean {
  const component = all.find((one) => one.id === id)?.component;
  const name = /[^/:]+$/.exec(component ?? '')?.[0];
  return name !== undefined && analysis.toLowerCase().includes(name.toLowerCase());
}

/** Whether a server that is missing at the end has the tool of a support. */
function isServerMissing({ executions }: ReadClaims): boolean {
  const missing = new Set(
    executions.flatMap(({ execution }) => execution.missingServers.map(({ name }) => name)),
  );
  const needed = executions.flatMap(({ citable, matches }) =>
    [...matches.values()].flatMap(
      ({ result }) => citable.results.find(({ id }) => id === result)?.tool ?? [],
    ),
  );
  return needed.some((tool) => missing.has(tool.split('.')[0] ?? ''));
}

function symptomOf({ alert, alertText, createdAt }: Session, { combined, window }: ReadClaims) {
  if (alert === null) return undefined;
  const urls = [alert.url, ...alert.links.map(({ url }) => url)].filter((url) => url !== null);
  const results = combined.results.filter(({ yields, isError }) => yields === 'state' && !isError);
  const at = { start: (alert.startedAt ?? createdAt).getTime(), now: window.to };
  return readSymptom({ urls, text: alertText ?? '' }, results, at);
}

/** The evidence of an execution, with the kind and the observation of its result. */
export function checkedEvidence(one: ExecutionClaims, merged: MergedHypotheses): CheckedEvidence[] {
  const { execution, ledger, citable, matches } = one;
  const { executionId } = execution;
  return [...ledger.evidence.values()].map((evidence) => {
    const match = matches.get(evidence.id);
    const source = citable.results.find(({ id }) => id === match?.result);
    const observation: Observation =
      source === undefined ? { key: ALERT, tool: ALERT, resource: ALERT } : observationOf(source);
    const hypothesis = merged.nameOf(executionId, evidence.hypothesis);
    return {
      id: `${executionId}:${evidence.id}`,
      hypothesis,
      side: evidence.side,
      state: match?.state ?? 'absent',
      yields: evidence.result === ALERT ? 'alert' : source?.isError ? 'error' : (source?.yields ?? 'text'),
      observation,
      isDecisive: isDecisive(
        evidence.quote ?? evidence.value ?? '',
        merged.all.find(({ id }) => id === hypothesis)?.mechanism,
      ),
      isFailed: false,
      isMasked: match?.isMasked === true,
      isUntrusted: false,
      isToolChanged: source !== undefined && execution.changedTools.includes(source.tool),
    };
  });
}
