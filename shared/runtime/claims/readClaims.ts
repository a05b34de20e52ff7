// Reads the ledgers of a session's agents, and the answers of the calls that check its claims, with their evidence searched.

import type { Store } from '../../contract/store.ts';
import { readClaimsAnswer, readCounterAnswer } from '../../evidence/claimsAnswer.ts';
import { foldLedger } from '../../evidence/ledger.ts';
import { MAX_CONTRADICTIONS } from '../../prompt/claims.ts';
import { CLAIMS_STRATEGY, COUNTER_STRATEGY } from '../../schema/agent.ts';
import type { ToolResultBlock } from '../../schema/block.ts';
import { executionType, paths, stageIdOf } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Unreadable } from '../../schema/readable.ts';
import type { Session } from '../../schema/session.ts';
import { readMessages } from '../kernel/conversation/conversation.ts';
import { listReadable } from '../views/readable.ts';
import { type CitableResults, citableResults } from './citableResults.ts';
import { checkTests } from './decideTests.ts';
import type { ExecutionClaims } from './executionClaims.ts';
import { ledgerOf, matchEvidence } from './matchEvidence.ts';
import { mergeHypotheses } from './mergeHypotheses.ts';
import { readPieces } from './readPieces.ts';
import { type EvidenceScope, scopeOf } from './scope.ts';

/** The statements of a session. */
export interface ReadClaims {
  /** Agents first, in the order of their ids. */
  executions: readonly ExecutionClaims[];
  /** All results of agents, as `a.r5`. */
  combined: CitableResults;
  scope: EvidenceScope;
  unreadable: readonly Unreadable[];
}

/**
 * Reads and searches the statements of a session, up to the latest check of its claims.
 * @param now the latest time of evidence, while its claims were not checked.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readClaims(session: Session, store: Store, now: Date): Promise<ReadClaims> {
  const found = await listReadable({ collection: paths.executions(session.sessionId) }, executionType, store);
  const unreadable = [...found.unreadable];
  const checks = (name: string) => found.values.filter(({ agentName }) => agentName === name).slice(-1);
  const claims = checks(CLAIMS_STRATEGY);
  const counter = checks(COUNTER_STRATEGY).filter(
    ({ createdAt }) => createdAt >= (claims[0]?.createdAt ?? now),
  );
  const scope = scopeOf(session, claims[0]?.createdAt ?? now);
  const stages = new Set(session.chain.stages.map(({ name }, index) => stageIdOf(index + 1, name)));
  const agents: ExecutionClaims[] = [];
  for (const execution of found.values.filter(({ stageId }) => stages.has(stageId))) {
    const { claims: own, fault } = await readExecution(execution, store, scope);
    agents.push(own);
    if (fault !== undefined) unreadable.push(fault);
  }
  const combined = combineResults(agents);
  const answers = [
    ...claims.map((execution) => {
      const isAnswered = readClaimsAnswer(execution.finalAnalysis) !== undefined;
      return checkStatements(
        execution,
        'claims',
        isAnswered ? execution.finalAnalysis : null,
        agents,
        combined,
        scope,
      );
    }),
  ];
  const counters = counter.map((execution) => {
    const statement = readCounterAnswer(execution.finalAnalysis, MAX_CONTRADICTIONS) ?? null;
    return checkStatements(execution, 'counter', statement, [...agents, ...answers], combined, scope);
  });
  return { executions: [...agents, ...answers, ...counters], combined, scope, unreadable };
}

async function readExecution(
  execution: Execution,
  store: Store,
  scope: EvidenceScope,
): Promise<{ claims: ExecutionClaims; fault?: Unreadable }> {
  const { sessionId, executionId } = execution;
  const { value: messages, failure } = await readMessages(store, sessionId, executionId);
  const ordered = failure === undefined ? [...messages].sort(([a], [b]) => a - b).map(([, one]) => one) : [];
  const pieces = new Map<ToolResultBlock, readonly string[]>();
  for (const block of ordered.flatMap(({ blocks }) => blocks)) {
    if (block.blockType !== 'tool_result' || block.stored === undefined) continue;
    pieces.set(block, await readPieces(execution, block.stored, store));
  }
  const citable = { ...citableResults(ordered, (block) => pieces.get(block)), ...windowOf(scope) };
  const ledger = ledgerOf(ordered);
  const matches = matchEvidence(ledger, citable, scope);
  const claims = {
    execution,
    kind: 'agent' as const,
    ledger,
    citable,
    matches,
    tests: checkTests(ledger, citable),
  };
  if (failure === undefined) return { claims };
  const path = `${paths.messages(sessionId)}/${executionId}.*`;
  return { claims, fault: { path, code: failure.code, message: failure.message } };
}

const windowOf = ({ window }: EvidenceScope): Pick<CitableResults, 'window'> => (window ? { window } : {});

/** The letter of an agent's execution in the ids of its results. */
export function letterOf(index: number): string {
  return index < 26
    ? String.fromCharCode(97 + index)
    : `${letterOf(Math.floor(index / 26) - 1)}${letterOf(index % 26)}`;
}

/** The results of all agents, with the letter of their execution. */
function combineResults(agents: readonly ExecutionClaims[]): CitableResults {
  const window = agents[0]?.citable.window;
  return {
    results: agents.flatMap(({ citable }, index) =>
      citable.results.map((result) => ({ ...result, id: `${letterOf(index)}.${result.id}` })),
    ),
    readings: new Map(
      agents.flatMap(({ citable: { readings = new Map() } }, index) =>
        [...readings].map(([id, of]) => [`${letterOf(index)}.${id}`, `${letterOf(index)}.${of}`] as const),
      ),
    ),
    alert: agents[0]?.citable.alert ?? '',
    calls: new Map(agents.flatMap(({ citable }) => [...citable.calls])),
    ...(window && { window }),
  };
}

/** The statements of a check, whose evidence is searched in the results of all agents. */
function checkStatements(
  execution: Execution,
  kind: 'claims' | 'counter',
  statement: string | null,
  before: readonly ExecutionClaims[],
  combined: CitableResults,
  scope: EvidenceScope,
): ExecutionClaims {
  const { ledger: own } = foldLedger(statement === null ? [] : [{ arguments: statement, message: 0 }]);
  const { all } = mergeHypotheses(before);
  const isOnly = before.filter(({ kind: of }) => of === 'agent').length === 1;
  const evidence = new Map(
    [...own.evidence].map(([id, one]) => {
      const result = one.result?.toLowerCase();
      return [
        id,
        { ...one, ...(result && { result: isOnly && /^r\d+$/.test(result) ? `a.${result}` : result }) },
      ];
    }),
  );
  const ledger = { ...own, evidence };
  const known = {
    ...ledger,
    hypotheses: new Map([...own.hypotheses, ...all.map((one) => [one.id, one] as const)]),
  };
  return {
    execution,
    kind,
    ledger,
    citable: combined,
    matches: matchEvidence(known, combined, scope),
    tests: [],
  };
}
