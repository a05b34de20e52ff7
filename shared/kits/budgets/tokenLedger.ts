// Reserves tokens of an execution's budgets before they are used, and corrects the reservation afterwards.
// One ledger for each claim.

import { RetryableError } from '../../core/errors.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type {
  KeptTokens,
  Need,
  Refusal,
  Reservation,
  TokenLedger,
} from '../../core/kernel/tokens/tokenLedger.ts';
import type { UsageLimit } from '../../core/schema/agent.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import type { BudgetName, Execution } from '../../core/schema/execution.ts';
import { spendUnits, takeAllowance } from '../allowances/takeAllowance.ts';
import { holdTokens, settleTokens } from './stageTokens.ts';
import { keptTokens, tokenAllowance } from './usageLimits.ts';

/** The maximum share of a session's budget that is kept for conclusions. */
const MAX_SHARE_KEPT = 0.5;
/** Tries of a write that the store refused because of concurrent writers: a refused write counts nothing. */
const RACES = 4;

/** The standing of a budget, and the tokens held in it. */
interface Held {
  /** Tokens of the budget that calls have used. */
  used: number;
  /** Tokens that other running calls can still use. */
  reserved: number;
  /** Whether the tokens and those that must stay free fit. */
  fits: boolean;
  /** The tokens, if they can stay reserved while nothing runs. */
  kept?: KeptTokens;
  /** Replaces the held tokens by the used ones. */
  settle(used: number): Promise<void>;
}

/** A budget as one execution uses it. */
interface Account {
  /** The budget's name in refusals and events. */
  budget: BudgetName;
  /** The most tokens of the budget. */
  limit: number;
  /** Tokens that must stay free after a need that does not conclude. */
  kept(conclusion: number): number;
  /** Holds tokens; the caller settles them when they do not fit. @param kept tokens that must stay free. */
  hold(need: Need, kept: number): Promise<Held>;
  /** Counts used tokens without a need, and returns kept ones. */
  settleKept(kept: KeptTokens | null, used: number): Promise<void>;
}

type Deps = Pick<RuntimeDeps, 'store' | 'clock' | 'log'>;

/** The ledger of an execution as its claim stored it. Without budgets it writes and refuses nothing. */
export function openLedger(execution: Execution, deps: Deps): TokenLedger {
  const { sessionId, executionId } = execution;
  return createTokenLedger(listTokenAccounts(execution, deps), deps, { sessionId, executionId });
}

/** A ledger of the daily tokens, for calls outside of sessions. */
export function openDayLedger(limits: readonly UsageLimit[], deps: Deps): TokenLedger {
  return createTokenLedger(
    limits.map((limit) => dailyAccount(limit, deps)),
    deps,
    {},
  );
}

/** @param about fields of log lines. */
function createTokenLedger(
  accounts: readonly Account[],
  deps: Pick<Deps, 'log'>,
  about: Record<string, string>,
): TokenLedger {
  const open = new Set<Reservation>();
  const writes = new Set<Promise<void>>();
  /** The largest conclusion so far: after a summary or embedding, the conversation must be concluded. */
  let largest = 0;

  const settleAll = (held: readonly Pick<Held, 'settle'>[], used: number): Promise<void> => {
    const settling = Promise.all(held.map((one) => one.settle(used))).then(
      () => undefined,
      (err: unknown) => deps.log.warn({ ...about, err }, 'tokens of a call are not counted'),
    );
    writes.add(settling);
    return settling.finally(() => writes.delete(settling));
  };

  /** Holds tokens in all accounts, or in none. */
  const hold = async (need: Need): Promise<Held[] | Refusal> => {
    const results = await Promise.allSettled(
      accounts.map((account) =>
        account.hold(need, need.conclusion === 0 ? 0 : account.kept(need.conclusion)),
      ),
    );
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failed = results.find((result) => result.status === 'rejected');
    const refusal = failed === undefined ? findFullAccount(accounts, held, need) : undefined;
    if (failed === undefined && refusal === undefined) return held;
    await settleAll(held, 0);
    if (refusal === undefined) throw failed?.reason;
    return refusal;
  };

  return {
    async reserve(need) {
      largest = Math.max(largest, need.conclusion);
      const first = await hold({ ...need, conclusion: need.conclusion === 0 ? 0 : largest });
      if ('kind' in first) return first;
      const further: Held[] = [];
      const reservation: Reservation = {
        kind: 'reserved',
        async extend(used) {
          if (used <= 0) return true;
          const more = await hold({ tokens: used, conclusion: 0 });
          if ('kind' in more) return false;
          further.push(...more);
          return true;
        },
        settle(used) {
          if (!open.delete(reservation)) return;
          void settleAll(first, used);
          if (further.length > 0) void settleAll(further, 0);
        },
        keep() {
          open.delete(reservation);
          void settleAll(
            first.filter(({ kept }) => kept === undefined),
            0,
          );
          return first.find(({ kept }) => kept !== undefined)?.kept ?? null;
        },
      };
      open.add(reservation);
      return reservation;
    },
    settleKept(kept, used) {
      void settleAll(
        accounts.map((account) => ({ settle: (now) => account.settleKept(kept, now) })),
        used,
      );
    },
    async close() {
      for (const reservation of open) reservation.settle(0);
      await Promise.all(writes);
    },
  };
}

/** Why a need does not fit; undefined if every account has room for it. */
function findFullAccount(
  accounts: readonly Account[],
  held: readonly Held[],
  { tokens, conclusion }: Need,
): Refusal | undefined {
  const standings = accounts.flatMap(({ budget, limit, kept }, index) => {
    const one = held[index];
    if (one === undefined) return [];
    const needed = conclusion === 0 ? tokens : tokens + kept(conclusion);
    const free = Math.max(0, limit - one.used);
    const room = Math.max(0, free - one.reserved);
    return [{ budget, free, room, fits: one.fits, mayFit: needed <= free }];
  });
  const refusing = standings.filter(({ fits }) => !fits);
  const [first] = refusing;
  if (first === undefined) return undefined;
  return {
    kind: 'refused',
    budget: (refusing.find(({ mayFit }) => !mayFit) ?? first).budget,
    room: Math.min(...standings.map(({ room }) => room)),
    free: Math.min(...standings.map(({ free }) => free)),
    mayFit: refusing.every(({ mayFit }) => mayFit),
  };
}

function listTokenAccounts(execution: Execution, deps: Deps): Account[] {
  const { limits, siblings } = execution;
  const session = limits.sessionTokens;
  const daily = (limits.dailyTokens ?? []).map((limit) => dailyAccount(limit, deps));
  if (session === undefined) return daily;
  return [siblings > 0 ? stageAccount(session, execution, deps) : ownAccount(session, execution), ...daily];
}

/** The session's budget while one execution runs, which knows all used tokens: nothing is written. */
function ownAccount(limit: number, { tokensBefore, tokens }: Execution): Account {
  let used = tokensBefore + tokens.total;
  let reserved = 0;
  return {
    budget: 'sessionTokens',
    limit,
    kept: (conclusion) => Math.min(conclusion, limit * MAX_SHARE_KEPT),
    async hold({ tokens: held }, kept) {
      const others = reserved;
      reserved += held;
      return {
        used,
        reserved: others,
        fits: used + reserved + kept <= limit,
        async settle(now) {
          reserved -= held;
          used += now;
        },
      };
    },
    async settleKept(_kept, now) {
      used += now;
    },
  };
}

/** The session's budget while executions run in parallel, or before a synthesis. */
function stageAccount(
  limit: number,
  { sessionId, stageId, siblings, tokensBefore, expireAt }: Execution,
  deps: Deps,
): Account {
  const count = { path: paths.stageUsage(sessionId, stageId), expireAt };
  return {
    budget: 'sessionTokens',
    limit,
    // Each agent of the stage concludes, and the step after the stage makes one call.
    kept: (conclusion) => Math.min(conclusion * (siblings + 2), limit * MAX_SHARE_KEPT),
    async hold({ tokens }, free) {
      const { hold, ...standing } = await retryConflicts(() =>
        holdTokens(count, tokens, deps.clock.now(), deps),
      );
      const used = tokensBefore + standing.used;
      return {
        used,
        reserved: standing.reserved - tokens,
        fits: used + standing.reserved + free <= limit,
        kept: { window: hold.window, tokens },
        settle: (now) => retryConflicts(() => settleTokens(hold, now, deps)),
      };
    },
    async settleKept(kept, now) {
      const at = deps.clock.now();
      const nothing = async () => (await holdTokens(count, 0, at, deps)).hold;
      const hold = kept === null ? await retryConflicts(nothing) : { count, ...kept };
      await retryConflicts(() => settleTokens(hold, now, deps));
    },
  };
}

function dailyAccount(limit: UsageLimit, deps: Deps): Account {
  return {
    budget: 'dailyTokens',
    limit: limit.limit,
    kept: (conclusion) => keptTokens(limit, conclusion),
    async hold({ tokens: need, canWait = false }, kept) {
      const request = { need, cap: limit.limit - kept, at: deps.clock.now(), isPatient: canWait };
      const taken = await takeAllowance(tokenAllowance(limit), request, deps);
      const { used, held: reserved } = taken;
      if (taken.kind === 'granted') return { used, reserved, fits: true, settle: taken.settle };
      return { used, reserved, fits: false, settle: async () => {} };
    },
    settleKept: (_kept, used) => spendUnits(tokenAllowance(limit), used, deps.clock.now(), deps),
  };
}

function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
  return retryLostRaces<T>('a count of tokens', RACES, () =>
    write().catch((error: unknown) => {
      if (error instanceof RetryableError && error.code === 'STORE_CONFLICT') return RACE_LOST;
      throw error;
    }),
  );
}
