// A stand-in for the Google Chat API: the methods that Inquest calls, with the limits and errors that Google
// documents. Each behaviour names its source below https://developers.google.com/workspace/chat/. Texts of
// errors are not recorded.

import { asArray, asObject, asText } from '../../shared/text/json.ts';
import { serveWire, type Wire, type WireAnswer, type WireRequest } from './wire.fixture.ts';

/** spaces.messages/create: "The maximum message size, including the message contents, is 32,000 bytes." */
const MAX_MESSAGE_BYTES = 32_000;
/** The same page: `messageId` "begins with client-", "up to 63 characters": lowercase, numbers, hyphens. */
const MESSAGE_ID = /^client-[a-z0-9-]{1,56}$/;
/** limits: "Writes per minute: 60" per space, shared among all apps. */
const WRITES_A_MINUTE = 60;
/** reference/rest/v1/cards: at most 100 widgets; Chat ignores the section that exceeds them. */
const MAX_WIDGETS = 100;
const PATCHABLE = ['text', 'cardsV2', 'accessoryWidgets'];

/** A message in a space. */
interface ChatMessage {
  /** `spaces/S/messages/client-…`. */
  name: string;
  requestId: string | null;
  /** `spaces/S/threads/…`. */
  thread: string;
  content: Record<string, unknown>;
  edits: number;
}

/** A stand-in that runs. */
export interface StandInChat extends Wire {
  /** All messages, in order of their creation. */
  messages: ChatMessage[];
}

/** How the stand-in behaves. */
export interface ChatOptions {
  /** Spaces that the app is a member of. */
  spaces: string[];
  /** Tokens and their scopes. */
  tokens: Record<string, string[]>;
  /** Time in milliseconds since 1970. Default: the clock of this machine. */
  now?: () => number;
  port?: number;
}

/** Starts the stand-in. */
export async function startGoogleChat(options: ChatOptions): Promise<StandInChat> {
  const { spaces, tokens, now = Date.now, port } = options;
  const messages: ChatMessage[] = [];
  const writes = new Map<string, number[]>();

  function answer(request: WireRequest): WireAnswer {
    const refused = checkToken(request, tokens);
    if (refused !== undefined) return refused;
    const [, space = '', name] = /^\/v1\/(spaces\/[^/]+)(\/messages(?:\/[^/]+)?)?$/.exec(request.path) ?? [];
    // authenticate-authorize-chat-app: an app reads and writes only in spaces that it is a member of.
    if (!spaces.includes(space)) return fault(404, 'NOT_FOUND', 'Requested entity was not found.');
    if (request.method === 'GET' && name === undefined)
      return { status: 200, body: { name: space, spaceType: 'SPACE' } };
    if (request.method === 'POST' && name === '/messages') return limited(space) ?? create(space, request);
    if (request.method === 'PATCH' && name !== undefined)
      return limited(space) ?? patch(`${space}${name}`, request);
    return fault(404, 'NOT_FOUND', 'Method not found.');
  }

  /** limits: "If you exceed a quota, you'll receive a 429: Too many requests". */
  function limited(space: string): WireAnswer | undefined {
    const recent = (writes.get(space) ?? []).filter((at) => at > now() - 60_000);
    writes.set(space, [...recent, now()]);
    if (recent.length < WRITES_A_MINUTE) return undefined;
    return fault(429, 'RESOURCE_EXHAUSTED', "Quota exceeded for quota metric 'Per-space write requests'.");
  }

  function create(space: string, { query, body, text }: WireRequest): WireAnswer {
    const requestId = query.get('requestId');
    // spaces.messages/create, requestId: "Subsequent requests with the same request ID return the existing
    // message and do not update the message, even if the requested details differ from the current state."
    const existing = messages.find((message) => requestId !== null && message.requestId === requestId);
    if (existing !== undefined) return { status: 200, body: shown(existing) };
    const messageId = query.get('messageId');
    if (messageId !== null && !MESSAGE_ID.test(messageId))
      return fault(400, 'INVALID_ARGUMENT', 'Invalid messageId.');
    const name = `${space}/messages/${messageId ?? `m${messages.length}`}`;
    // messageId: "Is unique within a space. A Chat app can't use the same custom ID for different messages."
    if (messages.some((message) => message.name === name))
      return fault(409, 'ALREADY_EXISTS', 'A message with this ID already exists.');
    const wrong = checkContent(body, text);
    if (wrong !== undefined) return wrong;
    const message = {
      name,
      requestId,
      thread: readThread(space, body, query, messages.length),
      content: asObject(body),
      edits: 0,
    };
    messages.push(message);
    return { status: 200, body: shown(message) };
  }

  function patch(name: string, { query, body, text }: WireRequest): WireAnswer {
    const message = messages.find((each) => each.name === name);
    if (message === undefined) return fault(404, 'NOT_FOUND', 'Message not found.');
    const fields = (query.get('updateMask') ?? '').split(',');
    // spaces.messages/patch, updateMask: the supported paths.
    if (!fields.every((field) => PATCHABLE.includes(field)))
      return fault(400, 'INVALID_ARGUMENT', 'Invalid update mask.');
    const wrong = checkContent(body, text);
    if (wrong !== undefined) return wrong;
    const content = asObject(body);
    message.content = {
      ...message.content,
      ...Object.fromEntries(fields.map((field) => [field, content[field]])),
    };
    message.edits++;
    return { status: 200, body: shown(message) };
  }

  return Object.assign(await serveWire(answer, port), { messages });
}

/** authenticate-authorize-chat-app: app authentication needs the scope `chat.bot`. */
function checkToken({ headers }: WireRequest, tokens: Record<string, string[]>): WireAnswer | undefined {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
  const scopes = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (scopes === undefined)
    return fault(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
  if (scopes.includes('https://www.googleapis.com/auth/chat.bot')) return undefined;
  return fault(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' },
  ]);
}

function checkContent(body: unknown, text: string): WireAnswer | undefined {
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES)
    return fault(400, 'INVALID_ARGUMENT', 'Message cannot exceed 32000 bytes.');
  const cards = asArray(asObject(body).cardsV2).map((card) => asObject(asObject(card).card));
  if (cards.length === 0 && asText(asObject(body).text) === undefined)
    return fault(400, 'INVALID_ARGUMENT', 'Message cannot be empty.');
  const widgets = cards.flatMap(({ sections }) =>
    asArray(sections).flatMap((section) => asArray(asObject(section).widgets)),
  );
  if (widgets.length > MAX_WIDGETS) return fault(400, 'INVALID_ARGUMENT', 'A card has at most 100 widgets.');
  return undefined;
}

/**
 * create-messages#create-message-thread: a `threadKey` counts only with a `messageReplyOption`; a new key
 * starts a thread.
 */
function readThread(space: string, body: unknown, query: URLSearchParams, count: number): string {
  const key = asText(asObject(asObject(body).thread).threadKey);
  return key === undefined || query.get('messageReplyOption') === null
    ? `${space}/threads/t${count}`
    : `${space}/threads/of-${key}`;
}

function shown({ name, thread, content }: ChatMessage): object {
  return { ...content, name, thread: { name: thread } };
}

/** https://cloud.google.com/apis/design/errors: the form of errors of Google's APIs. */
function fault(code: number, status: string, message: string, details?: object[]): WireAnswer {
  return { status: code, body: { error: { code, message, status, ...(details && { details }) } } };
}
