// The rules that hold after every run, whatever the faults were.

import type { Delivery } from '../../../shared/schema/delivery.ts';
import type { DestinationLog, DestinationPlan } from './simulatedDestination.ts';

interface Checked {
  plan: DestinationPlan;
  deliveries: Delivery[];
  log: DestinationLog;
  /** Whether every message reached a final state within the limit. */
  isOver: boolean;
  /** The last title of the session. */
  lastTitle: string;
}

/** The broken rules, in words; empty if all hold. */
export function checkDeliveries(checked: Checked): string[] {
  return [
    ...(checked.isOver ? [] : ['a message is still open after 48 hours']),
    ...checkCounts(checked),
    ...checkOrder(checked),
    ...checkEnd(checked),
  ];
}

/** A message that used up its attempts can end in a doubt, if the last answers were lost. */
const MOST_ATTEMPTS = 9;

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
    const isEdit = !isOwn && ref !== null && ['ended', 'opened', 'progress', 'decided'].includes(event);
    if (state === 'sent' && !isOwn && !isEdit) found.push(`${event} is sent and does not exist`);
    if (state === 'failed' && isOwn) found.push(`${event} has failed and exists`);
    if (plan.resolution === 'none' && (log.lost.get(idOf(delivery)) ?? 0) > 1)
      found.push(`${event} was sent again after a lost answer`);
    const isUsedUp = attempts >= MOST_ATTEMPTS;
    if (plan.resolution !== 'none' && state === 'unknown' && !isUsedUp) found.push(`${event} stays unknown`);
  }
  return found;
}

/** The contents of a message never go back to an earlier state. */
function checkOrder({ log }: Checked): string[] {
  return log.posts.flatMap(({ id, revisions }) =>
    revisions.flatMap((revision, index) => {
      const before = revisions[index - 1];
      return before !== undefined && revision < before ? [`${id} shows ${revision} after ${before}`] : [];
    }),
  );
}

/** The first message ends as the result, unless an attempt at the result failed for good. */
function checkEnd({ plan, deliveries, log, lastTitle }: Checked): string[] {
  const ended = deliveries.find(({ event }) => event === 'ended');
  if (ended?.state !== 'sent' || plan.resolution === 'repeatSafe') return [];
  const shown = log.posts.filter(({ thread }) => thread === null);
  return shown.some(({ revisions }) => revisions.at(-1) === lastTitle)
    ? []
    : [`the result was sent, and no message shows ${lastTitle}`];
}
