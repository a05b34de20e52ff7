// The ledger: agents state hypotheses, evidence and probes, and code checks the evidence in the stored
// results. The calls are answered with the model's answer; they never run.

import { isLedgerCall, KEEPS_LEDGER } from '../../../core/contract/ledgerTool.ts';
import type { ConversationMessage } from '../../../core/contract/llm.ts';
import type { RuntimeDeps } from '../../../core/kernel/deps.ts';
import type { Feature } from '../../../core/kernel/feature/feature.ts';
import { failedResult } from '../../../core/kernel/state/callResult.ts';
import { LEDGER_TOOL } from '../../../core/prompts/ledgerTool.ts';
import type { ToolResultBlock } from '../../../core/schema/block.ts';
import { paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import type { Execution } from '../../../core/schema/execution.ts';
import { addStatement } from '../../../evidence/ledger.ts';
import { readTexts } from '../../../evidence/match.ts';
import { type CitableResults, citableResults } from '../../../kits/claims/citableResults.ts';
import { type EvidenceWindow, evidenceWindow } from '../../../kits/claims/evidenceWindow.ts';
import { createFinder, matchEvidence, readConversationLedger } from '../../../kits/claims/matchEvidence.ts';
import { readPieces } from '../../../kits/claims/readPieces.ts';
import { memoized } from '../../../text/memo.ts';
import { answerLedger } from './answerLedger.ts';

/** How many messages of a kept conversation were read, in the order of addition. */
const readMessages = new WeakMap<object, number>();

/** The pieces of large results of the cached conversations of this process. */
const pieces = new WeakMap<ToolResultBlock, readonly string[]>();

const readResultPieces = (block: ToolResultBlock): readonly string[] | undefined => pieces.get(block);

/** Characters of results, of all conversations of this process, that stay split: about 20 MB. */
const MAX_CHARACTERS = 1_000_000;
const texts = readTexts(MAX_CHARACTERS);
const finderOf = memoized((citable: CitableResults) => createFinder(citable, texts));

/** The windows of the cached conversations, by their first message: sessions share the ids of executions. */
const windows = new WeakMap<ConversationMessage, EvidenceWindow>();

/** Offers `ledger` to agents that keep one, where they are offered a tool of a server. */
export const LEDGER_FEATURE: Feature = {
  offerTools(tools, { agent }, { purpose }) {
    const isUsed = purpose === 'ask' || purpose === 'run';
    const offered = [...tools.list(), ...(tools.hidden ?? [])];
    const hasServer = offered.some(({ name, neutral }) => name.includes('.') && !neutral);
    if (!isUsed || !hasServer || !agent.tools.includes(KEEPS_LEDGER)) return tools;
    return {
      ...tools,
      list: () => [...tools.list(), LEDGER_TOOL],
      execute: (call, options) =>
        isLedgerCall(call)
          ? Promise.resolve(failedResult(call, 'Not run: state it again.'))
          : tools.execute(call, options),
    };
  },
  async beforeAsking({ agent, held, deps }) {
    if (agent.tools.includes(KEEPS_LEDGER)) {
      await Promise.all([readKnownPieces(held.current(), deps, pieces), readWindow(held.current(), deps)]);
    }
    return { messages: [] };
  },
  answerCalls(calls, { known, conversation, tools }) {
    if (!tools.some(isLedgerCall)) return [];
    const stated = calls.filter((call) => isLedgerCall(call) && !known.has(call.callId));
    if (stated.length === 0) return [];
    const [first] = conversation;
    const window = first && windows.get(first);
    const citable = citableResults(conversation, readResultPieces);
    if (window !== undefined) citable.window = window;
    const find = finderOf(citable);
    let ledger = readConversationLedger(conversation);
    return stated.map((call) => {
      const after = addStatement(ledger, call.arguments);
      ledger = after.ledger;
      return answerLedger(call, after, matchEvidence(ledger, citable, find), citable);
    });
  },
};

/**
 * Reads the window of a cached conversation, once in a process, up to now. Without the session or its
 * conversation nothing is limited.
 */
async function readWindow(
  execution: Execution,
  { store, clock, conversations }: Pick<RuntimeDeps, 'store' | 'clock' | 'conversations'>,
): Promise<void> {
  const first = conversations.get(execution).get(1);
  if (first === undefined) return;
  const now = clock.now();
  const known = windows.get(first);
  const session = known ? undefined : await store.get(paths.session(execution.sessionId), sessionType);
  const window = known ?? (session && evidenceWindow(session.value, now));
  if (window !== undefined) windows.set(first, { ...window, to: now.getTime() });
}

/**
 * Adds the pieces of results that are not known: one query each, once in a process. Evidence in a result with
 * missing pieces is not found.
 * @throws RetryableError when the store fails.
 */
async function readKnownPieces(
  execution: Execution,
  { store, conversations }: Pick<RuntimeDeps, 'store' | 'conversations'>,
  pieces: WeakMap<ToolResultBlock, readonly string[]>,
): Promise<void> {
  const messages = conversations.get(execution);
  const { size } = messages;
  const known = readMessages.get(messages) ?? 0;
  if (known === size) return;
  for (const { blocks } of [...messages.values()].slice(known)) {
    for (const block of blocks) {
      if (block.blockType !== 'tool_result' || block.stored === undefined || pieces.has(block)) continue;
      pieces.set(block, await readPieces(execution, block.stored, store));
    }
  }
  readMessages.set(messages, size);
}
