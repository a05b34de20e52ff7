// Slack: messages of an app in a channel. Metadata of messages with their id resolves doubts.

import { WebClient } from '@slack/web-api';
import type {
  ChatPerson,
  CreateDestination,
  DeliveryFailure,
  Destination,
  OutgoingMessage,
  ProbeResult,
  SendResult,
} from '../contract/destination.ts';
import type { SlackSettings } from '../contract/destinationSettings.ts';
import { createHttp } from './http.ts';
import { escapeSlack } from './inert.ts';
import { slackMessage } from './slackBlocks.ts';
import { slackFailure } from './slackErrors.ts';
import { loadSlackPerson } from './slackPerson.ts';
import { readSlackThread } from './slackThread.ts';

/** The name of the metadata on every message. */
const METADATA = 'inquest_delivery';
const TIMEOUT_MS = 15_000;
/** https://docs.slack.dev/apis/web-api/rate-limits: about one message a second and channel. */
const PACE_MS = 1_050;
/**
 * Messages of a page, and pages that a probe reads
 * (https://docs.slack.dev/reference/methods/conversations.history).
 */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/** Clocks differ by less, in seconds. */
const MARGIN_S = 60;

/** A message of a page, as far as a probe needs it. */
interface FoundMessage {
  ts?: string | undefined;
  metadata?: { event_type?: string | undefined; event_payload?: { id?: unknown } | undefined } | undefined;
}

/** The answer to a post, as far as it is read. */
interface Posted {
  channel?: string;
  ts?: string;
}

interface Page {
  messages?: unknown;
  response_metadata?: { next_cursor?: string | undefined } | undefined;
}

/** Makes a destination of Slack. */
export const createSlack: CreateDestination<SlackSettings> = async (settings) => {
  const http = createHttp();
  const { token, channel, apiUrl, signingSecret, team, channelFrom } = settings;
  const client = new WebClient(token, {
    ...(apiUrl !== undefined && { slackApiUrl: apiUrl }),
    // A repetition that the caller does not decide would show the message twice.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT_MS,
    allowAbsoluteUrls: false,
    logger: SILENT,
  });
  const hasButtons = signingSecret !== undefined && team !== undefined;

  const destination: Destination = {
    kind: 'slack',
    capabilities: {
      update: true,
      thread: true,
      buttons: hasButtons,
      probe: true,
      key: false,
      isRepeatSafe: false,
    },
    timeoutMs: TIMEOUT_MS,
    paceMs: PACE_MS,
    preview: (outgoing) => composeSlackContents(outgoing, hasButtons),
    placeOf(labels) {
      const wanted = channelFrom === undefined ? undefined : labels[channelFrom.label];
      return wanted !== undefined && channelFrom?.allowed.includes(wanted) ? wanted : null;
    },

    async send(outgoing) {
      const { place, event } = outgoing;
      const thread = outgoing.thread === null ? undefined : readRef(outgoing.thread);
      const isBroadcast = thread !== undefined && event === 'approval';
      return callSlack(async () => {
        const posted = (await client.apiCall('chat.postMessage', {
          channel: thread?.channel ?? place ?? channel,
          ...(thread !== undefined && { thread_ts: thread.ts, reply_broadcast: isBroadcast }),
          ...composeSlackContents(outgoing, hasButtons),
        })) as Posted;
        return `${posted.channel}:${posted.ts}`;
      });
    },

    async update(ref, outgoing) {
      const { channel: at, ts } = readRef(ref);
      return callSlack(async () => {
        await client.apiCall('chat.update', {
          channel: at,
          ts,
          ...composeSlackContents(outgoing, hasButtons),
        });
        return ref;
      });
    },

    probe: (outgoing) => probeMessage(client, outgoing, channel),
    hasPlace: (ref) => {
      const { channel: at } = readRef(ref);
      return at === channel || (channelFrom?.allowed.includes(at) ?? false);
    },
    readThread: (ref, until) =>
      readSlackThread(client, { ...readRef(ref), until: readRef(until).ts }, settings, http),
    personOf: (person) => loadSlackPerson(client, person, team),
    idAt: (ref) => idAt(client, ref),
    notifyPerson: (person, ref, text) => notifyPerson(client, person, ref, text),
    check: () => checkChannel(client, channel),
  };
  return destination;
};

/** The client logs nothing: its lines can contain messages. */
const SILENT = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => 'error' as never,
  setName() {},
};

function composeSlackContents(outgoing: OutgoingMessage, hasButtons: boolean): Record<string, unknown> {
  return {
    ...slackMessage(outgoing.message, hasButtons),
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: METADATA, event_payload: { id: outgoing.id } },
  };
}

/** `C0123456789:1763990000.000100`. */
function readRef(ref: string): { channel: string; ts: string } {
  const [channel = '', ts = ''] = ref.split(':');
  return { channel, ts };
}

async function callSlack(work: () => Promise<string>): Promise<SendResult> {
  try {
    return { outcome: 'sent', ref: await work() };
  } catch (error) {
    return slackFailure(error);
  }
}

/** History has messages of their own, and replies only those that were shown in the channel, too. */
async function probeMessage(
  client: WebClient,
  outgoing: OutgoingMessage,
  channel: string,
): Promise<ProbeResult> {
  const thread = outgoing.thread === null ? undefined : readRef(outgoing.thread);
  const at = thread?.channel ?? outgoing.place ?? channel;
  const oldest = String(outgoing.firstSentAt.getTime() / 1_000 - MARGIN_S);
  const where = { channel: at, oldest, include_all_metadata: true, limit: PAGE_SIZE };
  const [method, query] =
    thread === undefined
      ? ['conversations.history', where]
      : ['conversations.replies', { ...where, ts: thread.ts }];
  try {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = (await client.apiCall(method, { ...query, ...(cursor && { cursor }) })) as Page;
      const message = (found.messages as FoundMessage[] | undefined)?.find((one) =>
        hasMessageId(one, outgoing.id),
      );
      if (message?.ts !== undefined) return { outcome: 'found', ref: `${at}:${message.ts}` };
      cursor = found.response_metadata?.next_cursor;
      if (!cursor) return { outcome: 'absent' };
    }
    return { outcome: 'failed', failure: TOO_MANY, retryAfterMs: null };
  } catch (error) {
    const { failure, ...result } = slackFailure(error);
    // A thread that was deleted has no replies.
    if (thread !== undefined && result.outcome === 'gone') return { outcome: 'absent' };
    return {
      outcome: 'failed',
      failure,
      retryAfterMs: 'retryAfterMs' in result ? result.retryAfterMs : null,
    };
  }
}

/** The id in the metadata of a message; the first of its replies is the message itself. */
async function idAt(client: WebClient, ref: string): ReturnType<NonNullable<Destination['idAt']>> {
  const { channel, ts } = readRef(ref);
  try {
    const query = { channel, ts, limit: 1, include_all_metadata: true };
    const found = (await client.apiCall('conversations.replies', query)) as Page;
    const first = (found.messages as FoundMessage[] | undefined)?.find((one) => one.ts === ts);
    const id = first?.metadata?.event_type === METADATA ? first.metadata.event_payload?.id : undefined;
    return { outcome: 'found', id: typeof id === 'string' ? id : null };
  } catch (error) {
    const { outcome, failure } = slackFailure(error);
    return outcome === 'retry' || outcome === 'unknown'
      ? { outcome: 'failed', failure }
      : { outcome: 'found', id: null };
  }
}

/** https://docs.slack.dev/reference/methods/chat.postEphemeral: delivery is not guaranteed. */
async function notifyPerson(
  client: WebClient,
  { userId }: ChatPerson,
  ref: string,
  text: string,
): Promise<void> {
  const { channel } = readRef(ref);
  const message = { channel, user: userId, text: escapeSlack(text), parse: 'none', link_names: false };
  await client.apiCall('chat.postEphemeral', message).catch(() => undefined);
}

const TOO_MANY: DeliveryFailure = {
  code: 'history_too_long',
  message:
    'The channel has more than 1,000 messages since the attempt; no search can prove that this one is missing.',
};

function hasMessageId({ metadata }: FoundMessage, id: string): boolean {
  return metadata?.event_type === METADATA && metadata.event_payload?.id === id;
}

/** Reads the channel as a probe would: token, scopes and membership are right if that works. */
async function checkChannel(client: WebClient, channel: string): Promise<DeliveryFailure[]> {
  try {
    await client.apiCall('auth.test');
    await client.apiCall('conversations.history', { channel, limit: 1, include_all_metadata: true });
    return [];
  } catch (error) {
    return [slackFailure(error).failure];
  }
}
