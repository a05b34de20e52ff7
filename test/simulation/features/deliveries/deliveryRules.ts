// The rules that hold after every run, whatever the faults were.

import type { OutcomeValue } from '../../../../shared/kits/alerts/outcome.ts';
import type { Delivery, DeliveryGroup, Thread } from '../../../../shared/kits/deliveries/delivery.ts';
import { utcHour } from '../../../../shared/text/utcPeriod.ts';
import type { DestinationLog, DestinationPlan } from './simulatedDestination.ts';

interface Checked {
  plan: DestinationPlan;
  deliveries: Delivery[];
  groups: (DeliveryGroup & { groupId: string })[];
  /** The sessions that each group counts. */
  members: ReadonlyMap<string, readonly string[]>;
  /** How often a process died. */
  deaths: number;
  /** Alerts that were rejected. */
  rejected: number;
  /** The state of the first message of each session. */
  roots: Thread['root'][];
  log: DestinationLog;
  /** Whether every message reached a final state within the limit. */
  isOver: boolean;
  /** The last title of each session, and that of its result. */
  titles: ReadonlyMap<string, string>;
  results: ReadonlyMap<string, string>;
  /** The values that the checks of each session found, in their order. */
  found: ReadonlyMap<string, readonly OutcomeValue[]>;
  /** Rules that were broken during the run, in words. */
  broken: readonly string[];
}

/** The broken rules, in words; empty if all hold. */
export function checkDeliveries(checked: Checked): string[] {
  return [
    ...(checked.isOver ? [] : ['a message is still open after 48 hours']),
    ...checkCounts(checked),
    ...checkOrder(checked),
    ...checkEnd(checked),
    ...checkLatest(checked),
    ...checkGroups(checked),
    ...checked.broken,
    ...checkMarks(checked),
    ...checkOutcomes(checked),
  ];
}

/** A message that used up its attempts can end in a doubt, if the last answers were lost. */
const MOST_ATTEMPTS = 9;

/** The codes of messages that no attempt can deliver. */
const TROUBLES: Partial<Record<DestinationPlan['trouble']['kind'], string>> = {
  revoked: 'token_revoked',
  removed: 'destination_unknown',
  // The decision about an approval whose request was deleted.
  deleted: 'message_not_found',
};

const isOfTrouble = ({ failure }: Pick<Delivery, 'failure'>, { trouble }: DestinationPlan): boolean =>
  failure !== null && failure.code === TROUBLES[trouble.kind];

const idOf = ({ sessionId, destination, event, key }: Delivery): string =>
  `${sessionId}.${destination}.${event}.${key}`;

/** With a probe or a key each message exists exactly once; without, never twice. */
function checkCounts({ plan, deliveries, log }: Checked): string[] {
  if (plan.resolution === 'repeatSafe') return [];
  const found: string[] = [];
  const counts = new Map<string, number>();
  for (const { id } of log.posts) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) if (count > 1) found.push(`${id} exists ${count} times`);
  for (const delivery of deliveries) {
    const { state, event, ref, attempts } = delivery;
    const isOwn = log.posts.some((post) => post.id === idOf(delivery));
    const isEdit =
      !isOwn && ref !== null && ['ended', 'opened', 'progress', 'resolved', 'decided'].includes(event);
    if (state === 'sent' && !isOwn && !isEdit) found.push(`${event} is sent and does not exist`);
    if (state === 'failed' && isOwn) found.push(`a message has failed and exists: ${event}`);
    if (plan.resolution === 'none' && (log.lost.get(idOf(delivery)) ?? 0) > 1)
      found.push(`${event} was sent again after a lost answer`);
    const isUsedUp = attempts >= MOST_ATTEMPTS;
    const isEnded = isUsedUp || isOfTrouble(delivery, plan);
    if (plan.resolution !== 'none' && state === 'unknown' && !isEnded) found.push(`${event} stays unknown`);
    if (state === 'failed' && !isEnded) found.push(`${event} has failed: ${delivery.failure?.code}`);
  }
  return found;
}

/** A session has one first message; a further one is marked, after an unknown one, if wanted. */
function checkMarks({ plan, deliveries, log }: Checked): string[] {
  if (plan.resolution === 'repeatSafe') return [];
  return [...new Set(deliveries.map(({ sessionId }) => sessionId))].flatMap((sessionId) => {
    const posts = log.posts.filter(({ id }) => id.startsWith(`${sessionId}.`));
    const roots = posts.filter(({ id, thread }) => thread === null && /\.(opened|ended|failed)\./.test(id));
    const marked = posts.filter(({ isRepeated }) => isRepeated);
    const isDoubtful = deliveries.some((one) => one.sessionId === sessionId && one.state === 'unknown');
    return [
      ...(roots.filter(({ isRepeated }) => !isRepeated).length > 1
        ? [`two first messages of ${sessionId}`]
        : []),
      ...(marked.length > 0 && !isDoubtful ? ['a message is marked although none is unknown'] : []),
      ...(marked.length > 0 && plan.onDoubt === 'hold' ? ['a message is repeated that is to be held'] : []),
    ];
  });
}

/** `9 alerts` comes before `10 alerts`. */
const IN_ORDER = new Intl.Collator('en', { numeric: true });

/** The contents of a message never go back to an earlier state. */
function checkOrder({ log }: Checked): string[] {
  return log.posts.flatMap(({ id, revisions }) =>
    revisions.flatMap((revision, index) => {
      const before = revisions[index - 1];
      return before !== undefined && IN_ORDER.compare(revision, before) < 0
        ? [`${id} shows ${revision} after ${before}`]
        : [];
    }),
  );
}

/** The first message shows the result or a later state, unless an attempt at the result failed for good. */
function checkEnd({ plan, deliveries, log, results }: Checked): string[] {
  if (plan.resolution === 'repeatSafe') return [];
  // The result of a message that people deleted comes into its thread.
  const isThreadShown = plan.trouble.kind === 'deleted';
  const shown = log.posts.filter(
    ({ thread, id }) => (thread === null || isThreadShown) && !/\.(outcome|details)\./.test(id),
  );
  return deliveries.flatMap(({ event, state, sessionId }) => {
    const title = results.get(sessionId) ?? '';
    const isShown = shown.some(({ revisions }) => IN_ORDER.compare(revisions.at(-1) ?? '', title) >= 0);
    if (event !== 'ended' || state !== 'sent' || isShown) return [];
    return [`the result was sent, and no message shows ${title}`];
  });
}

/** A first message shows each change of the problem, unless an attempt failed for good. */
function checkLatest({ plan, deliveries, log, titles, roots }: Checked): string[] {
  if (plan.resolution === 'repeatSafe') return [];
  return [...titles].flatMap(([sessionId, title], index) => {
    const own = deliveries.filter(
      ({ sessionId: id, event }) =>
        id === sessionId && ['opened', 'progress', 'resolved', 'ended'].includes(event),
    );
    const areSent = own.every(({ state }) => state === 'sent' || state === 'skipped');
    const hasResult = own.some(({ event, state }) => event === 'ended' && state === 'sent');
    const posts = log.posts.filter(({ id }) => id.startsWith(`${sessionId}.`));
    if (roots[index] !== 'sent' || !areSent || !hasResult) return [];
    return posts.some(({ revisions }) => revisions.at(-1) === title)
      ? []
      : [`no message of ${sessionId} shows its latest state, ${title}`];
  });
}

/** Each found value has one message, after all others; `unknown` only from the last check. */
function checkOutcomes({ found, deliveries, log }: Checked): string[] {
  return [...found].flatMap(([sessionId, values]) => {
    const own = deliveries.filter((one) => one.sessionId === sessionId);
    const reported = own.filter(({ event }) => event === 'outcome').map(({ key }) => key);
    const wanted = new Set(
      values.filter((value, index) => value !== 'unknown' || index === values.length - 1),
    );
    const [is, was] = [reported.toSorted().join(), [...wanted].toSorted().join()];
    const [others, outcomes] = [false, true].map((isOutcome) =>
      log.posts.flatMap(({ id }, index) =>
        id.startsWith(`${sessionId}.`) && id.includes('.outcome.') === isOutcome ? [index] : [],
      ),
    );
    const isEarly = Math.min(...(outcomes ?? [])) < Math.max(...(others ?? []));
    return [
      ...(is === was ? [] : [`the outcome ${values.join()} is reported as ${is || 'none'}`]),
      ...(isEarly ? [`the outcome of ${sessionId} comes before another message`] : []),
    ];
  });
}

/** The start of the message of a group with a count. */
function composeStart({ kind }: DeliveryGroup, count: number): string {
  if (kind === 'rejected') return `${count === 1 ? '1 alert was' : `${count} alerts were`} rejected`;
  return `${kind === 'storm' ? 'Many alerts: ' : 'Digest: '}${count === 1 ? '1 session' : `${count} sessions`}`;
}

/** Rejected alerts and sessions without message count once, and messages show the count. */
function checkGroups(checked: Checked): string[] {
  const { plan, groups, rejected, roots, log, isOver, members, deaths } = checked;
  const found: string[] = [];
  const counted = groups.reduce((sum, { kind, count }) => sum + (kind === 'rejected' ? count : 0), 0);
  if (isOver && counted !== rejected) found.push(`${rejected} rejected alerts are counted as ${counted}`);
  const grouped = [...checked.titles.keys()].filter((_, index) =>
    ['grouped', 'digest'].includes(roots[index] ?? ''),
  );
  const all = [...members.values()].flat();
  // A process that dies between the member and its session's own message leaves a member.
  if (grouped.some((id) => !all.includes(id)) || (deaths === 0 && all.length !== grouped.length))
    found.push(`${grouped.length} sessions are counted as ${all.length}`);
  if (!isOver) return found;
  for (const group of groups) {
    const { groupId, kind, count, state, attempts, createdAt, firstSentAt } = group;
    if (kind === 'digest' && firstSentAt !== null && utcHour(firstSentAt) === utcHour(createdAt))
      found.push('a digest is sent before its period ends');
    const shown = log.posts.flatMap(({ revisions }) => revisions.at(-1) ?? []);
    const own = members.get(groupId) ?? [];
    const least = kind === 'rejected' ? count : own.filter((id) => grouped.includes(id)).length;
    const most = kind === 'rejected' ? count : own.length;
    const counts = Array.from({ length: most - least + 1 }, (_, more) => least + more);
    const isShown = shown.some((text) => counts.some((one) => text.startsWith(composeStart(group, one))));
    if (state === 'sent' && !isShown && !isOfTrouble(group, plan))
      found.push(`a ${kind} is sent, and no message shows ${counts.join()}`);
    const isSure = plan.resolution === 'probe' || plan.resolution === 'key';
    const isEnded = attempts >= MOST_ATTEMPTS || isOfTrouble(group, plan);
    if (isSure && state !== 'sent' && !isEnded) found.push(`a ${kind} is ${state}`);
  }
  return found;
}
