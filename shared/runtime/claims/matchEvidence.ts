// The ledger of a conversation, with its evidence searched in the results. Pure.

import { isLedgerCall } from '../../contract/ledgerTool.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import { addStatement, EMPTY_LEDGER, type Ledger } from '../../evidence/ledger.ts';
import { createMatcher, type Match, type Matcher, type ReadTexts, readTexts } from '../../evidence/match.ts';
import { isOwnCall } from '../../schema/block.ts';
import { continuedFold } from '../../text/continuedFold.ts';
import type { CitableResults } from './citableResults.ts';
import { type EvidenceScope, NO_SCOPE } from './scope.ts';

/** The id with which evidence names the alert. */
export const ALERT = 'alert';

/** The ledger of a conversation. */
export const ledgerOf = (messages: readonly ConversationMessage[]): Ledger => readLedger(messages).ledger;

const readLedger = continuedFold(
  () => ({ ledger: EMPTY_LEDGER, message: 0 }),
  (read, { blocks }: ConversationMessage) => {
    read.message++;
    for (const { toolName, input } of blocks.filter(isOwnCall)) {
      if (!isLedgerCall({ name: toolName })) continue;
      read.ledger = addStatement(read.ledger, { arguments: input, message: read.message }).ledger;
    }
  },
);

/** Prepares the search in the results of a conversation and in its alert. @param texts as for `createMatcher`. */
export function createFinder(citable: CitableResults, texts: ReadTexts = readTexts()): Matcher {
  const find = createMatcher(citable, texts);
  const body = { id: ALERT, arguments: '{}', key: ALERT, earlierTexts: [] };
  return (one, of) =>
    one.result === ALERT
      ? createMatcher({ results: [{ ...body, text: citable.alert }], alert: '' }, texts)(one, of)
      : find(one, of);
}

/** Checks the evidence of a ledger in the results of its conversation, or in the alert. */
export function matchEvidence(
  { evidence, hypotheses }: Ledger,
  citable: CitableResults,
  { dependenciesOf }: Pick<EvidenceScope, 'dependenciesOf'> = NO_SCOPE,
  find = createFinder(citable),
): Map<string, Match> {
  return new Map(
    [...evidence.values()].map((one) => {
      const component = hypotheses.get(one.hypothesis)?.component;
      const dependencies = component === undefined ? [] : dependenciesOf(component);
      return [one.id, find(one, { component, dependencies })];
    }),
  );
}
