// Routes for Slack apps: presses of buttons, and mentions of the app in threads. They store the request and
// answer; `deliver` does the rest, because Slack waits 3 s, and work after an answer is slowed down.

import type { Context } from 'hono';
import * as z from 'zod';
import { Problem } from '../../../api/http/problem.ts';
import { defineRoute, type RequestDeps, type Route } from '../../../api/http/route.ts';
import { digestDeliveryParts } from '../../../api/webhooks/deliveryId.ts';
import { verifySlack } from '../../../api/webhooks/verifySlack.ts';
import { SLACK_PATHS } from '../../../contract/destinationSettings.ts';
import { DEFAULT_TENANT } from '../../../core/schema/session.ts';
import { parseJson } from '../../../text/json.ts';
import { type Received, storeEntry } from './storeEntry.ts';

const id = z.string().min(1).max(100);
/** `1763990000.000100` */
const ts = z.string().regex(/^\d{1,12}\.\d{1,12}$/);
/** Longer texts are no guidance; Slack's own limit is 40,000. */
const MAX_TEXT = 40_000;

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, as far as it is read. */
const pressSchema = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id }),
  team: z.object({ id }).nullish(),
  container: z.object({ type: z.literal('message'), message_ts: ts, channel_id: id }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().max(2_000).optional() })).min(1),
});

/** https://docs.slack.dev/reference/events/app_mention, as far as it is read. */
const mentionSchema = z.object({
  type: z.literal('event_callback'),
  team_id: id,
  event: z.object({
    type: z.literal('app_mention'),
    user: id,
    text: z.string().max(MAX_TEXT),
    channel: id,
    ts,
    thread_ts: ts.optional(),
  }),
});

const handshakeSchema = z.object({ type: z.literal('url_verification'), challenge: z.string().max(1_000) });

const VERDICTS = new Map([
  ['approve', 'approved'],
  ['deny', 'denied'],
] as const);

const answer = z.strictObject({
  challenge: z.string().optional().describe('Proves the address when the app is set up'),
});

const shared = {
  method: 'post',
  role: 'responder',
  body: 'bytes',
  status: 200,
  answer,
  problems: ['SIGNATURE_INVALID'],
  identify: async (request, { slackApps, clock, log }) => {
    await verifySlack(request, slackApps, clock.now()).catch((error: unknown) => {
      if (error instanceof Problem)
        log.warn({ code: error.code }, `a request of Slack was refused: ${error.message}`);
      throw error;
    });
    return { tenantId: DEFAULT_TENANT, name: 'slack', userId: null, role: 'responder' };
  },
} as const satisfies Partial<Route>;

const presses = defineRoute({
  ...shared,
  path: SLACK_PATHS.presses,
  id: 'receiveSlackPress',
  summary: 'Takes a press of a button in Slack',
  description:
    'Authenticated by `X-Slack-Signature`. The press is stored and decided after the answer. Other presses are ignored.',
  async handle({ body: bytes }, deps, context) {
    const payload = parseJson(new URLSearchParams(bytes.toString('utf8')).get('payload') ?? '');
    const { data: press } = pressSchema.safeParse(payload);
    const [action] = press?.actions ?? [];
    const verdict = VERDICTS.get(action?.action_id as 'approve');
    if (press === undefined || action?.value === undefined || verdict === undefined) return {};
    const { message_ts, channel_id } = press.container;
    await receiveRequest(bytes, context, deps, () => digestDeliveryParts('slack', bytes), {
      content: { kind: 'press', verdict, value: action.value },
      userId: press.user.id,
      team: press.team?.id ?? '',
      message: `${channel_id}:${message_ts}`,
    });
    return {};
  },
});

const mentions = defineRoute({
  ...shared,
  path: SLACK_PATHS.mentions,
  id: 'receiveSlackMention',
  summary: 'Takes a mention of the app in Slack, as guidance or as a question',
  description:
    'Authenticated by `X-Slack-Signature`. Mentions in the thread of a session have an effect, and others where a destination has `asks`; they are handled after the answer.',
  async handle({ body: bytes }, deps, context) {
    const payload = parseJson(bytes.toString('utf8'));
    const handshake = handshakeSchema.safeParse(payload);
    if (handshake.success) return { challenge: handshake.data.challenge };
    const { data: mention } = mentionSchema.safeParse(payload);
    const { user, text, channel, thread_ts } = mention?.event ?? {};
    if (mention === undefined || user === undefined) return {};
    const place = `${channel}:${mention.event.ts}`;
    if (thread_ts === undefined && !(await isAsked(bytes, context, deps))) return {};
    // Slack names an edited message in a new event: only the message as it was first is handled.
    await receiveRequest(
      bytes,
      context,
      deps,
      (apps) => digestDeliveryParts('slack mention', `${apps} ${place}`),
      {
        content: {
          kind: 'mention',
          text: deps.mask(decodeMentionText(text ?? '')),
          thread: `${channel}:${thread_ts ?? mention.event.ts}`,
        },
        userId: user,
        team: mention.team_id,
        message: place,
      },
    );
    return {};
  },
});

/** The text without mentions at its start, and with Slack's entities as characters. */
function decodeMentionText(text: string): string {
  return text
    .replace(/^(?:\s*<@[A-Z0-9]+(?:\|[^<>]*)?>)+/, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

/** The destinations whose app signed a request. */
function listSigners(bytes: Buffer, context: Context, { slackApps, clock }: RequestDeps): Promise<string[]> {
  const request = { headers: context.req.raw.headers, body: () => Promise.resolve(bytes) };
  return verifySlack(request, slackApps, clock.now());
}

/** Whether mentions outside of threads have an effect for the app of a request. */
async function isAsked(bytes: Buffer, context: Context, deps: RequestDeps): Promise<boolean> {
  const { slackAsks = [] } = deps;
  return (await listSigners(bytes, context, deps)).some((name) => slackAsks.includes(name));
}

async function receiveRequest(
  bytes: Buffer,
  context: Context,
  deps: RequestDeps,
  digest: (apps: string) => string,
  received: Omit<Received, 'destinations'>,
): Promise<void> {
  const destinations = await listSigners(bytes, context, deps);
  const id = digest(destinations.join(' '));
  await storeEntry(id, { ...received, destinations }, { ...deps, store: deps.wholeStore ?? deps.store });
}

/** All routes for Slack apps. */
export const SLACK_ROUTES = [presses, mentions];
