// Mutants of budgets: tickets of an hour, reserved tokens.

import type { UnitMutant } from '../unitMutant.ts';

const BUDGETS = 'test/features/budgets/budgets.test.ts';
const TOKENS = 'test/features/budgets/tokenBudgets.test.ts';
const LEDGER = 'shared/kits/budgets/tokenLedger.test.ts';

/** The mutants, by what is broken. */
export const BUDGETS_MUTANTS: Record<string, UnitMutant> = {
  'a refused session keeps the ticket of its chain': {
    file: 'core/kernel/tokens/usage.ts',
    text: 'await Promise.all(limits.slice(0, index + 1).map((other) => add(other, 0, 1)));',
    by: '',
    test: BUDGETS,
  },
  'a ticket that was given back counts as taken': {
    file: 'core/kernel/tokens/usage.ts',
    text: 'return count + given;',
    by: 'return count;',
    test: BUDGETS,
  },
  'calls of one iteration do not see what the others reserved': {
    file: 'kits/budgets/tokenLedger.ts',
    text: 'reserved += held;',
    by: 'reserved = held;',
    test: TOKENS,
  },
  'agents that are asked together keep no room for the conclusions of each other': {
    file: 'features/children/startChild.ts',
    text: 'Math.max(1, parent.siblings) + openCalls(parent) - 1',
    by: 'Math.max(1, parent.siblings)',
    test: TOKENS,
  },
  'embeddings use the tokens of the conclusion': {
    file: 'kits/budgets/tokenLedger.ts',
    text: 'conclusion === 0 ? 0 : largest',
    by: 'conclusion',
    test: LEDGER,
  },
  'agents of a stage do not see what the others reserved': {
    file: 'core/kernel/tokens/usage.ts',
    text: 'reserved: now + earlier, hold',
    by: 'reserved: tokens, hold',
    test: LEDGER,
  },
  'a reservation that was refused because of contention fails its call': {
    file: 'kits/budgets/tokenLedger.ts',
    text: "if (error instanceof RetryableError && error.code === 'STORE_CONFLICT') return RACE_LOST;",
    by: '',
    test: LEDGER,
  },
};
