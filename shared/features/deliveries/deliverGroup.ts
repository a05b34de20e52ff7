// Sends the message of a group, and edits it while it counts.

import {
  type ConfiguredDestination,
  type DeliveryFailure,
  type Destination,
  NO_PARTS,
  type OutgoingMessage,
  type PortableMessage,
  type SendResult,
} from '../../contract/destination.ts';
import { claimedFields, claimLease, isHeld, leaseIn, RELEASED } from '../../core/contract/lease.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { DESTINATION_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { type DeliveryGroup, deliveryGroupType } from '../../kits/deliveries/delivery.ts';
import { rejectedMessage } from './contents/rejectedMessage.ts';
import {
  afterProbe,
  afterSend,
  CLOCK_MARGIN_MS,
  chooseMessageRules,
  closedState,
  decideMessage,
  limitRequestedPause,
  type MessageRules,
  quietAfter,
  startSending,
} from './decideMessage.ts';
import { tenantDenied, UNKNOWN_DESTINATION } from './deliverThread.ts';
import type { DeliverDeps } from './deps.ts';
import { enterCircuit, recordResult, refusalUntil } from './destinationCircuit.ts';
import { countMembers, takeRoot } from './messageGroups.ts';

/** Steps of one call; the sweep requests the rest. */
const MAX_STEPS = 5;
/** Attempts to store an answer while sessions join the group: without it, the message is in doubt. */
const ANSWER_RACES = 100;
const MAX_LINKS = 10;
const HOUR_MS = 3_600_000;

type StepOutcome = boolean | typeof RACE_LOST;

/**
 * Sends or edits the message of a group that is due. Returns at once while another process does it.
 * @throws RetryableError when the store fails, or sessions keep joining the group.
 */
export async function deliverGroup(groupId: string, deps: DeliverDeps): Promise<void> {
  const step = () => retryLostRaces(`group ${groupId}`, DESTINATION_RACES, () => performStep(groupId, deps));
  for (let steps = 0; steps < MAX_STEPS; steps++) if (!(await step())) return;
}

/** @returns whether another step can be due; `RACE_LOST` if a session joined before the request. */
async function performStep(groupId: string, deps: DeliverDeps): Promise<StepOutcome> {
  const { store, clock } = deps;
  const now = clock.now();
  const stored = await store.get(deliveryGroupType.paths.deliveryGroup(groupId), deliveryGroupType);
  if (stored === undefined || isHeld(leaseIn(stored.value), now)) return false;
  const group = stored.value;
  if (group.dueAt === null || group.dueAt > now) return false;
  const configured = await deps.destinations(group.destination);
  if (configured === undefined) return saveGroup(stored, failedGroup(group, UNKNOWN_DESTINATION), deps);
  if (group.tenantId !== undefined && !configured.tenants.includes(group.tenantId))
    return saveGroup(stored, failedGroup(group, tenantDenied(group.tenantId)), deps);
  return group.state === 'sent'
    ? await editCount(stored, configured, deps)
    : await sendFirst(groupId, stored, configured, deps);
}

/** A group whose message cannot be sent. A sent one stays sent; one without answer can have arrived. */
function failedGroup(group: DeliveryGroup, failure: DeliveryFailure): DeliveryGroup {
  return { ...group, state: group.state === 'sent' ? 'sent' : closedState(group), dueAt: null, failure };
}

async function saveGroup(
  stored: Stored<DeliveryGroup>,
  group: DeliveryGroup,
  { store }: DeliverDeps,
): Promise<boolean> {
  const free = { ...group, ...RELEASED };
  const { ok } = await store.commit([replaceDocument(stored.path, deliveryGroupType, free, stored.version)]);
  return ok;
}

type After = (current: DeliveryGroup, result: SendResult, now: Date, shown: number) => DeliveryGroup;

/** Stores the state, counts, sends, and stores the result into the current group: others can have joined. */
async function exchangeStored(
  stored: Stored<DeliveryGroup>,
  sending: DeliveryGroup,
  request: (counted: DeliveryGroup) => Promise<SendResult>,
  after: After,
  timeoutMs: number,
  deps: DeliverDeps,
): Promise<StepOutcome> {
  const { store, clock } = deps;
  const lease = claimLease(deps.newId(), timeoutMs + CLOCK_MARGIN_MS, clock.now());
  const isRejected = sending.kind === 'rejected';
  const held = { ...sending, ...claimedFields(lease), ...(!isRejected && { count: sending.shown }) };
  const claimed = await store.commit([replaceDocument(stored.path, deliveryGroupType, held, stored.version)]);
  // A message about rejected alerts has taken a first message of the hour: the sweep tries it again.
  if (!claimed.ok) return isRejected ? false : RACE_LOST;
  const members = isRejected ? sending : await countOrLog(stored, deps);
  const result = members === undefined ? NOT_COUNTED : await request({ ...sending, ...members });
  const isStored = await storeAnswer(
    stored.path,
    held,
    (current, now) => {
      const counted = isRejected ? current : afterCount(current, members);
      return after(counted, result, now, members?.count ?? UNKNOWN_COUNT);
    },
    deps,
  );
  // After the result is stored: a count that fails must not put an answer in doubt.
  await recordResult(sending.destination, result, deps);
  return isStored;
}

type Members = Awaited<ReturnType<typeof countMembers>>;

/** A store that fails leaves no doubt about a message that was not sent. */
async function countOrLog({ id, value }: Stored<DeliveryGroup>, deps: DeliverDeps) {
  try {
    return await countMembers(id, value, deps);
  } catch (error) {
    deps.log.warn({ err: error, groupId: id }, `the group was not counted: ${errorMessage(error)}`);
    return undefined;
  }
}

const NOT_COUNTED: SendResult = {
  outcome: 'retry',
  failure: { code: 'not_counted', message: 'The store did not count its sessions.' },
  retryAfterMs: 10_000,
};

/** The group with its members. Its count stays above the one that is shown if others joined meanwhile. */
function afterCount(current: DeliveryGroup, members: Members | undefined): DeliveryGroup {
  const { count, sessionIds } = members ?? { ...current, count: current.shown + 1 };
  return { ...current, sessionIds, count: current.count > current.shown ? count + 1 : count };
}

/** @returns false if another process holds the group. */
async function storeAnswer(
  path: string,
  { holder }: DeliveryGroup,
  after: (current: DeliveryGroup, now: Date) => DeliveryGroup,
  deps: DeliverDeps,
): Promise<boolean> {
  return retryLostRaces<boolean>(`the answer for ${path}`, ANSWER_RACES, async () => {
    const latest = await deps.store.get(path, deliveryGroupType);
    if (latest?.value.holder !== holder) return false;
    return (await saveGroup(latest, after(latest.value, deps.clock.now()), deps)) || RACE_LOST;
  });
}

/** Keeps a group until its circuit lets a request pass. @returns whether it is kept. */
async function isKept(stored: Stored<DeliveryGroup>, deps: DeliverDeps): Promise<boolean> {
  const closedUntil = await enterCircuit(stored.value.destination, deps);
  if (closedUntil === null) return false;
  const failure = refusalUntil(closedUntil);
  const kept =
    failure === undefined ? { ...stored.value, dueAt: closedUntil } : failedGroup(stored.value, failure);
  await saveGroup(stored, kept, deps);
  return true;
}

async function sendFirst(
  groupId: string,
  stored: Stored<DeliveryGroup>,
  { destination }: ConfiguredDestination,
  deps: DeliverDeps,
): Promise<StepOutcome> {
  const { value: group } = stored;
  const now = deps.clock.now();
  const rules = chooseMessageRules(destination, false);
  const step = decideMessage(group, rules, now);
  switch (step.kind) {
    case 'done':
    case 'wait':
      return false;
    case 'store':
      return saveGroup(stored, { ...group, ...step.progress }, deps);
    case 'probe': {
      const found = await destination.probe?.(composeGroupMessage(groupId, group, deps));
      if (found === undefined) return false;
      const at = deps.clock.now();
      return saveGroup(stored, countShown(afterProbe(group, found, rules, at), UNKNOWN_COUNT, at), deps);
    }
    case 'send': {
      if (await isKept(stored, deps)) return false;
      // The answer to a person is no message of the channel.
      const isOfHour = group.kind === 'rejected' && group.thread === undefined;
      if (isOfHour && !(await hasRoom(group, destination, deps)))
        return saveGroup(stored, { ...group, dueAt: nextHour(now) }, deps);
      const sending = startSending(group, rules, now);
      const request = (counted: DeliveryGroup) =>
        destination.send(composeGroupMessage(groupId, counted, deps));
      const after: After = (current, result, at, shown) =>
        countShown(afterSend(current, result, rules, at), sending.attempts === 1 ? shown : UNKNOWN_COUNT, at);
      return exchangeStored(stored, sending, request, after, rules.timeoutMs, deps);
    }
  }
}

/** Whether a message about rejected alerts is among the hour's first. Programs get every message. */
async function hasRoom(
  { firstSentAt, destination: name }: DeliveryGroup,
  { capabilities }: Destination,
  deps: DeliverDeps,
): Promise<boolean> {
  return capabilities.isRepeatSafe || firstSentAt !== null || (await takeRoot(name, deps));
}

function nextHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
}

/** An earlier attempt can be the one that is shown, with the count of its time. */
const UNKNOWN_COUNT = 0;

/** The group with the count that its message shows. A higher count is shown later. */
function countShown(group: DeliveryGroup, shown: number, now: Date): DeliveryGroup {
  if (group.state !== 'sent') return group;
  const count = Math.max(group.count, 1);
  const isBehind = group.kind !== 'digest' && count > shown;
  return { ...group, failure: null, count, shown, dueAt: isBehind ? new Date(now.getTime() + 60_000) : null };
}

async function editCount(
  stored: Stored<DeliveryGroup>,
  { destination }: ConfiguredDestination,
  deps: DeliverDeps,
): Promise<StepOutcome> {
  const { value: group } = stored;
  const { ref } = group;
  // A request that died has counted sessions, which are counted again.
  const isShown = group.kind === 'rejected' && group.count === group.shown;
  if (ref === null || destination.update === undefined || isShown)
    return saveGroup(stored, { ...group, dueAt: null }, deps);
  if (await isKept(stored, deps)) return false;
  const rules: MessageRules = chooseMessageRules(destination, true);
  const now = deps.clock.now();
  const sending = { ...group, sendingAt: now, dueAt: quietAfter({ sendingAt: now }, rules, now) };
  const request = async (counted: DeliveryGroup) =>
    (await destination.update?.(ref, composeGroupMessage(stored.id, counted, deps))) ?? UNSUPPORTED;
  const after: After = (current, result, at, shown) => {
    if (result.outcome === 'sent') return countShown(current, shown, at);
    const { outcome, failure } = result;
    // A further session makes it due again.
    if (outcome === 'gone' || outcome === 'refused') return { ...current, failure, dueAt: null };
    const pause = outcome === 'retry' ? limitRequestedPause(result.retryAfterMs ?? 0) : 0;
    const dueAt = Math.max(quietAfter(current, rules, at).getTime(), at.getTime() + pause);
    return { ...current, failure, dueAt: new Date(dueAt) };
  };
  return exchangeStored(stored, sending, request, after, rules.timeoutMs, deps);
}

const UNSUPPORTED: SendResult = {
  outcome: 'refused',
  failure: { code: 'no_update', message: 'Its messages cannot be changed.' },
};

function composeGroupMessage(
  groupId: string,
  group: DeliveryGroup,
  { clock, publicUrl }: DeliverDeps,
): OutgoingMessage {
  return {
    id: groupId,
    event: group.kind === 'rejected' ? 'rejected' : 'notice',
    thread: group.thread ?? null,
    place: null,
    session: null,
    message: group.kind === 'rejected' ? rejectedMessage(group, publicUrl) : groupMessage(group, publicUrl),
    occurredAt: group.createdAt,
    firstSentAt: group.firstSentAt ?? clock.now(),
  };
}

/** The count, and the pages of the first sessions. Titles of alerts are on those pages. */
function groupMessage({ kind, count, sessionIds }: DeliveryGroup, publicUrl: string | null): PortableMessage {
  const sessions = count === 1 ? '1 session' : `${count} sessions`;
  const title = kind === 'digest' ? `Digest: ${sessions}` : `Many alerts: ${sessions} more in this hour`;
  const evidence =
    publicUrl === null
      ? []
      : sessionIds
          .slice(0, MAX_LINKS)
          .map((id) => ({ title: id, url: `${publicUrl}/s/${encodeURIComponent(id)}` }));
  return { ...NO_PARTS, status: 'notice', title, text: title, evidence, link: publicUrl };
}
