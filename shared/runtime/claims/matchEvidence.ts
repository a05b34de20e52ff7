// The ledger of a conversation, with its evidence searched in the results. Pure.

import { isLedgerCall } from '../../contract/ledgerTool.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import type { Ledger, Statement } from '../../evidence/ledger.ts';
import { createMatcher, type Match } from '../../evidence/match.ts';
import { isOwnCall } from '../../schema/block.ts';
import type { CitableResults } from './citableResults.ts';
import { type EvidenceScope, NO_SCOPE } from './scope.ts';

/** The id with which evidence names the alert. */
export const ALERT = 'alert';

/** The statements of a conversation, oldest first. */
export function statementsOf(messages: readonly ConversationMessage[]): Statement[] {
  return messages.flatMap(({ blocks }, index) =>
    blocks
      .filter(isOwnCall)
      .filter(({ toolName }) => isLedgerCall({ name: toolName }))
      .map(({ input }) => ({ arguments: input, message: index + 1 })),
  );
}

/** Checks the evidence of a ledger in the results of its conversation, or in the alert. */
export function matchEvidence(
  { evidence, hypotheses }: Ledger,
  citable: CitableResults,
  { dependenciesOf }: Pick<EvidenceScope, 'dependenciesOf'> = NO_SCOPE,
): Map<string, Match> {
  const find = createMatcher(citable);
  const body = { id: ALERT, text: citable.alert, arguments: '{}', key: ALERT, earlierTexts: [] };
  const findInAlert = createMatcher({ results: [body], alert: '' });
  return new Map(
    [...evidence.values()].map((one) => {
      const component = hypotheses.get(one.hypothesis)?.component;
      const of = { component, dependencies: component === undefined ? [] : dependenciesOf(component) };
      return [one.id, one.result === ALERT ? findInAlert(one, of) : find(one, of)];
    }),
  );
}
