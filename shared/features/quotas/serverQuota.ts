// Limits of observed systems: an investigation must not make an incident worse. A call takes a slot and a
// part of the minute's quota before it runs; its bytes are counted afterwards.

import type { Claimant, KeptSlot, Quotas, ServerQuota } from '../../contract/quotas.ts';
import { claimLease, isHeld } from '../../core/contract/lease.ts';
import { saveDocument } from '../../core/contract/store.ts';
import type { ToolResult } from '../../core/contract/tools.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { failedResult } from '../../core/kernel/state/callResult.ts';
import type { AgentTools } from '../../core/kernel/tools/agentTools.ts';
import { CONTRAST_STRATEGY } from '../../core/schema/agent.ts';
import type { PendingCall } from '../../core/schema/execution.ts';
import { readableType } from '../../core/schema/readable.ts';
import { endOfWindow, formatAllowanceName } from '../../kits/allowances/allowance.ts';
import { readUsed, spendUnits } from '../../kits/allowances/takeAllowance.ts';
import {
  bytesAllowance,
  callsAllowance,
  type Quota,
  type QuotaDeps,
  type QuotaPlace,
  quotaType,
} from '../../kits/quotas/quota.ts';
import { isForContrast } from '../../schema/collected.ts';
import { findQuotas, loadClaimant } from './modelQuota.ts';
import { takeQuota } from './takeQuota.ts';
import { findPlace, waitForQuota, waitsForQuotaSince } from './waitForQuota.ts';

/** The longest wait for a server in an iteration; then the agent continues without the call. */
const MAX_WAIT_MS = 120_000;
/** How long a call waits for a slot before it asks again; critical sessions ask twice as often. */
const SLOT_PAUSE_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** For how long a process can use a slot again, so that not each call writes. */
const TENURE_MS = 20_000;
/** How long a slot waits for the next call of the process. */
const LINGER_MS = 2_000;
/** Slots of a document: when all are used, each is taken and returned once in its tenure. */
const SLOTS_OF_SHARD = 10;

/** Whether a call can run. `refused` has the text of its result. */
type Admission =
  | { kind: 'admitted'; slot?: KeptSlot }
  | { kind: 'wait'; until: Date; reason: string; place?: QuotaPlace | undefined }
  | { kind: 'refused'; text: string };

/** Admitted and refused calls of the iterations that run, by id. */
const ADMISSIONS = new WeakMap<object, Map<string, Admission>>();

type SlotDeps = QuotaDeps & Pick<IterationContext['deps'], 'log'>;

const parseToolServer = (name: string): string => name.split('.')[0] ?? '';

const findServerQuota = ({ deps }: Pick<IterationContext, 'deps'>, name: string): ServerQuota | undefined => {
  const servers = findQuotas(deps)?.limits.servers ?? {};
  const server = parseToolServer(name);
  return Object.hasOwn(servers, server) ? servers[server] : undefined;
};

/**
 * The calls of a wave that can run now.
 * @throws RetryableError `EXECUTION_WAITING` when none can: the execution waits, and the calls are requested
 * again.
 */
export async function admitCalls(
  context: IterationContext,
  wave: readonly PendingCall[],
): Promise<readonly PendingCall[]> {
  const { held, deps } = context;
  const quotas = findQuotas(deps);
  if (quotas === undefined || !wave.some(({ name }) => findServerQuota(context, name) !== undefined))
    return wave;
  const claimant = await loadClaimant(held.current(), quotas, deps);
  const admissions = ADMISSIONS.get(held) ?? new Map<string, Admission>();
  ADMISSIONS.set(held, admissions);
  const ready: PendingCall[] = [];
  const waits: { call: PendingCall; until: Date; reason: string; place?: QuotaPlace | undefined }[] = [];
  for (const call of wave) {
    const before = admissions.get(call.callId);
    const known = before?.kind === 'wait' ? before.place : undefined;
    const admission = await admit(context, call, claimant, known);
    if (admission.kind === 'wait') waits.push({ call, ...admission });
    else ready.push(call);
    admissions.set(call.callId, admission);
  }
  const [first] = waits;
  if (ready.length > 0 || first === undefined) return ready;
  const until = new Date(Math.min(...waits.map((wait) => wait.until.getTime())));
  const places = waits.flatMap(({ call, place }) => (place === undefined ? [] : [[call.callId, place]]));
  const subject = parseToolServer(first.call.name);
  return waitForQuota(context, { subject, reason: first.reason, until, places: Object.fromEntries(places) });
}

/** @param known the place that the call got earlier in the iteration. */
async function admit(
  context: IterationContext,
  call: PendingCall,
  claimant: Claimant,
  known: QuotaPlace | undefined,
): Promise<Admission> {
  const { held, agent, deps } = context;
  const limits = findServerQuota(context, call.name);
  const quotas = findQuotas(deps);
  if (limits === undefined || quotas === undefined) return { kind: 'admitted' };
  const server = parseToolServer(call.name);
  const now = deps.clock.now();
  const since = waitsForQuotaSince(held.current());
  const waitedMs = since === undefined ? 0 : now.getTime() - since.getTime();
  // A call for contrast is not worth a wait.
  const isContrast = agent.strategy === CONTRAST_STRATEGY || isForContrast(call.callId);
  const patienceMs = isContrast ? 0 : MAX_WAIT_MS;
  const refuseOr = (until: Date, reason: string, place?: QuotaPlace): Admission =>
    until.getTime() - now.getTime() + waitedMs > patienceMs
      ? { kind: 'refused', text: `${call.name} was not run: ${reason} Continue without it, or ask for less.` }
      : { kind: 'wait', until, reason, place };
  const hour = await usedUpUntil(server, limits, now, deps);
  if (hour !== undefined)
    return refuseOr(hour, `The limit of ${server} for this hour (${limits.bytesPerHour} bytes) is used up.`);
  const { sessionId, executionId, iteration, limits: own } = held.current();
  const name = `${sessionId}/${executionId}/${iteration}/${call.index}`;
  const slot = await takeSlot(server, limits, name, own.toolTimeoutMs, quotas, deps);
  if (slot === 'full') {
    const until = new Date(now.getTime() + SLOT_PAUSE_MS / (claimant.isCritical ? 2 : 1));
    return refuseOr(until, `${server} runs ${limits.concurrency} calls, its limit.`);
  }
  if (limits.perMinute === undefined) return { kind: 'admitted', ...(slot && { slot }) };
  const wanted = {
    allowance: callsAllowance(server),
    limit: { requests: limits.perMinute },
    claimant,
    tokens: 0,
    place: known ?? findPlace(held.current(), call.callId),
    maxMinutes:
      Math.floor((now.getTime() + patienceMs - waitedMs) / MINUTE_MS) - Math.floor(now.getTime() / MINUTE_MS),
  };
  const taken = await takeQuota(wanted, quotas, deps);
  if (taken.kind === 'granted') return { kind: 'admitted', ...(slot && { slot }) };
  if (slot !== undefined) await returnSlot(server, slot, own.toolTimeoutMs, quotas, deps);
  return refuseOr(
    taken.until,
    `The limit of ${server} for this minute (${limits.perMinute} calls) is used up.`,
    taken.place,
  );
}

/** The tools, whose calls return their slots and count their bytes. */
export function countCalls(tools: AgentTools, context: IterationContext): AgentTools {
  const { held, deps } = context;
  if (Object.keys(findQuotas(deps)?.limits.servers ?? {}).length === 0) return tools;
  return {
    ...tools,
    async execute(call, options) {
      const admission = ADMISSIONS.get(held)?.get(call.callId);
      if (admission?.kind === 'refused') return failedResult(call, admission.text);
      let result: ToolResult | undefined;
      try {
        result = await tools.execute(call, options);
        return result;
      } finally {
        await settle(context, call.name, admission, result).catch((err: unknown) =>
          deps.log.warn({ err, tool: call.name }, 'the use of a server is not counted'),
        );
      }
    },
  };
}

async function settle(
  context: IterationContext,
  name: string,
  admission: Admission | undefined,
  result: ToolResult | undefined,
): Promise<void> {
  const { deps } = context;
  const limits = findServerQuota(context, name);
  const quotas = findQuotas(deps);
  const server = parseToolServer(name);
  const slot = admission?.kind === 'admitted' ? admission.slot : undefined;
  const { toolTimeoutMs } = context.held.current().limits;
  if (slot !== undefined && quotas !== undefined) await returnSlot(server, slot, toolTimeoutMs, quotas, deps);
  if (limits?.bytesPerHour === undefined || result === undefined) return;
  const bytes = result.large?.bytes ?? Buffer.byteLength(result.content);
  await spendUnits(bytesAllowance(server), bytes, deps.clock.now(), deps);
}

async function usedUpUntil(
  server: string,
  { bytesPerHour }: ServerQuota,
  now: Date,
  deps: QuotaDeps,
): Promise<Date | undefined> {
  if (bytesPerHour === undefined) return undefined;
  const allowance = bytesAllowance(server);
  // A broken count stops no investigation.
  const { value: used = 0 } = await captureFailure(readUsed(allowance, now, deps));
  return used < bytesPerHour ? undefined : endOfWindow(allowance, now);
}

/**
 * Takes a slot until its call must have ended: one that the process holds, or one of a document; undefined
 * where calls are not limited.
 */
async function takeSlot(
  server: string,
  { concurrency }: ServerQuota,
  name: string,
  timeoutMs: number,
  quotas: Quotas,
  deps: SlotDeps,
): Promise<KeptSlot | 'full' | undefined> {
  if (concurrency === undefined) return undefined;
  const now = deps.clock.now();
  const kept = quotas.slots.get(server) ?? [];
  const own = kept.find(({ until }) => until.getTime() - now.getTime() >= timeoutMs);
  if (own !== undefined) {
    kept.splice(kept.indexOf(own), 1);
    return own;
  }
  const { until } = claimLease(name, timeoutMs + TENURE_MS, now);
  const shards = Math.ceil(concurrency / SLOTS_OF_SHARD);
  const first = Math.floor((deps.random ?? Math.random)() * shards);
  for (let tries = 0; tries < shards; tries++) {
    const shard = (first + tries) % shards;
    const most = Math.floor(concurrency / shards) + (shard < concurrency % shards ? 1 : 0);
    const taken = await changeSlots(
      server,
      shard,
      (slots) =>
        Object.keys(without(slots, name)).length < most ? { ...slots, [name]: until.getTime() } : undefined,
      deps,
    );
    if (taken) return { name, shard, until };
  }
  return 'full';
}

/** Keeps a slot for the next call of the process, or returns it when it is too old for one. */
async function returnSlot(
  server: string,
  slot: KeptSlot,
  timeoutMs: number,
  { slots }: Quotas,
  deps: SlotDeps,
): Promise<void> {
  const { name, shard, until } = slot;
  const giveBack = () => changeSlots(server, shard, (running) => without(running, name), deps);
  if (until.getTime() - deps.clock.now().getTime() < timeoutMs + LINGER_MS) {
    await giveBack();
    return;
  }
  const kept = slots.get(server) ?? [];
  slots.set(server, kept);
  kept.push(slot);
  deps.clock.after(LINGER_MS, () => {
    const index = kept.indexOf(slot);
    if (index < 0) return;
    kept.splice(index, 1);
    giveBack().catch((err: unknown) => deps.log.warn({ err, server }, 'a slot of a server is not returned'));
  });
}

/**
 * Changes the running calls of a server. An unreadable document is replaced: its calls no longer count, so
 * that the server can get twice its limit until they end. Returns whether the change was stored; false if
 * `change` has none, or writers race.
 */
async function changeSlots(
  server: string,
  shard: number,
  change: (slots: Quota['slots']) => Quota['slots'] | undefined,
  { store, clock, log }: SlotDeps,
): Promise<boolean> {
  const path = quotaType.paths.quotaSlots(formatAllowanceName('server', server), shard);
  const write = async (): Promise<boolean | typeof RACE_LOST> => {
    const now = clock.now();
    const stored = await store.get(path, readableType(quotaType));
    const { value: known, unreadable } = stored?.value ?? {};
    // Newer code can read it: the execution is delivered again, as for other documents.
    if (unreadable?.code === 'SCHEMA_TOO_NEW') await store.get(path, quotaType);
    if (unreadable !== undefined)
      log.error(
        { ...unreadable, server },
        'the running calls of a server are unreadable and no longer count',
      );
    const running = Object.entries(known?.slots ?? {}).filter(([, until]) =>
      isHeld({ until: new Date(until) }, now),
    );
    const slots = change(Object.fromEntries(running));
    if (slots === undefined) return false;
    const value = { slots, expireAt: twoHoursLater(now) };
    const { ok } = await store.commit([saveDocument(path, quotaType, value, stored?.version)]);
    return ok || RACE_LOST;
  };
  return retryLostRaces<boolean>(`the slots of ${server}`, DOCUMENT_RACES, write, () => false);
}

const without = (slots: Quota['slots'], slot: string): Quota['slots'] =>
  Object.fromEntries(Object.entries(slots).filter(([name]) => name !== slot));

const twoHoursLater = (now: Date): Date => new Date(now.getTime() + 2 * HOUR_MS);
