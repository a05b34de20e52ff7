// Reads a thread of Slack: its newest messages, and text files on Slack's own hosts.

import type { WebClient } from '@slack/web-api';
import type { ChatFile, ChatMessage, ThreadResult } from '../contract/destination.ts';
import type { SlackSettings } from '../contract/destinationSettings.ts';
import { asArray, asObject, asText, type JsonObject } from '../text/json.ts';
import { oneLine } from '../text/labels.ts';
import type { SendHttp } from './http.ts';
import { slackFailure } from './slackErrors.ts';

/** The newest messages that go along, and the mention. */
const MAX_MESSAGES = 101;
/** Slack recommends no more (https://docs.slack.dev/reference/methods/conversations.replies). */
const PAGE_SIZE = 200;
/** Half of the requests of a minute, which Slack allows an app of one's own. */
const MAX_PAGES = 25;
/** Slack returns the oldest first, so a long thread is read from here on, in seconds; then as a whole. */
const WINDOWS_S = [6 * 3_600, 7 * 24 * 3_600, Number.POSITIVE_INFINITY] as const;
const MAX_FILES = 5;
const MAX_FILE_BYTES = 200_000;
const FILE_TIMEOUT_MS = 10_000;
const MAX_NAME = 100;
const TEXT_TYPE = /^(?:text\/|application\/(?:json|x-ndjson|xml|yaml|x-yaml|toml|javascript)\b)/;

interface Thread {
  channel: string;
  ts: string;
  /** The message that ends it. */
  until: string;
}

/** The messages of a thread up to one of them. */
export async function readSlackThread(
  client: WebClient,
  thread: Thread,
  settings: SlackSettings,
  http: SendHttp,
): Promise<ThreadResult> {
  try {
    const { found, others } = await listNewest(client, thread);
    const files = found.flatMap((message) => asArray(message.files)).slice(-MAX_FILES);
    const read = new Map<unknown, ChatFile>();
    for (const file of files) read.set(file, await readSlackFile(asObject(file), settings, http));
    return {
      outcome: 'found',
      messages: found.map((one) => toChatMessage(one, thread.channel, settings, read)),
      others,
    };
  } catch (error) {
    const { outcome, failure } = slackFailure(error);
    return { outcome: outcome === 'retry' || outcome === 'unknown' ? 'failed' : 'refused', failure };
  }
}

interface Page {
  messages?: unknown;
  response_metadata?: { next_cursor?: string | undefined } | undefined;
}

/** @returns `others`: how many earlier messages were left out; null if the end of the thread was not read. */
async function listNewest(
  client: WebClient,
  { channel, ts, until }: Thread,
): Promise<{ found: JsonObject[]; others: number | null }> {
  let pages = 0;
  for (const window of WINDOWS_S) {
    const oldest = Number(until) - window;
    const isWhole = oldest <= Number(ts);
    let [found, seen, cursor]: [JsonObject[], number, string | undefined] = [[], 0, undefined];
    do {
      const query = { channel, ts, latest: until, inclusive: true, limit: PAGE_SIZE };
      const since = isWhole ? {} : { oldest: oldest.toFixed(6) };
      let page: Page;
      try {
        page = (await client.apiCall('conversations.replies', {
          ...query,
          ...since,
          ...(cursor && { cursor }),
        })) as Page;
      } catch (error) {
        // An app that is distributed can read one short page a minute.
        if (seen === 0 || slackFailure(error).outcome !== 'retry') throw error;
        return { found, others: null };
      }
      const messages = asArray(page.messages).map(asObject);
      seen += messages.length;
      found = [...found, ...messages].slice(-MAX_MESSAGES);
      cursor = page.response_metadata?.next_cursor || undefined;
    } while (cursor !== undefined && ++pages < MAX_PAGES);
    if (cursor !== undefined) return { found, others: null };
    if (isWhole || seen > MAX_MESSAGES) return { found, others: seen - found.length };
  }
  return { found: [], others: 0 };
}

function toChatMessage(
  message: JsonObject,
  channel: string,
  { team }: SlackSettings,
  files: ReadonlyMap<unknown, ChatFile>,
): ChatMessage {
  const profile = asObject(message.bot_profile);
  // Apps of other workspaces write in shared channels, too: their cards prove nothing.
  const isApp =
    asText(message.bot_id) !== undefined && (asText(profile.team_id) ?? asText(message.team)) === team;
  const name = isApp
    ? (asText(profile.name) ?? asText(message.username) ?? asText(message.bot_id))
    : (asText(message.user) ?? asText(message.bot_id));
  return {
    ref: `${channel}:${asText(message.ts) ?? ''}`,
    at: new Date(Number(message.ts) * 1_000),
    author: { kind: isApp ? 'app' : 'person', name: oneLine(name ?? '', MAX_NAME) || 'unknown' },
    text: readMessageText(message),
    files: asArray(message.files).flatMap((file) => files.get(file) ?? []),
  };
}

/** The text, the attachments and, where both are missing, the blocks of a message. */
function readMessageText(message: JsonObject): string {
  const cards = asArray(message.attachments).map((one) => {
    const { pretext, title, text, fields, fallback } = asObject(one);
    const named = asArray(fields).map((field) => {
      const { title: name, value } = asObject(field);
      return `${asText(name) ?? ''}: ${asText(value) ?? ''}`;
    });
    const parts = [pretext, title, text].map(asText).concat(named);
    return parts.filter(Boolean).join('\n') || (asText(fallback) ?? '');
  });
  const text = [asText(message.text), ...cards].filter(Boolean).join('\n');
  return decodeEntities(text === '' ? readBlockTexts(message.blocks).join('\n') : text);
}

/** The texts of blocks, at most six levels deep. */
function readBlockTexts(node: unknown, depth = 0): string[] {
  if (depth > 6) return [];
  if (Array.isArray(node)) return node.flatMap((one) => readBlockTexts(one, depth + 1));
  const { text, elements, fields } = asObject(node);
  if (typeof text === 'string') return [text];
  return [text, elements, fields].flatMap((one) => (one ? readBlockTexts(one, depth + 1) : []));
}

const decodeEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Reads a text file, with the token on Slack's own hosts only. Redirects are not followed. */
async function readSlackFile(
  file: JsonObject,
  { token, apiUrl }: SlackSettings,
  http: SendHttp,
): Promise<ChatFile> {
  const name = oneLine(asText(file.name) ?? '', MAX_NAME) || 'file';
  const unread = (note: string): ChatFile => ({ name, text: null, note });
  const url = URL.parse(asText(file.url_private_download) ?? asText(file.url_private) ?? '');
  if (url === null) return unread('Slack names no address');
  if (file.is_external === true || !isSlackHost(url, apiUrl)) return unread('it is not stored at Slack');
  if (!TEXT_TYPE.test(asText(file.mimetype) ?? '')) return unread('it is no text');
  if (!(Number(file.size) <= MAX_FILE_BYTES)) return unread(`it has more than ${MAX_FILE_BYTES} bytes`);
  const answer = await http({
    method: 'GET',
    url: url.href,
    headers: { authorization: `Bearer ${token}` },
    timeoutMs: FILE_TIMEOUT_MS,
    reach: url.protocol === 'https:' ? 'public' : 'any',
  });
  if (answer.outcome !== 'answered') return unread(answer.failure.message);
  const isPage = /^text\/html\b/.test(answer.headers['content-type'] ?? '');
  // Without the scope files:read, Slack answers with the page of a login, or a redirect to it.
  if (answer.status !== 200 || isPage) return unread('Slack did not give it; the app needs files:read');
  return { name, text: answer.text.slice(0, MAX_FILE_BYTES), note: null };
}

/** `slack.com` and `files.slack.com`, or the hosts of the Web API that the settings name. */
function isSlackHost(url: URL, apiUrl = 'https://slack.com/api/'): boolean {
  const api = URL.parse(apiUrl);
  if (api === null || url.username !== '' || url.password !== '') return false;
  return url.origin === api.origin || url.origin === `${api.protocol}//files.${api.host}`;
}
