// Requests of Slack to an app: presses of buttons and mentions, signed as Slack signs them
// (https://docs.slack.dev/authentication/verifying-requests-from-slack).

import { createHmac } from 'node:crypto';
import { asArray, asObject, asText } from '../../shared/text/json.ts';
import type { SlackPost } from './slackServer.ts';

/** A request as Slack sends it. */
export interface SlackRequest {
  headers: Record<string, string>;
  body: string;
}

/** The people and the app of a workspace. */
interface Sender {
  user: string;
  team: string;
  signingSecret: string;
  now: Date;
}

/** Signs a body. */
export function signSlack(body: string, type: string, { signingSecret, now }: Sender): SlackRequest {
  const time = String(Math.floor(now.getTime() / 1_000));
  const digest = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
  return {
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${digest}`,
    },
    body,
  };
}

/**
 * A press of a button of a message
 * (https://docs.slack.dev/reference/interaction-payloads/block_actions-payload).
 * @param actionId `approve` or `deny`.
 * @throws Error when the message has no such button.
 */
export function slackPress(post: SlackPost, actionId: string, sender: Sender): SlackRequest {
  const buttons = post.blocks.flatMap((block) => asArray(block.elements)).map(asObject);
  const button = buttons.find(({ action_id }) => action_id === actionId);
  if (button === undefined) throw new Error(`the message has no button ${actionId}`);
  const payload = {
    type: 'block_actions',
    user: { id: sender.user, team_id: sender.team },
    api_app_id: 'A0000000000',
    team: { id: sender.team, domain: 'example' },
    container: { type: 'message', message_ts: post.ts, channel_id: post.channel, is_ephemeral: false },
    trigger_id: `${sender.now.getTime()}.${post.ts}`,
    actions: [{ type: 'button', action_id: actionId, value: asText(button.value), action_ts: post.ts }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return signSlack(body, 'application/x-www-form-urlencoded', sender);
}

/**
 * A mention of the app in the thread of a message (https://docs.slack.dev/reference/events/app_mention).
 * @param eventId `Ev`, and the number of the message within its second.
 * @param edited the number of the message that was edited: Slack sends it again, with an id of its own
 *   (https://github.com/slackapi/bolt-js/issues/960). Default: a new message.
 */
export function slackMention(
  root: Pick<SlackPost, 'channel' | 'ts'>,
  text: string,
  eventId: string,
  sender: Sender,
  edited?: string,
): SlackRequest {
  const ts = `${Math.floor(sender.now.getTime() / 1_000)}.${(edited ?? eventId).replace(/\D/g, '').padStart(6, '0')}`;
  const event = {
    type: 'app_mention',
    user: sender.user,
    text: `<@U0000000000> ${text}`,
    ts,
    channel: root.channel,
    thread_ts: root.ts,
    event_ts: ts,
    ...(edited !== undefined && { edited: { user: sender.user, ts } }),
  };
  const payload = { type: 'event_callback', team_id: sender.team, event_id: eventId, event };
  return signSlack(JSON.stringify(payload), 'application/json', sender);
}

/** The event about a message of a person that mentions the app: `<@U0000000000> why is it slow?` */
export function slackMentionEvent(
  { channel, ts, threadTs, text }: Pick<SlackPost, 'channel' | 'ts' | 'threadTs' | 'text'>,
  sender: Sender,
): SlackRequest {
  const place = { channel, ts, event_ts: ts, ...(threadTs !== undefined && { thread_ts: threadTs }) };
  const event = { type: 'app_mention', user: sender.user, text, ...place };
  const payload = { type: 'event_callback', team_id: sender.team, event_id: `Ev${ts}`, event };
  return signSlack(JSON.stringify(payload), 'application/json', sender);
}
