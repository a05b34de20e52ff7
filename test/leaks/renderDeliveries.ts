// Every form that destinations give to the messages about a session, from the documents as they are stored.

import type { OutgoingMessage } from '../../shared/contract/destination.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { renderMail } from '../../shared/destinations/emailMessage.ts';
import { renderIssue } from '../../shared/destinations/githubIssue.ts';
import { renderCard } from '../../shared/destinations/googleChatCard.ts';
import { renderNote } from '../../shared/destinations/pagerduty.ts';
import { renderEvent } from '../../shared/destinations/pubsub.ts';
import { slackMessage } from '../../shared/destinations/slackBlocks.ts';
import { renderAdaptiveCard } from '../../shared/destinations/teamsCard.ts';
import { buildOutgoing } from '../../shared/features/deliveries/composeMessage.ts';
import { rejectedMessage } from '../../shared/features/deliveries/contents/rejectedMessage.ts';
import { approvalType, deliveryGroupType, paths, sessionType } from '../../shared/lists/documents.ts';

const RENDERERS: ((outgoing: OutgoingMessage) => unknown)[] = [
  ({ message }) => slackMessage(message, true),
  renderCard,
  renderAdaptiveCard,
  // A webhook gets all of it.
  (outgoing) => outgoing,
  renderEvent,
  renderNote,
  renderIssue,
  // Elements separate the parts of addresses in the HTML; clients show the text without them.
  (outgoing) => {
    const { text, html, ...headers } = renderMail(outgoing, 'inquest@example.com');
    return { ...headers, text, html: String(html).replace(/<\/?[a-z][^<>]*>/g, '') };
  },
];

/** Renders all messages about a session for all destinations. */
export async function renderDeliveries(store: Store, sessionId: string, now: Date): Promise<unknown[]> {
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) return [];
  const stored = await store.list({ collection: 'approvals' }, approvalType);
  const approvals = stored.map(({ value }) => value).filter((one) => one.sessionId === sessionId);
  const events = (['opened', 'progress', 'ended', 'details', 'resolved'] as const).map((event) => ({
    event,
    key: '1',
  }));
  const asked = approvals.map(({ approvalId }) => ({ event: 'approval' as const, key: approvalId }));
  const rendered = [...events, ...asked].map(async (about) => {
    const delivery = { ...about, destination: 'fuzz', isRepeated: false };
    const publicUrl = 'https://inquest.example.com';
    const outgoing = await buildOutgoing({ session, delivery, publicUrl, now }, store);
    return RENDERERS.map((render) => render(outgoing));
  });
  return (await Promise.all(rendered)).flat();
}

/** Renders the messages about rejected alerts for all destinations. */
export async function renderRejected(store: Store): Promise<unknown[]> {
  const groups = await store.list({ collection: 'deliveryGroups' }, deliveryGroupType);
  return groups.flatMap(({ id, value }) => {
    const message = rejectedMessage(value, 'https://inquest.example.com');
    const none = { thread: null, place: null, session: null };
    const outgoing: OutgoingMessage = {
      ...none,
      id,
      event: 'rejected',
      message,
      occurredAt: value.createdAt,
      firstSentAt: value.createdAt,
    };
    return RENDERERS.map((render) => render(outgoing));
  });
}
