// The claims of a session: the ledgers of its agents, checked in the stored results, and the verdict that follows.

import type { Store } from '../../contract/store.ts';
import { isDecisive } from '../../evidence/decisive.ts';
import { foldLedger, type Ledger } from '../../evidence/ledger.ts';
import type { Match } from '../../evidence/match.ts';
import { type Observation, observationOf } from '../../evidence/observation.ts';
import { type CheckedValue, createStatementCheck } from '../../evidence/statement.ts';
import { type CheckedEvidence, type Judgement, judge, type VerdictFacts } from '../../evidence/verdict.ts';
import type { ToolResultBlock } from '../../schema/block.ts';
import type { CaveatCode } from '../../schema/common.ts';
import { executionType, paths, sessionType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Unreadable } from '../../schema/readable.ts';
import { readMessages } from '../kernel/conversation/conversation.ts';
import { listReadable } from '../views/readable.ts';
import { type CitableResults, citableResults } from './citableResults.ts';
import { checkTests, type DecidedTest } from './decideTests.ts';
import { ALERT, matchEvidence, statementsOf } from './matchEvidence.ts';
import { readPieces } from './readPieces.ts';

/** The checked ledger of an execution. */
interface ExecutionClaims {
  execution: Execution;
  ledger: Ledger;
  citable: CitableResults;
  matches: ReadonlyMap<string, Match>;
  tests: readonly DecidedTest[];
}

/** The claims of a session. */
export interface SessionClaims {
  judgement: Judgement;
  executions: readonly ExecutionClaims[];
  /** The numbers, times and names of the session's analysis; empty while there is none. */
  values: readonly CheckedValue[];
  /** Executions, and conversations, that cannot be read: their claims are missing. */
  unreadable: readonly Unreadable[];
}

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

/**
 * Reads and checks the claims of a session. Nothing is stored.
 * @returns undefined when there is no such session.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readSessionClaims(sessionId: string, store: Store): Promise<SessionClaims | undefined> {
  const session = await store.get(paths.session(sessionId), sessionType);
  if (session === undefined) return undefined;
  const found = await listReadable({ collection: paths.executions(sessionId) }, executionType, store);
  const executions: ExecutionClaims[] = [];
  const unreadable = [...found.unreadable];
  for (const execution of found.values) {
    const { claims, fault } = await readExecution(execution, store);
    executions.push(claims);
    if (fault !== undefined) unreadable.push(fault);
  }
  const analysis = session.value.finalAnalysis ?? '';
  const results = executions.flatMap(({ citable }) => citable.results);
  const alert = executions[0]?.citable.alert ?? '';
  const { values } = createStatementCheck(results, alert)(analysis);
  return { judgement: judge(factsOf(executions, analysis)), executions, values, unreadable };
}

async function readExecution(
  execution: Execution,
  store: Store,
): Promise<{ claims: ExecutionClaims; fault?: Unreadable }> {
  const { sessionId, executionId } = execution;
  const { value: messages, failure } = await readMessages(store, sessionId, executionId);
  const ordered = failure === undefined ? [...messages].sort(([a], [b]) => a - b).map(([, one]) => one) : [];
  const pieces = new Map<ToolResultBlock, readonly string[]>();
  for (const block of ordered.flatMap(({ blocks }) => blocks)) {
    if (block.blockType !== 'tool_result' || block.stored === undefined) continue;
    pieces.set(block, await readPieces(execution, block.stored, store));
  }
  const citable = citableResults(ordered, (block) => pieces.get(block));
  const { ledger } = foldLedger(statementsOf(ordered));
  const matches = matchEvidence(ledger, citable);
  const claims = { execution, ledger, citable, matches, tests: checkTests(ledger, citable) };
  if (failure === undefined) return { claims };
  const path = `${paths.messages(sessionId)}/${executionId}.*`;
  return { claims, fault: { path, code: failure.code, message: failure.message } };
}

/** The facts of the table of verdicts. Hypotheses of several agents with the same component and mechanism are one. */
function factsOf(executions: readonly ExecutionClaims[], analysis: string): VerdictFacts {
  const names = new Map<string, string>();
  const nameOf = ({ execution, ledger }: ExecutionClaims, id: string): string => {
    const { component, mechanism } = ledger.hypotheses.get(id) ?? {};
    const own = `${execution.executionId}:${id}`;
    if (component === undefined || mechanism === undefined) return own;
    const cause = `${component} ${mechanism}`;
    names.set(cause, names.get(cause) ?? own);
    return names.get(cause) ?? own;
  };
  const stated = executions.flatMap((one) =>
    [...one.ledger.hypotheses.values()].map((hypothesis) => ({
      one,
      hypothesis,
      id: nameOf(one, hypothesis.id),
    })),
  );
  const causes = stated.filter(({ hypothesis }) => hypothesis.cause === true);
  const lower = analysis.toLowerCase();
  const calls = new Map(executions.flatMap(({ citable }) => [...citable.calls]));
  return {
    isChecked: stated.length > 0,
    hypotheses: stated.map(({ one, hypothesis: { component, mechanism, effectOf }, id }) => ({
      id,
      ...(component !== undefined && { component }),
      ...(mechanism !== undefined && { mechanism }),
      ...(effectOf !== undefined && { effectOf: nameOf(one, effectOf) }),
    })),
    evidence: executions.flatMap((one) => checkedEvidence(one, nameOf)),
    tests: executions.flatMap((one) =>
      one.tests.map(({ test, decision }) => ({
        hypothesis: nameOf(one, test.hypothesis),
        against: nameOf(one, test.against),
        outcome: decision.outcome,
      })),
    ),
    cause: [...new Set(causes.map(({ id }) => id))],
    isComponentNamed: causes.every(({ hypothesis: { component } }) => {
      const name = /[^/:]+$/.exec(component ?? '')?.[0];
      return name !== undefined && lower.includes(name.toLowerCase());
    }),
    calls: {
      distinct: calls.size,
      unanswered: [...calls.values()].filter((isAnswered) => !isAnswered).length,
    },
    // No call reads the symptom again or looks for contradictions yet, so nothing is confirmed.
    isSymptomHeld: false,
    isCounterChecked: false,
    isForced: executions.some(({ execution }) => execution.caveats.some((code) => FORCED.has(code))),
    isServerMissing: executions.some(({ execution }) => execution.missingServers.length > 0),
  };
}

function checkedEvidence(
  one: ExecutionClaims,
  nameOf: (one: ExecutionClaims, id: string) => string,
): CheckedEvidence[] {
  const { execution, ledger, citable, matches } = one;
  return [...ledger.evidence.values()].map((evidence) => {
    const match = matches.get(evidence.id);
    const source = citable.results.find(({ id }) => id === match?.result);
    const observation: Observation =
      source === undefined ? { key: ALERT, tool: ALERT, resource: ALERT } : observationOf(source);
    return {
      id: `${execution.executionId}:${evidence.id}`,
      hypothesis: nameOf(one, evidence.hypothesis),
      side: evidence.side,
      state: match?.state ?? 'absent',
      yields: evidence.result === ALERT ? 'alert' : source?.isError ? 'error' : (source?.yields ?? 'text'),
      observation,
      isDecisive: isDecisive(
        evidence.quote ?? evidence.value ?? '',
        ledger.hypotheses.get(evidence.hypothesis)?.mechanism,
      ),
      ...(evidence.answers !== undefined && { answers: `${execution.executionId}:${evidence.answers}` }),
      isFailed: false,
      isMasked: match?.isMasked === true,
      isUntrusted: false,
      isToolChanged: source !== undefined && execution.changedTools.includes(source.tool),
    };
  });
}
