// The ledger of the budgets of an execution: reserves tokens before they are used.

import type { BudgetName } from '../../schema/execution.ts';

/** The tokens of a planned call. */
export interface Need {
  /** The most tokens of the call: request and answer. */
  tokens: number;
  /** Tokens of one agent's conclusion, kept free after this call; 0 if this call is it. */
  conclusion: number;
  /** Whether the caller can ask again after a pause. Default: it cannot. */
  canWait?: boolean;
}

/** Tokens that stay reserved while nothing runs, as they are stored: for 10 to 20 minutes. */
export interface KeptTokens {
  /** The window of time in which they were reserved. */
  window: string;
  tokens: number;
}

/** Reserved tokens. */
export interface Reservation {
  /** Distinguishes it from a refusal. */
  kind: 'reserved';
  /**
   * Reserves `used` more tokens, which a failed attempt has used; false if a budget has no room for them.
   * @param failure the attempt's error, `CODE: message`.
   * @throws RetryableError when the store fails.
   */
  extend(used: number, failure?: string): Promise<boolean>;
  /** Corrects the reservation to the used tokens. Further calls have no effect. */
  settle(used: number): void;
  /**
   * Leaves the tokens reserved when the ledger closes; `TokenLedger.settleKept` ends that.
   * @returns null if no budget needs it.
   */
  keep(): KeptTokens | null;
}

/** Why nothing was reserved. */
export interface Refusal {
  /** Distinguishes it from a reservation. */
  kind: 'refused';
  /** The budget without room. */
  budget: BudgetName;
  /** The tokens that a conclusion could reserve now. */
  room: number;
  /** The same, if all reserved tokens were returned unused. */
  free: number;
  /** Whether the need could be reserved then. */
  mayFit: boolean;
}

/** The budgets of a claimed execution. */
export interface TokenLedger {
  /**
   * Reserves tokens in all budgets, or in none.
   * @throws RetryableError when the store fails.
   */
  reserve(need: Need): Promise<Reservation | Refusal>;
  /** Counts used tokens, whether they fit or not, and returns those that were kept for them. */
  settleKept(kept: KeptTokens | null, used: number): void;
  /** Returns unsettled reservations, and waits until everything is written. Never fails. */
  close(): Promise<void>;
}

/** A reservation without budgets. */
export const FREE_RESERVATION: Reservation = {
  kind: 'reserved',
  extend: async () => true,
  settle: () => {},
  keep: () => null,
};

/** The ledger of an execution without budgets: it writes nothing and refuses nothing. */
export const FREE_LEDGER: TokenLedger = {
  reserve: async () => FREE_RESERVATION,
  settleKept: () => {},
  close: async () => {},
};
