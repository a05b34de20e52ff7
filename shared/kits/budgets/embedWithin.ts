// Embeds texts within budgets: the tokens of a text are reserved before it is sent.

import type { Embed } from '../../contract/embedder.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import { embeddingTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import type { TokenLedger } from '../../core/kernel/tokens/tokenLedger.ts';

/**
 * Returns the embedder with a ledger. No provider reports the tokens of an embedding, so the estimate counts.
 * @param onUsed called with the tokens of each embedded text.
 * @returns an embedder that throws a TerminalError `BUDGET_REACHED` if a budget has no room, in addition to
 *   the errors of `Embed`.
 */
export function embedWithin(embed: Embed, ledger: TokenLedger, onUsed?: (tokens: number) => void): Embed {
  return async (text, purpose, signal) => {
    const tokens = embeddingTokens(text, NATIVE_PROVIDER);
    const outcome = await ledger.reserve({ tokens, conclusion: tokens });
    if (outcome.kind === 'refused')
      throw new TerminalError(
        'BUDGET_REACHED',
        `no tokens are left for an embedding: raise ${outcome.budget}`,
      );
    try {
      const vector = await embed(text, purpose, signal);
      outcome.settle(tokens);
      onUsed?.(tokens);
      return vector;
    } catch (error) {
      outcome.settle(0);
      throw error;
    }
  };
}
