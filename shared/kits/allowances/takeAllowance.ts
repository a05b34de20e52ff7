// Takes units of a limit. A process takes slices and uses them without writing; it writes its use at a pace
// that keeps the document below one write a second, however many processes there are.

import { saveDocument } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { addAtEnd } from '../../core/kernel/atEnd.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { usageType } from '../../core/schema/coreDocuments.ts';
import {
  type Allowance,
  type AllowanceCount,
  allowanceExpiry,
  allowancePath,
  allowanceType,
  endOfWindow,
  slotMs,
} from './allowance.ts';
import { computeSlice, decideAllowance, type Wish } from './decideAllowance.ts';
import {
  type AllowanceDeps,
  type AllowanceRefusal,
  findPools,
  type Grant,
  hasUnits,
  type Pool,
  type UnitRequest,
} from './pools.ts';

/** Limits below this number of units have no slices. */
const EXACT_BELOW = 20;
/** Each write of another process leaves room for one less: a limit has less than 20. */
const EXACT_RACES = 30;
/** Tries of a write that the store refused because of concurrent writers: a refused write counts nothing. */
const RACES = 4;
/** Time between the writes of a process, for each process that uses the limit. */
const PACE_MS = 2_000;
/** The most that a request waits for the turn of its process. */
const MAX_WAIT_MS = 60_000;
/** A slice that was not used for so long is returned. */
const IDLE_MS = 60_000;
/** The most of a slot until a process writes again: held units count until the end of the next slot. */
const MAX_PACE = 0.8;
/** How far clocks differ. */
const SKEW_MS = 60_000;
/** How long a refusal because of held units is remembered. */
const FRESH_MS = 1_000;

/**
 * Takes units of a limit: from the slice of the process without writing, else with one write.
 * @throws RetryableError when the store fails; the units might be held then, until their slot ends.
 */
export async function takeAllowance(
  allowance: Allowance,
  request: UnitRequest,
  deps: AllowanceDeps,
): Promise<Grant | AllowanceRefusal> {
  const pool = findPool(allowance, request.at, deps);
  const known = takeFromMemory(pool, request);
  if (known !== undefined) return known;
  if (request.cap < EXACT_BELOW) return takeExactly(pool, request);
  return new Promise((resolve, reject) => {
    pool.requests.push({ ...request, resolve, reject });
    void work(pool);
  });
}

/**
 * Counts units whose number was unknown before they were used. Never fails: it is tried again.
 * @param at a time in the window.
 */
export async function spendUnits(
  allowance: Allowance,
  units: number,
  at: Date,
  deps: AllowanceDeps,
): Promise<void> {
  const pool = findPool(allowance, at, deps);
  pool.spent += units;
  if (pool.clock.now().getTime() >= pool.due) await flush(pool);
  else arm(pool);
}

/** The used units of a window, those that the process has not written included. @throws as `Store.get`. */
export async function readUsed(allowance: Allowance, at: Date, deps: AllowanceDeps): Promise<number> {
  const pool = findPool(allowance, at, deps);
  const stored = await pool.store.get(pool.path, allowanceType);
  return (stored?.value.used ?? (await readBefore(pool))) + pool.spent;
}

function findPool(allowance: Allowance, at: Date, { store, clock }: AllowanceDeps): Pool {
  const path = allowancePath(allowance, at);
  const { pools, base, isFirst } = findPools(store);
  if (isFirst) settleAtEnd(pools);
  const known = pools.get(path);
  if (known !== undefined) return known;
  const pool: Pool = {
    allowance,
    path,
    at,
    store: base,
    clock,
    slot: -1,
    held: 0,
    left: 0,
    running: 0,
    spent: 0,
    level: 0,
    last: { cap: 0, need: 0 },
    usedAt: 0,
    seenIn: -1,
    ordinal: 0,
    crowd: 1,
    due: 0,
    retryAt: 0,
    requests: [],
  };
  pools.set(path, pool);
  return pool;
}

/** The outcome without the store; undefined if the process has to read or write. */
function takeFromMemory(pool: Pool, request: UnitRequest): Grant | AllowanceRefusal | undefined {
  const { need, cap } = request;
  const now = pool.clock.now().getTime();
  dropPast(pool, now);
  if (pool.slot >= 0 && need <= pool.left && pool.level <= cap) {
    pool.left -= need;
    return grant(pool, request);
  }
  const { known } = pool;
  if (known === undefined) return undefined;
  const { used, held } = standingOf(pool);
  const isFull = used + held + need > cap;
  // Used units never come back.
  if (used + need > cap || (isFull && now - known.at < FRESH_MS)) return { kind: 'refused', used, held };
  return request.isPatient && now < pool.retryAt ? { kind: 'refused', used, held } : undefined;
}

/** After a frozen time others can have taken the units that the process held. */
function dropPast(pool: Pool, now: number): void {
  if (pool.slot < 0 || now < (pool.slot + 2) * slotMs(pool.allowance) - SKEW_MS) return;
  Object.assign(pool, { slot: -1, held: 0, left: 0 });
}

function grant(pool: Pool, { need, cap }: Wish): Grant {
  const { used: before, held: others } = standingOf(pool);
  pool.running += need;
  pool.last = { cap, need };
  pool.usedAt = pool.clock.now().getTime();
  return {
    kind: 'granted',
    used: before,
    held: others,
    async settle(used) {
      pool.running -= need;
      pool.left += need - used;
      pool.spent += used;
      const now = pool.clock.now().getTime();
      const { used: all, held } = standingOf(pool);
      const isNear = computeSlice(pool.last.cap - all - held, pool.known?.instances ?? 1) < pool.last.need;
      if (now >= (isNear ? pool.retryAt : pool.due)) await flush(pool);
      else arm(pool);
    },
  };
}

/** The use as the process knows it, with its own. */
function standingOf({ known, spent, running }: Pool) {
  const { used = 0, held = 0, instances = 1 } = known ?? {};
  return { used: used + spent, held: held + running, instances };
}

/** Serves the waiting requests, with one write for all that arrived meanwhile. */
function work(pool: Pool): Promise<void> {
  return (
    pool.writing ??
    occupy(pool, async () => {
      // Requests of the same moment share the write.
      await Promise.resolve();
      while (pool.requests.length > 0) {
        const batch = pool.requests.splice(0).sort((a, b) => b.cap - a.cap);
        await serve(pool, batch).catch((error: unknown) => {
          for (const { reject } of batch) reject(error);
        });
      }
    })
  );
}

async function serve(pool: Pool, batch: Pool['requests']): Promise<void> {
  const open = batch.filter((request) => {
    const known = takeFromMemory(pool, request);
    if (known !== undefined) request.resolve(known);
    return known === undefined;
  });
  if (open.length === 0) return;
  const fits = () => decideAllowance(standingOf(pool), open).taken > 0;
  if (pool.known === undefined || !fits()) await refresh(pool);
  const granted = fits() ? await write(pool, open, Number.MAX_SAFE_INTEGER) : [];
  const { used, held } = standingOf(pool);
  for (const [index, request] of open.entries()) {
    if (granted[index]) request.resolve(grant(pool, request));
    else request.resolve({ kind: 'refused', used, held });
  }
}

/** Reads the use of all. An unreadable count is unknown: the sums of the write are not. */
async function refresh(pool: Pool): Promise<void> {
  const { value: stored, failure } = await captureFailure(pool.store.get(pool.path, allowanceType));
  if (stored === undefined && failure === undefined) {
    const used = await readBefore(pool);
    const value = { ...UNUSED, used, expireAt: allowanceExpiry(pool.allowance, pool.at) };
    if (used > 0) {
      await pool.store.commit([saveDocument(pool.path, allowanceType, value, undefined)]);
      return refresh(pool);
    }
  }
  const { used, seen, ...count } = stored?.value ?? UNUSED;
  const [current, before] = slotsAt(pool);
  learn(pool, used, sumHeld(pool, count) - pool.held, [seen[current] ?? 0, seen[before] ?? 0]);
}

const UNUSED: Omit<AllowanceCount, 'expireAt'> = { used: 0, held: {}, seen: {} };

/** The units that processes hold in slots that count. */
const sumHeld = (pool: Pool, { held }: Pick<AllowanceCount, 'held'>): number =>
  slotsAt(pool).reduce((sum, slot) => sum + (held[slot] ?? 0), 0);

/** The use that older code counted in the window; 0 without. */
async function readBefore({ allowance, at, store }: Pool): Promise<number> {
  if (allowance.before === undefined) return 0;
  const { value: old } = await captureFailure(store.get(allowance.before(at), usageType));
  return old === undefined ? 0 : old.value.count + (old.value.reserved.returned ?? 0);
}

/** The current slot, the one before, and that of clocks that are ahead. */
function slotsAt({ allowance, clock }: Pool): [string, string, string] {
  const slot = Math.floor(clock.now().getTime() / slotMs(allowance));
  return [`w${slot}`, `w${slot - 1}`, `w${slot + 1}`];
}

/** @param held units of others. */
function learn(pool: Pool, used: number, held: number, seen: readonly number[]): void {
  const instances = Math.max(pool.crowd, ...seen);
  pool.known = { used, held, instances, at: pool.clock.now().getTime() };
}

/**
 * Writes the use of the process, returns its units, and takes those of the wishes and a slice.
 * @param most the largest slice.
 * @returns for each wish, whether it is granted.
 */
async function write(pool: Pool, wishes: readonly Wish[], most: number): Promise<boolean[]> {
  const { spent } = pool;
  const before = decideAllowance(standingOf(pool), wishes.length > 0 ? wishes : [{ ...pool.last, need: 0 }]);
  const keep = before.slice < pool.last.need && wishes.length === 0 ? 0 : Math.min(before.slice, most);
  const units = pool.running + before.taken + keep;
  const running = pool.running;
  pool.left = 0;
  const sums = await add(pool, spent, units);
  pool.spent -= spent;
  learn(pool, sums.used, sums.held - units, sums.seen);
  const standing = {
    used: sums.used,
    held: sums.held - units + running,
    instances: pool.known?.instances ?? 1,
  };
  const after = decideAllowance(
    standing,
    wishes.filter((_, index) => before.granted[index]),
  );
  const slice = Math.min(keep, wishes.length > 0 ? after.slice : keep);
  const back = before.taken + keep - after.taken - slice;
  pool.left += slice;
  pool.level = sums.used + sums.held - back;
  if (back > 0) await add(pool, 0, pool.held - back);
  plan(pool);
  let next = 0;
  return before.granted.map((isGranted) => isGranted && after.granted[next++] === true);
}

/** Adds to the document: the used units, and the difference to the held ones. Returns the sums. */
async function add(pool: Pool, used: number, units: number) {
  const { allowance, store } = pool;
  const now = pool.clock.now().getTime();
  const slot = Math.floor(now / slotMs(allowance));
  const [current, before, after] = slotsAt(pool);
  const value = {
    used,
    held: {
      [current]: units - (pool.slot === slot ? pool.held : 0),
      [before]: pool.slot === slot - 1 ? -pool.held : 0,
      [after]: 0,
    },
    seen: { [current]: pool.seenIn === slot ? 0 : 1, [before]: 0 },
    expireAt: allowanceExpiry(allowance, pool.at),
  };
  const fields = ['used', current, before, after].map((name, index) => (index === 0 ? name : `held.${name}`));
  const all = [...fields, `seen.${current}`, `seen.${before}`];
  try {
    const sums = await retryLostRaces<number[]>('a count of units', RACES, () =>
      store.incrementAll(pool.path, allowanceType, value, all).catch((error: unknown) => {
        if (error instanceof RetryableError && error.code === 'STORE_CONFLICT') return RACE_LOST;
        throw error;
      }),
    );
    const [sum = 0, now0 = 0, now1 = 0, now2 = 0, ...seen] = sums;
    pool.ordinal ||= seen[0] ?? 1;
    Object.assign(pool, { slot, held: units, seenIn: slot });
    return { used: sum, held: now0 + now1 + now2, seen: [seen[0] ?? 0, seen[1] ?? 0] as const };
  } catch (error) {
    // It might be written: its units count until the slot ends, and no request uses them.
    Object.assign(pool, { slot: -1, held: 0, left: 0 });
    throw error;
  }
}

/** Plans the next write of the process: all processes write in turn, each at its place. */
function plan(pool: Pool): void {
  const { allowance, clock, known, ordinal } = pool;
  const instances = known?.instances ?? 1;
  const now = Math.max(clock.now().getTime(), pool.at.getTime());
  const most = MAX_PACE * slotMs(allowance);
  const pace = Math.min(most, PACE_MS * instances);
  const place = ((ordinal % instances) * pace) / instances;
  const earliest = now + PACE_MS;
  pool.due = earliest + ((((place - earliest) % pace) + pace) % pace);
  pool.retryAt = now + Math.min(MAX_WAIT_MS, PACE_MS * (instances - 1));
  arm(pool);
}

/** Writes when it is time, if there is something to write. */
function arm(pool: Pool): void {
  if (pool.stopTimer !== undefined || !hasUnits(pool)) return;
  const now = pool.clock.now().getTime();
  const at = pool.spent === 0 ? Math.max(pool.due, pool.usedAt + IDLE_MS) : pool.due;
  pool.stopTimer = pool.clock.after(Math.max(PACE_MS / 2, at - now), () => {
    pool.stopTimer = undefined;
    if (pool.spent > 0 || isIdle(pool) || isOldSlot(pool)) void flush(pool);
    else arm(pool);
  });
}

/** Whether a slice is to be returned. One of the next window waits for it. */
const isIdle = ({ left, running, usedAt, at, clock }: Pool): boolean =>
  left > 0 && running === 0 && clock.now().getTime() >= Math.max(usedAt, at.getTime()) + IDLE_MS;

/** Writes the use, and keeps no more of the slice than others could take. Never fails: it is tried again. */
async function flush(pool: Pool): Promise<void> {
  while (pool.writing !== undefined) await pool.writing;
  const now = pool.clock.now();
  dropPast(pool, now.getTime());
  if (pool.spent === 0 && (pool.left === 0 || now.getTime() < pool.due) && !isOldSlot(pool)) return;
  const end = endOfWindow(pool.allowance, pool.at);
  const isOver = end.getTime() <= now.getTime();
  await occupy(pool, () => write(pool, [], isOver || isIdle(pool) ? 0 : Number.MAX_SAFE_INTEGER));
  const pace = pool.due - now.getTime();
  if (!isOver && pool.left > 0 && end.getTime() - now.getTime() < 1.5 * pace) await openNext(pool, end);
}

/** Writes the use and returns the slices when the process ends: no timer of it runs then. */
function settleAtEnd(pools: Map<string, Pool>): void {
  const found = new WeakRef(pools);
  addAtEnd(async () => {
    const held = [...(found.deref()?.values() ?? [])].filter(hasUnits);
    await Promise.all(
      held.map(async (pool) => {
        while (pool.writing !== undefined) await pool.writing;
        await occupy(pool, () => write(pool, [], 0));
      }),
    );
  });
}

/** Whether units are counted in the slot before. */
const isOldSlot = ({ slot, clock, allowance }: Pool): boolean =>
  slot >= 0 && slot !== Math.floor(clock.now().getTime() / slotMs(allowance));

/** Works on a pool while requests wait. A failure is tried again when the use is written next. */
function occupy(pool: Pool, action: () => Promise<unknown>): Promise<void> {
  pool.writing = action()
    .then(
      () => undefined,
      () => arm(pool),
    )
    .finally(() => {
      pool.writing = undefined;
      if (pool.requests.length > 0) void work(pool);
    });
  return pool.writing;
}

/** Takes a slice of the next window before it starts: at its start all processes would. */
async function openNext(pool: Pool, start: Date): Promise<void> {
  const next = findPool(pool.allowance, start, pool);
  if (next.writing !== undefined || next.slot >= 0) return;
  next.last = pool.last;
  next.crowd = pool.known?.instances ?? 1;
  await occupy(next, async () => {
    await refresh(next);
    await write(next, [], pool.left + pool.running);
  });
}

/** One write for each admission, and none for a refusal: a limit of few units is exact. */
async function takeExactly(pool: Pool, { need, cap, at }: UnitRequest): Promise<Grant | AllowanceRefusal> {
  const { path, store, allowance } = pool;
  return retryLostRaces(`the count of ${allowance.name}`, EXACT_RACES, async () => {
    const stored = await store.get(path, allowanceType);
    const old = stored?.value ?? { ...UNUSED, used: await readBefore(pool) };
    const held = sumHeld(pool, old);
    learn(pool, old.used, held, []);
    if (old.used + held + need > cap) return { kind: 'refused' as const, used: old.used, held };
    const value = { ...old, used: old.used + need, expireAt: allowanceExpiry(allowance, at) };
    const { ok } = await store.commit([saveDocument(path, allowanceType, value, stored?.version)]);
    if (!ok) return RACE_LOST;
    learn(pool, value.used, held, []);
    return {
      kind: 'granted' as const,
      used: old.used,
      held,
      async settle(units: number) {
        if (units === need) return;
        pool.known = undefined;
        await store.increment(path, allowanceType, { ...value, used: units - need }, 'used');
      },
    };
  });
}
