// The ledger of a conversation, with its evidence searched in the results. Pure.

import { isLedgerCall } from '../../contract/ledgerTool.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import { addStatement, EMPTY_LEDGER, type Ledger } from '../../evidence/ledger.ts';
import { createMatcher, type Match, type Matcher, type ReadTexts, readTexts } from '../../evidence/match.ts';
import { isOwnCall } from '../../schema/block.ts';
import { continuedFold } from '../../text/continuedFold.ts';
import type { CitableResults } from './citableResults.ts';

/** The id with which evidence names the alert. */
export const ALERT = 'alert';

/** The ledger of a conversation. */
export const ledgerOf = (messages: readonly ConversationMessage[]): Ledger => readLedger(messages).ledger;

const readLedger = continuedFold(
  () => ({ ledger: EMPTY_LEDGER }),
  (read, { blocks }: ConversationMessage) => {
    for (const { toolName, input } of blocks.filter(isOwnCall)) {
      if (isLedgerCall({ name: toolName })) read.ledger = addStatement(read.ledger, input).ledger;
    }
  },
);

/** Prepares the search in the results of a conversation and in its alert. @param texts as for `createMatcher`. */
export function createFinder(citable: CitableResults, texts: ReadTexts = readTexts()): Matcher {
  const find = createMatcher(citable, texts);
  const body = { id: ALERT, arguments: '{}', key: ALERT, earlierTexts: [] };
  return (one) =>
    one.result === ALERT
      ? createMatcher({ results: [{ ...body, text: citable.alert }], alert: '' }, texts)(one)
      : find(one);
}

/** Checks the evidence of a ledger in the results of its conversation, or in the alert. */
export function matchEvidence(
  { evidence }: Ledger,
  citable: CitableResults,
  find = createFinder(citable),
): Map<string, Match> {
  return new Map([...evidence.values()].map((one) => [one.id, find(one)]));
}
