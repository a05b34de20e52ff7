// A stand-in for Slack's Web API at the wire: the methods that destinations call, with Slack's limits and
// errors. Each behaviour names its source in Slack's documentation
// (https://docs.slack.dev/reference/methods).

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as the stand-in keeps it. */
export interface SlackPost {
  channel: string;
  ts: string;
  /** The `ts` of its thread's first message; undefined for a message of its own. */
  threadTs: string | undefined;
  text: string;
  blocks: Record<string, unknown>[];
  metadata: unknown;
  /** Number of edits. */
  edits: number;
  /** Before this time no method returns it. */
  visibleAt: number;
  /** Of a message that the app did not post: its author and other fields, as Slack returns them. */
  fields?: Record<string, unknown>;
}

/** A file as the stand-in serves it at `/files-pri/`, with the token only. */
interface SlackFile {
  /** Default: the text of the file. */
  status?: number;
  headers?: Record<string, string>;
  text: string;
}

/** A message that only one person saw. */
interface SlackWhisper {
  channel: string;
  user: string;
  text: string;
}

/** A fault of the next request of a method. */
export type SlackFault =
  /** 429 with `Retry-After` (https://docs.slack.dev/apis/web-api/rate-limits). */
  | { kind: 'rate_limited'; retryAfterS: number }
  /** 200 with `ok: false` and this error. */
  | { kind: 'error'; error: string }
  /** Status 500 after the request took effect. */
  | { kind: 'status_after_effect' }
  /** The request takes effect, and the connection ends without an answer. */
  | { kind: 'cut_after_effect' }
  /** The connection ends before the request takes effect. */
  | { kind: 'cut' };

/** A running stand-in. */
export interface SlackServer {
  /** The base address for `apiUrl`. */
  url: string;
  /** All messages, in the order in which they were accepted. */
  posts: SlackPost[];
  /** The requests of each method, in order. */
  calls: { method: string; body: Record<string, unknown> }[];
  /** Messages to one person each (https://docs.slack.dev/reference/methods/chat.postEphemeral). */
  whispers: SlackWhisper[];
  /** Adds a fault for the next request of a method. */
  failNext(method: string, fault: SlackFault): void;
  /**
   * Adds a message of a person or of another app.
   * @param fields as Slack returns them, such as `user`, `attachments` and `files`.
   */
  add(message: {
    channel: string;
    threadTs?: string;
    text: string;
    fields: Record<string, unknown>;
  }): SlackPost;
  /** The files by name. */
  files: Map<string, SlackFile>;
  /** Deletes a message, as a person does. */
  remove(ts: string): void;
  close(): Promise<void>;
}

/** The settings of a stand-in. */
export interface SlackOptions {
  token: string;
  /** Channels that exist, and whether the app is in them. */
  channels: Record<string, 'member' | 'not_in_channel' | 'archived'>;
  /** Accounts by id, as `users.info` returns them. Default: none. */
  users?: Record<string, Record<string, unknown>>;
  /** The fault of a request that `failNext` has none for. Default: none. */
  faultOf?: (method: string, body: Record<string, unknown>) => SlackFault | undefined;
  now?: () => number;
  /** Milliseconds until the accepted message of a request is visible. Default: 0. */
  visibleAfterMs?: (body: Record<string, unknown>) => number;
}

/**
 * The account of a full member with a confirmed address
 * (https://docs.slack.dev/reference/objects/user-object).
 */
export const slackAccount = (id: string, team: string, email: string): Record<string, unknown> => ({
  id,
  team_id: team,
  deleted: false,
  is_bot: false,
  is_app_user: false,
  is_restricted: false,
  is_ultra_restricted: false,
  is_email_confirmed: true,
  profile: { email },
});

/** https://docs.slack.dev/reference/block-kit/blocks */
const MAX_BLOCKS = 50;
const MAX_HEADER = 150;
/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object: of a section. */
const MAX_ELEMENT = 3_000;
/**
 * Measured by users of Slack: `msg_blocks_too_long` above it. Containers count as well
 * (https://github.com/slackapi/bolt-js/issues/2867); how much is unknown, so that all of the JSON is counted.
 */
const MAX_CHARACTERS = 13_200;
/** https://docs.slack.dev/reference/methods/chat.postMessage: longer texts are cut. */
const MAX_TEXT = 40_000;

/** Starts a stand-in on this machine. */
export async function startSlackServer(options: SlackOptions): Promise<SlackServer> {
  const state = createState(options);
  const server = createServer((request, response) => {
    answer(request, response, state).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/`,
    posts: state.posts,
    calls: state.calls,
    whispers: state.whispers,
    failNext(method, fault) {
      state.faults.set(method, [...(state.faults.get(method) ?? []), fault]);
    },
    files: state.files,
    add: ({ channel, threadTs, text, fields }) =>
      addPost({ channel, threadTs, text, blocks: [], metadata: null, fields }, state.now(), state),
    remove(ts) {
      const index = state.posts.findIndex((post) => post.ts === ts);
      if (index >= 0) state.posts.splice(index, 1);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface State extends Required<SlackOptions> {
  posts: SlackPost[];
  calls: SlackServer['calls'];
  whispers: SlackWhisper[];
  faults: Map<string, SlackFault[]>;
  files: Map<string, SlackFile>;
  lastTs: number;
}

function createState(options: SlackOptions): State {
  const defaults = { now: () => Date.now(), visibleAfterMs: () => 0, users: {}, faultOf: () => undefined };
  const empty = { posts: [], calls: [], whispers: [], faults: new Map(), files: new Map(), lastTs: 0 };
  return { ...defaults, ...options, ...empty };
}

async function answer(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const [, name] = /^\/files-pri\/(.+)$/.exec(request.url ?? '') ?? [];
  if (name !== undefined) return serveFile(name, request, response, state);
  const method = (request.url ?? '').replace(/^\/api\//, '');
  const body = readBody(request.headers['content-type'] ?? '', await readRequestText(request));
  const [planned, ...rest] = state.faults.get(method) ?? [];
  const fault = planned ?? state.faultOf(method, body);
  state.faults.set(method, rest);
  if (fault?.kind === 'cut') return void response.destroy();
  if (fault?.kind === 'rate_limited')
    return void response
      .writeHead(429, { 'retry-after': String(fault.retryAfterS) })
      .end(JSON.stringify({ ok: false, error: 'ratelimited' }));
  state.calls.push({ method, body });
  const result = fault?.kind === 'error' ? failed(fault.error) : performMethod(method, body, request, state);
  if (fault?.kind === 'cut_after_effect') return void response.destroy();
  if (fault?.kind === 'status_after_effect') return void response.writeHead(500).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

/** https://docs.slack.dev/reference/objects/file-object: without a token, Slack redirects to its login. */
function serveFile(name: string, request: IncomingMessage, response: ServerResponse, state: State): void {
  state.calls.push({ method: `files-pri/${name}`, body: {} });
  const file = state.files.get(name);
  const isKnown = request.headers.authorization === `Bearer ${state.token}`;
  if (file === undefined || !isKnown) return void response.writeHead(302, { location: '/login' }).end();
  response.writeHead(file.status ?? 200, { 'content-type': 'text/plain', ...file.headers }).end(file.text);
}

async function readRequestText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Arguments come as a form, whose lists and objects are JSON, or as JSON. */
function readBody(type: string, text: string): Record<string, unknown> {
  if (type.startsWith('application/json')) return JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [
      name,
      /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value,
    ]),
  );
}

type Result = { ok: true } | { ok: false; error: string };
const failed = (error: string): Result => ({ ok: false, error });

function performMethod(
  method: string,
  body: Record<string, unknown>,
  request: IncomingMessage,
  state: State,
): Result {
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '') || String(body.token ?? '');
  if (token !== state.token) return failed(token === '' ? 'not_authed' : 'invalid_auth');
  switch (method) {
    case 'auth.test':
      return { ok: true };
    case 'chat.postMessage':
      return postMessage(body, state);
    case 'chat.update':
      return updateMessage(body, state);
    case 'chat.postEphemeral':
      return postEphemeral(body, state);
    case 'users.info':
      return userInfo(body, state);
    case 'conversations.history':
    case 'conversations.replies':
      return listMessages(method, body, state);
    default:
      return failed('unknown_method');
  }
}

/** The errors of a channel. @param isRead whether it is read: an archived channel still is. */
function channelFault(channel: unknown, state: State, isRead: boolean): Result | undefined {
  const found = state.channels[String(channel)];
  if (found === undefined) return failed('channel_not_found');
  if (found === 'not_in_channel') return failed('not_in_channel');
  return found === 'archived' && !isRead ? failed('is_archived') : undefined;
}

/** The errors of the contents of a message. */
function contentFault({ text, blocks = [] }: Record<string, unknown>): Result | undefined {
  if (!Array.isArray(blocks)) return failed('invalid_blocks');
  if (blocks.length === 0 && !text) return failed('no_text');
  if (blocks.length > MAX_BLOCKS) return failed('invalid_blocks');
  const all = findBlockTexts(blocks);
  if (all.some(({ value, inHeader }) => value.length > (inHeader ? MAX_HEADER : MAX_ELEMENT)))
    return failed('invalid_blocks');
  if (all.some(({ value }) => value === '')) return failed('invalid_blocks');
  const characters = JSON.stringify(blocks).replace(/\\(?:u[0-9a-f]{4}|.)/g, '.').length;
  if (characters > MAX_CHARACTERS) return failed('msg_blocks_too_long');
  return String(text ?? '').length > MAX_TEXT ? failed('msg_too_long') : undefined;
}

/** All values of `text` in blocks that are texts. */
function findBlockTexts(node: unknown, inHeader = false): { value: string; inHeader: boolean }[] {
  if (Array.isArray(node)) return node.flatMap((one) => findBlockTexts(one, inHeader));
  if (node === null || typeof node !== 'object') return [];
  const isHeader = inHeader || Reflect.get(node, 'type') === 'header';
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string'
      ? [{ value, inHeader: isHeader }]
      : findBlockTexts(value, isHeader),
  );
}

function postMessage(body: Record<string, unknown>, state: State): Result {
  const fault = channelFault(body.channel, state, false) ?? contentFault(body);
  if (fault !== undefined) return fault;
  const threadTs = body.thread_ts === undefined ? undefined : String(body.thread_ts);
  const channel = String(body.channel);
  const visibleAt = state.now() + state.visibleAfterMs(body);
  const { ts } = addPost({ channel, threadTs, ...toPostContents(body) }, visibleAt, state);
  return { ok: true, channel, ts } as Result;
}

function addPost(
  contents: Omit<SlackPost, 'ts' | 'edits' | 'visibleAt'>,
  visibleAt: number,
  state: State,
): SlackPost {
  // Timestamps of a channel are unique (https://docs.slack.dev/messaging/retrieving-messages).
  state.lastTs = Math.max(state.lastTs + 1, state.now() * 1_000);
  const ts = `${Math.floor(state.lastTs / 1_000_000)}.${String(state.lastTs % 1_000_000).padStart(6, '0')}`;
  const post = { ...contents, ts, edits: 0, visibleAt };
  state.posts.push(post);
  return post;
}

function postEphemeral({ channel, user, text }: Record<string, unknown>, state: State): Result {
  const fault = channelFault(channel, state, false);
  if (fault !== undefined) return fault;
  if (state.users[String(user)] === undefined) return failed('user_not_in_channel');
  state.whispers.push({ channel: String(channel), user: String(user), text: String(text) });
  return { ok: true };
}

/** https://docs.slack.dev/reference/methods/users.info */
function userInfo({ user }: Record<string, unknown>, { users }: State): Result {
  const found = users[String(user)];
  return found === undefined ? failed('user_not_found') : ({ ok: true, user: found } as Result);
}

function toPostContents({ metadata, text, blocks }: Record<string, unknown>) {
  return {
    metadata: metadata ?? null,
    text: String(text ?? ''),
    blocks: (blocks ?? []) as Record<string, unknown>[],
  };
}

function updateMessage(body: Record<string, unknown>, state: State): Result {
  const fault = channelFault(body.channel, state, false) ?? contentFault(body);
  if (fault !== undefined) return fault;
  const found = state.posts.find(({ ts, channel }) => ts === String(body.ts) && channel === body.channel);
  if (found === undefined) return failed('message_not_found');
  Object.assign(found, toPostContents(body), { edits: found.edits + 1 });
  return { ok: true, channel: found.channel, ts: found.ts } as Result;
}

/**
 * History leaves out replies, and has the newest first
 * (https://docs.slack.dev/reference/methods/conversations.history). Replies are in order of time, and their
 * thread's first message leads them (https://docs.slack.dev/reference/methods/conversations.replies).
 */
function listMessages(method: string, body: Record<string, unknown>, state: State): Result {
  const fault = channelFault(body.channel, state, true);
  if (fault !== undefined) return fault;
  const isReplies = method === 'conversations.replies';
  const limit = Number(body.limit ?? 100);
  const start = Number(body.cursor ?? 0);
  const found = state.posts
    .filter(({ channel, visibleAt }) => channel === body.channel && visibleAt <= state.now())
    .filter(({ ts, threadTs }) =>
      isReplies ? threadTs === body.ts || ts === body.ts : threadTs === undefined,
    )
    .filter(({ ts }) => Number(ts) > Number(body.oldest ?? 0) || (isReplies && ts === body.ts))
    // `inclusive` (https://docs.slack.dev/reference/methods/conversations.replies).
    .filter(({ ts }) => body.latest === undefined || Number(ts) <= Number(body.latest));
  // https://docs.slack.dev/reference/methods/conversations.replies#errors
  if (isReplies && found.length === 0) return failed('thread_not_found');
  if (!isReplies) found.reverse();
  const withMetadata = String(body.include_all_metadata) === 'true';
  const messages = found.slice(start, start + limit).map(({ ts, text, blocks, metadata, fields }) => ({
    type: 'message',
    ts,
    text,
    blocks,
    ...fields,
    ...(withMetadata && metadata !== null && { metadata }),
  }));
  const next = start + limit < found.length ? String(start + limit) : '';
  return { ok: true, messages, response_metadata: { next_cursor: next } } as Result;
}
