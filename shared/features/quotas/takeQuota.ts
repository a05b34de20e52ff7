// Takes units of a minute that all instances share: of the current minute, else a place in a later one. One
// read and at most one write for each document that is asked.

import type { Claimant, MinuteUse, Quotas } from '../../contract/quotas.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import {
  type Allowance,
  allowanceExpiry,
  allowancePath,
  allowanceType,
} from '../../kits/allowances/allowance.ts';
import { decideAllowance, type Wish } from '../../kits/allowances/decideAllowance.ts';
import type { QuotaDeps, QuotaPlace } from '../../kits/quotas/quota.ts';
import { computeShare, formatClaimantKey } from './fairShare.ts';

/** A limit of a minute, or a use of it. */
interface Rate {
  /** Absent: no limit. */
  requests?: number | undefined;
  /** Absent: no limit. */
  tokens?: number | undefined;
}

/** A request to a resource. */
export interface QuotaRequest {
  /** The counted units. */
  allowance: Allowance;
  limit: Rate;
  /** For whom it is. */
  claimant: Claimant;
  /** Estimated tokens; 0 where they are not limited. */
  tokens: number;
  /** The place that it got when it was refused. */
  place?: QuotaPlace | undefined;
  /** How many minutes ahead it can wait. */
  maxMinutes?: number;
}

/** The outcome: granted, or the time at which to ask again, with a place if there is one. */
type Taken = { kind: 'granted' } | { kind: 'refused'; until: Date; place?: QuotaPlace };

const MINUTE_MS = 60_000;
/** Writes of a document that take units of its minute: of a request, or of a slice where a limit is large. */
const WRITES_OF_SHARD = 10;
/** Documents of a minute. From then on, a process takes so many parts of one. */
const MAX_SHARDS = 250;
const SLICES_OF_SHARD = 8;
/** The tokens of a request, where only they are limited. */
const USUAL_TOKENS = 10_000;
/** A refusal of one document is not a refusal of the minute. */
const TRIED_SHARDS = 6;
const MAX_MINUTES = 30;
/** Requests with a place in the next minute come in this time. */
const SPREAD_MS = 20_000;
/** How long the use of a document is known. */
const FRESH_MS = 1_000;

/** A request at a time, and how documents count its limit. */
interface Asking extends QuotaRequest {
  now: number;
  /** The current minute, counted from the epoch. */
  current: number;
  /** The claimant in documents. */
  key: string;
  /** Units of the request, and of each document. */
  need: number;
  units: number;
  /** Units that a process takes at once. */
  sliceUnits: number;
  /** The documents of a minute that the request tries. */
  tried: number[];
  quotas: Quotas;
  deps: QuotaDeps;
}

function openAsking(request: QuotaRequest, quotas: Quotas, deps: QuotaDeps): Asking {
  const { limit, claimant, tokens } = request;
  const now = deps.clock.now().getTime();
  const all = limit.requests ?? limit.tokens ?? Number.MAX_SAFE_INTEGER;
  const expected = Math.min(all, (limit.tokens ?? Number.MAX_SAFE_INTEGER) / USUAL_TOKENS);
  const shards = Math.min(MAX_SHARDS, Math.ceil(expected / WRITES_OF_SHARD));
  const units = Math.floor(all / shards);
  const isSliced = shards === MAX_SHARDS;
  const sliceUnits = isSliced ? Math.ceil(units / SLICES_OF_SHARD) : 0;
  const random = deps.random ?? Math.random;
  const drawn = random();
  quotas.home ??= drawn;
  // A process takes its slices of the same document.
  const first = Math.floor((isSliced ? quotas.home : drawn) * shards);
  const step = isSliced ? Math.floor(random() * shards) : 1;
  const tried = Array.from({ length: TRIED_SHARDS }, (_, index) => (first + index * step) % shards);
  return {
    ...{ ...request, now, current: Math.floor(now / MINUTE_MS), key: formatClaimantKey(claimant) },
    // A request with more units than a document has takes all of one.
    need: Math.min(units, countUnits(limit, { requests: 1, tokens })),
    ...{ units, sliceUnits, tried: [...new Set(tried)], quotas, deps },
  };
}

/** The units of a use: requests, where they are limited, or as many as have its tokens; else tokens. */
export function countUnits(limit: Rate, { requests = 0, tokens = 0 }: Rate): number {
  if (limit.requests === undefined) return tokens;
  const parts = limit.tokens === undefined ? 0 : Math.ceil((tokens * limit.requests) / limit.tokens);
  return Math.max(requests, parts);
}

/**
 * Takes units of the current minute, or a place in a later one.
 * @throws RetryableError when the store fails.
 */
export async function takeQuota(request: QuotaRequest, quotas: Quotas, deps: QuotaDeps): Promise<Taken> {
  const asking = openAsking(request, quotas, deps);
  const { current, claimant, place, maxMinutes = MAX_MINUTES } = asking;
  for (const [path, { minute }] of quotas.minutes) if (minute < current - 1) quotas.minutes.delete(path);
  if (place !== undefined && place.minute > current) return waitFor(place, asking);
  if (place !== undefined && (await isPlaceValid(asking, place))) {
    // A late request counts in the minute in which it is sent.
    if (place.minute < current) count(quotas, asking.allowance, asking.need);
    return { kind: 'granted' };
  }
  if ((await takeUnits(asking, current)) !== undefined) return { kind: 'granted' };
  const end = current + maxMinutes + 1;
  const first = claimant.isCritical ? current + 1 : await findMinute(asking, end);
  for (let minute = first; minute < end; minute++) {
    const found = await takeUnits(asking, minute);
    if (found !== undefined) return waitFor(found, asking);
  }
  return { kind: 'refused', until: new Date(end * MINUTE_MS) };
}

function waitFor(place: QuotaPlace, { now, units }: Asking): Taken {
  const start = place.minute * MINUTE_MS;
  const spread = start + Math.floor(SPREAD_MS * Math.min(1, place.number / units));
  // The sweep ends longer waits, at the start of a minute; later is a minute too late.
  return { kind: 'refused', until: new Date(spread - now >= MINUTE_MS ? start : spread), place };
}

/** Adds use that the process counts with its next request. */
export function count({ uncounted }: Quotas, { name }: Allowance, units: number): void {
  uncounted.set(name, (uncounted.get(name) ?? 0) + units);
}

/** Halves the limit of a resource for the rest of the minute. @throws RetryableError when the store fails. */
export async function slowDown(request: QuotaRequest, quotas: Quotas, deps: QuotaDeps): Promise<void> {
  const asking = openAsking(request, quotas, deps);
  const { allowance, current, tried } = asking;
  // Each refusal of a minute is the same fact: a process writes it once, unless it has read it.
  if (quotas.slowed.get(allowance.name) === current) return;
  quotas.slowed.set(allowance.name, current);
  for (const use of quotas.minutes.values()) if (use.resource === allowance.name) use.slices = [];
  await Promise.all(tried.map((shard) => add(asking, current, shard, { units: 0, debt: 0, slowed: 1 })));
}

/** Whether a place counts: its delivery can be late, and others can have got it since then. */
async function isPlaceValid(asking: Asking, { minute, shard, number }: QuotaPlace): Promise<boolean> {
  if (asking.current - minute > 1) return false;
  const use = await readMinute(asking, minute, shard);
  return number <= computeShare(computeLimit(asking, use) - countExtra(use), use.by, asking.claimant);
}

/** The first later minute that can have room: earlier ones are used up first. */
async function findMinute(asking: Asking, end: number): Promise<number> {
  const { current, tried } = asking;
  const isFull = async (minute: number) => {
    const use = await readMinute(asking, minute, tried[0] ?? 0);
    return !decideAllowance(use, [wishFor(asking, use)]).granted[0];
  };
  let [low, high] = [current + 1, current + 1];
  while (high < end && (await isFull(high))) [low, high] = [high + 1, high + high - current];
  high = Math.min(high, end);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isFull(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes units of a minute: those that the process has already, or of one of the documents. */
async function takeUnits(asking: Asking, minute: number): Promise<QuotaPlace | undefined> {
  const { quotas, allowance, key, need, tried } = asking;
  const isNow = minute === asking.current;
  // The rest of a slice is valid in the next minute.
  const isKept = (use: MinuteUse) =>
    use.resource === allowance.name && (use.minute === minute || (isNow && use.minute === minute - 1));
  for (const use of [...quotas.minutes.values()].filter(isKept)) {
    const kept = use.slices.find((slice) => (isNow || slice.key === key) && slice.left >= need);
    if (kept === undefined) continue;
    kept.left -= need;
    return { minute, shard: use.shard, number: kept.last - kept.left };
  }
  for (const shard of tried) {
    const taken = await takeFromShard(asking, minute, shard);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

/**
 * The sums of the write number the units. Those that have no room are returned where corrections can make
 * room again; else the minute is over for all.
 */
async function takeFromShard(asking: Asking, minute: number, shard: number): Promise<QuotaPlace | undefined> {
  const { allowance, limit, quotas, key, need, current, sliceUnits } = asking;
  const known = await readMinute(asking, minute, shard);
  if (!decideAllowance(known, [wishFor(asking, known)]).granted[0]) return undefined;
  const slice = Math.max(0, sliceUnits - need);
  const units = need + slice;
  const debt = minute === current ? (quotas.uncounted.get(allowance.name) ?? 0) : 0;
  if (debt !== 0) quotas.uncounted.delete(allowance.name);
  const use = await add(asking, minute, shard, { units, debt, slowed: 0 });
  // Others can have taken units between the read and the write.
  const last = use.by[key] ?? 0;
  const before = { ...use, used: use.used - units, by: { ...use.by, [key]: last - units } };
  const wish = wishFor(asking, before);
  const [isGranted, hasSlice] = decideAllowance(before, [wish, { ...wish, need: slice }]).granted;
  if (isGranted && hasSlice && slice > 0) use.slices.push({ key, left: slice, last });
  if (isGranted || minute > current) return { minute, shard, number: last - slice };
  if (limit.tokens !== undefined) await add(asking, minute, shard, { units: -units, debt: 0, slowed: 0 });
  return undefined;
}

/** The units that a request can have of a document. In a later minute, others can still come. */
function wishFor(asking: Asking, use: MinuteUse): Wish {
  const { need, key, claimant, current, quotas } = asking;
  const { used, by, minute, shard } = use;
  const limit = computeLimit(asking, use);
  if (minute === current) return { need, cap: limit };
  const room = limit - countExtra(use);
  const expected = quotas.minutes.get(pathFor(asking, current, shard))?.by;
  // Each claimant has room for one request that others only might need.
  const first = Math.min(need, computeShare(room, by, claimant));
  const share = Math.max(first, computeShare(room, by, claimant, expected));
  return { need, cap: used - (by[key] ?? 0) + share };
}

/** The limit of a document: half of it after a refusal. */
function computeLimit({ units, allowance, quotas }: Asking, { minute, isSlowed }: MinuteUse): number {
  return isSlowed || quotas.slowed.get(allowance.name) === minute ? Math.floor(units / 2) : units;
}

/** Used units that are counted for no claimant: repeated requests, and corrections of tokens. */
const countExtra = ({ used, by }: MinuteUse): number =>
  Object.values(by).reduce((rest, units) => rest - units, used);

const pathFor = ({ allowance }: Asking, minute: number, shard: number): string =>
  allowancePath(allowance, new Date(minute * MINUTE_MS), shard);

/** The use of a document. A broken count stops no investigation: the sums of a write still hold the limit. */
async function readMinute(asking: Asking, minute: number, shard: number): Promise<MinuteUse> {
  const { quotas, now, deps } = asking;
  const path = pathFor(asking, minute, shard);
  const known = quotas.minutes.get(path);
  if (known !== undefined && now - known.at < FRESH_MS) return known;
  const { value: stored } = await captureFailure(deps.store.get(path, allowanceType));
  const { used = 0, by = {}, slowed = 0 } = stored?.value ?? {};
  return learn(asking, path, { minute, shard, used, by, isSlowed: slowed > 0 });
}

function learn(
  { quotas, now, allowance }: Asking,
  path: string,
  standing: Pick<MinuteUse, 'minute' | 'shard' | 'used' | 'by' | 'isSlowed'>,
): MinuteUse {
  const before = quotas.minutes.get(path) ?? { ...UNKNOWN, resource: allowance.name, slices: [] };
  const use = Object.assign(before, standing, { at: now });
  quotas.minutes.set(path, use);
  if (use.isSlowed) quotas.slowed.set(allowance.name, use.minute);
  return use;
}

/** Units are used when they are taken, and each write takes the same part of a document. */
const UNKNOWN = { held: 0, instances: 1 } as const;

/** Adds to a document, for one claimant. Returns its use. */
async function add(
  asking: Asking,
  minute: number,
  shard: number,
  { units, debt, slowed }: { units: number; debt: number; slowed: number },
): Promise<MinuteUse> {
  const { allowance, key, quotas, deps } = asking;
  const path = pathFor(asking, minute, shard);
  const value = {
    used: units + debt,
    held: {},
    seen: {},
    by: { [key]: units },
    slowed,
    expireAt: allowanceExpiry(allowance, new Date(minute * MINUTE_MS)),
  };
  const fields = ['used', `by.${key}`, 'slowed'];
  const sums = await deps.store.incrementAll(path, allowanceType, value, fields);
  const [used = 0, own = 0, refusals = 0] = sums;
  const by = { ...quotas.minutes.get(path)?.by, [key]: own };
  // As it was after this write: others of the process write at the same time.
  return { ...learn(asking, path, { minute, shard, used, by, isSlowed: refusals > 0 }) };
}
