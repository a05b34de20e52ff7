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
  /** Returns unsettled reservations, and waits until everything is written. Never fails. */
  close(): Promise<void>;
}

/** A reservation without budgets. */
export const FREE_RESERVATION: Reservation = {
  kind: 'reserved',
  extend: async () => true,
  settle: () => {},
};

/** The ledger of an execution without budgets: it writes nothing and refuses nothing. */
export const FREE_LEDGER: TokenLedger = {
  reserve: async () => FREE_RESERVATION,
  close: async () => {},
};
