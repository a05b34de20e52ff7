// Takes a part of a minute's quota that all instances share. One read and one write for each slice; ten
// requests at most are a slice where the limit is large.

import type { Claimant, Quotas, Slice } from '../../contract/quotas.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { minuteId, type Quota, type QuotaDeps, quotaMinute, quotaType } from '../../kits/quotas/quota.ts';
import { capsFor, formatClaimantKey, placesFor, roomFor, UNUSED, type Wish } from './fairShare.ts';

interface RateLimit {
  /** Absent: no limit. */
  requests?: number | undefined;
  /** Absent: no limit. */
  tokens?: number | undefined;
}

/** A request to a resource. */
export interface QuotaRequest {
  /** `model~google~gemini-3_8-flash`, or `server~logs`: part of ids of documents, without dots. */
  resource: string;
  /** The limit of the resource. */
  limit: RateLimit;
  /** For whom it is. */
  claimant: Claimant;
  /** Estimated tokens; 0 where they are not limited. */
  tokens: number;
  /** Whether it was refused before. */
  hasWaited: boolean;
}

/** The outcome: granted, or the time at which to ask again. */
type Taken = { kind: 'granted' } | { kind: 'refused'; until: Date };

const MINUTE_MS = 60_000;
const KEEP_MS = 3_600_000;
/** Firestore takes one write a second per document: a shard has at most these slices of a minute. */
const SLICES_OF_SHARD = 60;
/** Requests have at least so many tokens, where only tokens are limited. */
const FEW_TOKENS = 4_000;
const MAX_SLICE = 10;
const MAX_SHARDS = 100;
/** A refusal of one document is not a refusal of the minute. */
const TRIED_SHARDS = 3;
/** How many minutes ahead a request can wait. */
const MAX_MINUTES = 30;
/** Requests that wait for the next minute come in this time, so before `GRACE_SECOND`. */
const SPREAD_MS = 20_000;

/** A limit as documents count it. */
interface Division {
  /** Number of documents of a minute. */
  shards: number;
  /** Requests of a document. */
  requests: number;
  /** Tokens of a document. */
  tokens: number;
  /** Requests that an instance takes with one write. */
  slice: number;
}

function divideRateLimit({ requests, tokens }: RateLimit): Division {
  const expected = requests ?? Math.ceil((tokens ?? 0) / FEW_TOKENS);
  const slice = Math.max(1, Math.min(MAX_SLICE, Math.floor(expected / 2_000)));
  const wanted = Math.ceil(expected / slice / SLICES_OF_SHARD);
  const shards = Math.max(1, Math.min(MAX_SHARDS, wanted));
  return {
    shards,
    slice,
    requests: Math.floor((requests ?? Number.MAX_SAFE_INTEGER) / shards),
    tokens: Math.floor((tokens ?? Number.MAX_SAFE_INTEGER) / shards),
  };
}

/**
 * Takes one request of the current minute, or registers it for a later one.
 * @throws RetryableError when the store fails.
 */
export async function takeQuota(request: QuotaRequest, quotas: Quotas, deps: QuotaDeps): Promise<Taken> {
  const now = deps.clock.now();
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  const division = divideRateLimit(request.limit);
  const key = `${request.resource} ${formatClaimantKey(request.claimant)}`;
  const takeKept = (): boolean => {
    const [slice] = usableSlices(quotas, key, minute);
    if (slice === undefined) return false;
    slice.left -= 1;
    count(quotas, request.resource, { requests: 0, tokens: request.tokens });
    return true;
  };
  if (takeKept()) return { kind: 'granted' };
  const first = Math.floor((deps.random ?? Math.random)() * division.shards);
  // Simultaneous requests count each other before returning surplus: a critical one checks again.
  const most = request.claimant.isCritical ? TRIED_SHARDS : Math.min(TRIED_SHARDS, division.shards);
  for (let tries = 0; tries < most; tries++) {
    const shard = (first + tries) % division.shards;
    const granted = await takeSlice(request, { minute, shard, now }, division, quotas, deps);
    if (granted === 0) continue;
    // Other requests of the process can have taken slices meanwhile.
    const slices = [...usableSlices(quotas, key, minute), { minute, left: granted - 1 }];
    quotas.slices.set(key, slices);
    return { kind: 'granted' };
  }
  if (takeKept()) return { kind: 'granted' };
  const until = await register(request, { minute, shard: first, now }, division, deps);
  return { kind: 'refused', until };
}

/** The unused slices of a claimant. The rest of a slice stays valid in the next minute. */
function usableSlices({ slices }: Quotas, key: string, minute: number): Slice[] {
  return (slices.get(key) ?? []).filter((slice) => slice.left > 0 && slice.minute >= minute - 1);
}

/** Adds use that the next slice of the process counts: corrected tokens, and requests that were repeated. */
export function count(
  { uncounted }: Quotas,
  resource: string,
  use: { requests: number; tokens: number },
): void {
  const before = uncounted.get(resource) ?? { requests: 0, tokens: 0 };
  uncounted.set(resource, {
    requests: before.requests + use.requests,
    tokens: before.tokens + use.tokens,
  });
}

/** Halves the limit of a resource for the rest of the minute. @throws RetryableError when the store fails. */
export async function slowDown(
  { resource, limit }: Pick<QuotaRequest, 'resource' | 'limit'>,
  { slices, slowed }: Quotas,
  deps: QuotaDeps,
): Promise<void> {
  for (const key of slices.keys()) if (key.startsWith(`${resource} `)) slices.delete(key);
  const now = deps.clock.now();
  // Each refusal of a minute is the same fact: a process writes it once, unless it has read it.
  if (slowed.get(resource) === quotaMinute(now)) return;
  slowed.set(resource, quotaMinute(now));
  const shards = Array.from({ length: divideRateLimit(limit).shards }, (_, shard) => shard);
  await Promise.all(
    shards.map((shard) =>
      add(quotaShardPath(resource, quotaMinute(now), shard), 'n_default', { slowed: 1 }, now, deps),
    ),
  );
}

/** A document of a minute. */
interface Place {
  minute: number;
  shard: number;
  now: Date;
}

const quotaShardPath = (resource: string, minute: number, shard: number): string =>
  quotaType.paths.quota(resource, minuteId(minute), shard);

/** Takes up to a slice of a document. Its sums number requests; those above a cap are returned. */
async function takeSlice(
  { resource, claimant, tokens, hasWaited }: QuotaRequest,
  { minute, shard, now }: Place,
  division: Division,
  quotas: Quotas,
  deps: QuotaDeps,
): Promise<number> {
  const path = quotaShardPath(resource, minute, shard);
  // A broken count stops no investigation. The sums of the write still hold the limit.
  const { value: stored } = await captureFailure(deps.store.get(path, quotaType));
  const standing = stored?.value ?? { ...UNUSED, amount: 0, slowed: 0 };
  const half = standing.slowed > 0 ? 2 : 1;
  if (standing.slowed > 0) quotas.slowed.set(resource, minute);
  const most = Math.floor(division.tokens / half);
  const wish: Wish = { claimant, hasWaited, wanted: hasWaited ? 1 : division.slice };
  const second = (now.getTime() % MINUTE_MS) / 1000;
  const caps = capsFor(standing, wish, Math.floor(division.requests / half), second);
  const room = roomFor(standing, wish, caps);
  // A request with more tokens than a minute has is granted as the first of a minute.
  if (room === 0 || (standing.amount > 0 && standing.amount + tokens > most)) return 0;
  const debt = quotas.uncounted.get(resource) ?? { requests: 0, tokens: 0 };
  quotas.uncounted.delete(resource);
  const key = formatClaimantKey(claimant);
  const taken = room + debt.requests;
  const served = hasWaited ? 1 : 0;
  const after = await add(
    path,
    key,
    { total: taken, granted: taken, served, amount: tokens + debt.tokens },
    now,
    deps,
  );
  const fits = Math.min(room, caps.total - (after.total - room), caps.own - (after.granted - room));
  const isFirst = after.amount === tokens + debt.tokens;
  const kept = isFirst || after.amount <= most ? Math.max(0, fits) : 0;
  if (kept === room) return room;
  const back = { total: kept - room, granted: kept - room };
  const unused = kept === 0 ? { ...back, served: -served, amount: -tokens } : back;
  await add(path, key, unused, now, deps);
  return kept;
}

/** Registers a refused request for the first later minute with a place. Returns when to ask again. */
async function register(
  { resource, claimant, hasWaited }: QuotaRequest,
  { minute, shard, now }: Place,
  { requests }: Division,
  deps: QuotaDeps,
): Promise<Date> {
  const key = formatClaimantKey(claimant);
  const ids = {
    from: `${resource}.${minuteId(minute)}`,
    to: `${resource}.${minuteId(minute + MAX_MINUTES)}~`,
  };
  const query = { collection: quotaType.paths.quotas, idRange: ids };
  const { value: later = [] } = await captureFailure(deps.store.list(query, quotaType));
  const standings = new Map(later.map(({ id, value }) => [id, value]));
  const standingAt = (minutes: number) =>
    standings.get(`${resource}.${minuteId(minute + minutes)}.${shard}`) ?? UNUSED;
  let ahead = 1;
  // A request that has waited is the next one in any case.
  while (!hasWaited && ahead < MAX_MINUTES) {
    if (placesFor(standingAt(ahead), standingAt(0), claimant, requests) > 0) break;
    ahead++;
  }
  const path = quotaShardPath(resource, minute + ahead, shard);
  const { waiting } = await add(path, key, { waiting: 1 }, now, deps);
  const start = (minute + ahead) * MINUTE_MS;
  const spread = start + Math.floor(SPREAD_MS * Math.min(1, (hasWaited ? 0 : waiting) / requests));
  // The sweep ends waits of a minute or more, at the start of a minute; later is a minute too late.
  return new Date(spread - now.getTime() >= MINUTE_MS ? start : spread);
}

type Change = Partial<Record<'total' | 'granted' | 'waiting' | 'served' | 'amount' | 'slowed', number>>;

/** Adds to a document, for one claimant, and returns the sums. */
async function add(
  path: string,
  key: string,
  change: Change,
  now: Date,
  { store }: QuotaDeps,
): Promise<{ total: number; granted: number; waiting: number; amount: number }> {
  const { total = 0, granted = 0, waiting = 0, served = 0, amount = 0, slowed = 0 } = change;
  const value: Quota = {
    total,
    granted: { [key]: granted },
    waiting: { [key]: waiting },
    served: { [key]: served },
    amount,
    slowed,
    slots: {},
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  const fields = ['total', `granted.${key}`, `waiting.${key}`, `served.${key}`, 'amount', 'slowed'];
  const sums = await store.incrementAll(path, quotaType, value, fields);
  return { total: sums[0] ?? 0, granted: sums[1] ?? 0, waiting: sums[2] ?? 0, amount: sums[4] ?? 0 };
}
