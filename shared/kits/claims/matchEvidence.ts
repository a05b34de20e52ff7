// The ledger of a conversation, with its evidence searched in the results. Pure.

import { isLedgerCall } from '../../core/contract/ledgerTool.ts';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { isOwnCall } from '../../core/schema/block.ts';
import { addStatement, EMPTY_LEDGER, type Ledger } from '../../evidence/ledger.ts';
import { createMatcher, type Match, type Matcher, type ReadTexts, readTexts } from '../../evidence/match.ts';
import { incrementalFold } from '../../text/incrementalFold.ts';
import type { CitableResults } from './citableResults.ts';

/** The ids with which evidence names the alert, and what people said. */
export const ALERT = 'alert';
export const PERSON = 'person';

/** The ledger of a conversation. */
export const readConversationLedger = (messages: readonly ConversationMessage[]): Ledger =>
  readLedger(messages).ledger;

const readLedger = incrementalFold(
  () => ({ ledger: EMPTY_LEDGER }),
  (read, { blocks }: ConversationMessage) => {
    for (const { toolName, input } of blocks.filter(isOwnCall)) {
      if (isLedgerCall({ name: toolName })) read.ledger = addStatement(read.ledger, input).ledger;
    }
  },
);

/** Prepares the search in results, alert and people's words. @param texts as for `createMatcher`. */
export function createFinder(citable: CitableResults, texts: ReadTexts = readTexts()): Matcher {
  const find = createMatcher(citable, texts);
  const own = new Map(
    [ALERT, PERSON].map((id) => {
      const text = id === ALERT ? citable.alert : citable.person;
      const body = { id, text, arguments: '{}', key: id, earlierTexts: [] };
      return [id, createMatcher({ results: [body], alert: '' }, texts)] as const;
    }),
  );
  return (one) => (own.get(one.result ?? '') ?? find)(one);
}

/** Checks the evidence of a ledger in the results of its conversation, the alert, or people's words. */
export function matchEvidence(
  { evidence }: Ledger,
  citable: CitableResults,
  find = createFinder(citable),
): Map<string, Match> {
  return new Map([...evidence.values()].map((one) => [one.id, find(one)]));
}
