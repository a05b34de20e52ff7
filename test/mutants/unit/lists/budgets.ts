// Mutants of budgets: tickets of an hour, reserved tokens.

import type { UnitMutant } from '../unitMutant.ts';

const BUDGETS = 'test/features/budgets/budgets.test.ts';
const TOKENS = 'test/features/budgets/tokenBudgets.test.ts';
const ALLOWANCES = 'test/simulation/features/allowances/allowances.test.ts';
const PROCESSES = 'shared/kits/allowances/takeAllowance.test.ts';
const LIMITS = 'shared/kits/budgets/usageLimits.test.ts';
const QUOTAS = 'shared/features/quotas/takeQuota.test.ts';
const LEDGER = 'shared/kits/budgets/tokenLedger.test.ts';

/** The mutants, by what is broken. */
export const BUDGETS_MUTANTS: Record<string, UnitMutant> = {
  'a refused session keeps the ticket of its chain': {
    file: 'kits/budgets/usageLimits.ts',
    text: 'await Promise.all(taken.map((other) => other.settle(0)));',
    by: '',
    test: BUDGETS,
  },
  'a ticket that was given back counts as taken': {
    file: 'kits/allowances/takeAllowance.ts',
    text: '{ ...value, used: units - need }',
    by: '{ ...value, used: 0 }',
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
    file: 'kits/budgets/stageTokens.ts',
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
  'a slice leaves nothing to other instances': {
    file: 'kits/allowances/decideAllowance.ts',
    text: 'const SLICES = 4;',
    by: 'const SLICES = 0.02;',
    test: ALLOWANCES,
  },
  'an instance keeps what the sums have no room for': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'isGranted && after.granted[next++] === true',
    by: 'isGranted',
    test: PROCESSES,
  },
  'a slice that was taken below one limit is used for a lower one': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'need <= pool.left && pool.level <= cap',
    by: 'need <= pool.left',
    test: PROCESSES,
  },
  'a frozen instance uses its slice when others can have it': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'if (pool.slot < 0 || now < (pool.slot + 2) * slotMs(pool.allowance) - SKEW_MS) return;',
    by: 'return;',
    test: PROCESSES,
  },
  'the part of a dead instance never comes back': {
    file: 'kits/allowances/allowance.ts',
    text: 'slotMs: HOUR_MS / 3',
    by: 'slotMs: 24 * HOUR_MS',
    test: PROCESSES,
  },
  'all instances write when their slice is a slot old': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'const place = ((ordinal % instances) * pace) / instances;',
    by: 'const place = 0 * ordinal;',
    test: ALLOWANCES,
  },
  'the slice of a day is taken when it starts': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'if (!isOver && pool.left > 0 && end.getTime() - now.getTime() < 1.5 * pace) await openNext(pool, end);',
    by: '',
    test: ALLOWANCES,
  },
  'units of clocks that are ahead do not count': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'held: now0 + now1 + now2',
    by: 'held: now0 + now1',
    test: PROCESSES,
  },
  'the units of calls that run are lost with the slot': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'const units = pool.running + before.taken + keep;',
    by: 'const units = before.taken + keep;',
    test: ALLOWANCES,
  },
  'a refusal of few units writes': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'if (request.cap < EXACT_BELOW) return takeExactly(pool, request);',
    by: '',
    test: LIMITS,
  },
  'a day starts without what older code counted': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'old.value.count + (old.value.reserved.returned ?? 0)',
    by: '0',
    test: LIMITS,
  },
  'a place is granted although others have got it': {
    file: 'features/quotas/takeQuota.ts',
    text: 'return number <= computeShare(',
    by: 'return number <= number + 0 * computeShare(',
    test: QUOTAS,
  },
  'a place is valid for ever': {
    file: 'features/quotas/takeQuota.ts',
    text: 'if (asking.current - minute > 1) return false;',
    by: '',
    test: QUOTAS,
  },
  'requests that ask at the same time all have the last unit of a minute': {
    file: 'features/quotas/takeQuota.ts',
    text: 'if (isGranted || minute > current)',
    by: 'if (true)',
    test: QUOTAS,
  },
  'a refusal of the provider halves no limit': {
    file: 'features/quotas/takeQuota.ts',
    text: '? Math.floor(units / 2) : units',
    by: '? units : units',
    test: QUOTAS,
  },
};
