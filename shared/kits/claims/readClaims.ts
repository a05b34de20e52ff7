// Reads the ledgers of a session's agents, and answers of the check of claims, with searched evidence.

import * as z from 'zod';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { Store } from '../../core/contract/store.ts';
import { readMessages } from '../../core/kernel/conversation/conversation.ts';
import { CLAIMS_STRATEGY, CONTRAST_STRATEGY } from '../../core/schema/agent.ts';
import type { ToolResultBlock } from '../../core/schema/block.ts';
import { composeStageId, executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Unreadable } from '../../core/schema/readable.ts';
import type { Session } from '../../core/schema/session.ts';
import { readClaimsAnswer } from '../../evidence/claimsAnswer.ts';
import { foldLedger } from '../../evidence/ledger.ts';
import { statedContrasts } from '../../prompt/statedContrasts.ts';
import { collectedId, contrastId } from '../../schema/collected.ts';
import { type ContrastCall, contrastCallSchema } from '../../schema/contrast.ts';
import { parseJson } from '../../text/json.ts';
import { listReadable } from '../views/readable.ts';
import { type CitableResult, type CitableResults, citableResults } from './citableResults.ts';
import { type EvidenceWindow, evidenceWindow } from './evidenceWindow.ts';
import type { ExecutionClaims } from './executionClaims.ts';
import { matchEvidence, readConversationLedger } from './matchEvidence.ts';
import { readPieces } from './readPieces.ts';

/** The statements of a session. */
export interface ReadClaims {
  /** Agents first, in the order of their ids. */
  executions: readonly ExecutionClaims[];
  /** All results of agents, as `a.r5`. */
  combined: CitableResults;
  window: EvidenceWindow;
  /** The calls for contrast that were asked, and their results; without one they did not answer. */
  contrasts: readonly { call: ContrastCall; result?: CitableResult }[];
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
  const claims = found.values.filter(({ agentName }) => agentName === CLAIMS_STRATEGY).slice(-1);
  const window = evidenceWindow(session, claims[0]?.createdAt ?? now);
  const stages = new Set(session.chain.stages.map(({ name }, index) => composeStageId(index + 1, name)));
  const agents: ExecutionClaims[] = [];
  const contrasts: ReadClaims['contrasts'][number][] = [];
  for (const execution of found.values.filter(({ stageId }) => stages.has(stageId))) {
    const { claims: own, fault, asked } = await readExecution(execution, store, window);
    agents.push(own);
    contrasts.push(...asked);
    if (fault !== undefined) unreadable.push(fault);
  }
  for (const execution of found.values.filter(({ agentName }) => agentName === CONTRAST_STRATEGY))
    contrasts.push(...pairContrastCalls(await readConversation(execution, store), 'probe'));
  const combined = combineResults(agents, window);
  const answers = claims.map((execution) => checkStatements(execution, agents, combined));
  return { executions: [...agents, ...answers], combined, window, contrasts, unreadable };
}

/** The messages of an execution, and its results. */
async function readConversation(execution: Execution, store: Store) {
  const { sessionId, executionId } = execution;
  const { value: messages, failure } = await readMessages(store, sessionId, executionId);
  const ordered = failure === undefined ? [...messages].sort(([a], [b]) => a - b).map(([, one]) => one) : [];
  const pieces = new Map<ToolResultBlock, readonly string[]>();
  for (const block of ordered.flatMap(({ blocks }) => blocks)) {
    if (block.blockType !== 'tool_result' || block.stored === undefined) continue;
    pieces.set(block, await readPieces(execution, block.stored, store));
  }
  return { ordered, failure, citable: citableResults(ordered, (block) => pieces.get(block)) };
}

async function readExecution(
  execution: Execution,
  store: Store,
  window: EvidenceWindow,
): Promise<{ claims: ExecutionClaims; asked: ReadClaims['contrasts']; fault?: Unreadable }> {
  const { sessionId, executionId } = execution;
  const { ordered, failure, ...read } = await readConversation(execution, store);
  const citable = { ...read.citable, window };
  const ledger = readConversationLedger(ordered);
  const matches = matchEvidence(ledger, citable);
  const claims = { execution, kind: 'agent' as const, ledger, citable, matches };
  const asked = pairContrastCalls({ ordered, citable }, 'agent');
  if (failure === undefined) return { claims, asked };
  const path = `${paths.messages(sessionId)}/${executionId}.*`;
  return { claims, asked, fault: { path, code: failure.code, message: failure.message } };
}

const callsSchema = z.array(contrastCallSchema).catch([]);
/** The starts of results of calls that did not run: they were not asked. */
const NOT_ASKED = /^(?:Not (?:run|recorded)|There is no tool "|\S+ was not run:)/;

function pairContrastCalls(
  { ordered, citable }: { ordered: readonly ConversationMessage[]; citable: CitableResults },
  of: 'probe' | 'agent',
): ReadClaims['contrasts'] {
  const blocks = ordered.flatMap((message) => message.blocks);
  const [purpose] = blocks;
  const stated =
    of === 'agent'
      ? statedContrasts(ordered)
      : parseJson(purpose?.blockType === 'text' ? purpose.textContent : '');
  const calls = callsSchema.parse(stated);
  return calls.flatMap((call, index) => {
    const callId = of === 'agent' ? contrastId(index) : collectedId(index);
    const answer = blocks.find((one) => one.blockType === 'tool_result' && one.toolUseId === callId);
    if (answer?.blockType === 'tool_result' && answer.isError && NOT_ASKED.test(answer.textContent))
      return [];
    const result = [...citable.results, ...citable.contrasts].find((one) => one.callId === callId);
    const own = { id: `contrast.${index + 1}`, arguments: call.arguments };
    return [{ call, ...(result && { result: { ...result, ...own } }) }];
  });
}

/** The letter of an agent's execution in the ids of its results. */
export function executionLetter(index: number): string {
  return index < 26
    ? String.fromCharCode(97 + index)
    : `${executionLetter(Math.floor(index / 26) - 1)}${executionLetter(index % 26)}`;
}

function combineResults(agents: readonly ExecutionClaims[], window: EvidenceWindow): CitableResults {
  return {
    results: agents.flatMap(({ citable }, index) =>
      citable.results.map((result) => ({ ...result, id: `${executionLetter(index)}.${result.id}` })),
    ),
    readings: new Map(
      agents.flatMap(({ citable: { readings = new Map() } }, index) =>
        [...readings].map(
          ([id, of]) => [`${executionLetter(index)}.${id}`, `${executionLetter(index)}.${of}`] as const,
        ),
      ),
    ),
    alert: agents[0]?.citable.alert ?? '',
    person: [...new Set(agents.map(({ citable }) => citable.person))].join('\n'),
    calls: new Map(agents.flatMap(({ citable }) => [...citable.calls])),
    contrasts: [],
    window,
  };
}

function checkStatements(
  execution: Execution,
  agents: readonly ExecutionClaims[],
  combined: CitableResults,
): ExecutionClaims {
  const { finalAnalysis } = execution;
  const isAnswered = finalAnalysis !== null && readClaimsAnswer(finalAnalysis) !== undefined;
  const { ledger: own } = foldLedger(isAnswered ? [finalAnalysis] : []);
  const isOnly = agents.length === 1;
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
  const matches = matchEvidence(ledger, combined);
  return { execution, kind: 'claims', ledger, citable: combined, matches };
}
