// The shapes of the Interactions API as it answers, and the documented facts that the code relies on
// (decision 280), each with the check that a recording passes if the fact is true.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { asArray, asObject, asText, type JsonObject, parseJson } from '../../shared/text/json.ts';

/** Where the API is, and where it can send a webhook. */
export interface LiveApi {
  /** Address, without a version. */
  baseUrl: string;
  key: string;
  model: string;
  /** A public address that leads to `port` of this machine. Absent: no webhook is recorded. */
  webhook?: { url: string; port: number } | undefined;
}

/** One request, and its answer. */
interface Exchange {
  status: number;
  body: JsonObject;
}

/** Answers and events of the API. */
export interface Recording {
  inline: Exchange;
  /** The events of a streamed answer, and of one that is read while it is made. */
  streamed: JsonObject[];
  call: Exchange;
  background: Exchange;
  followed: JsonObject[];
  /** The background answer when it had ended. */
  ended: Exchange;
  continued: JsonObject[];
  cancelled: Exchange;
  deleted: Exchange;
  gone: Exchange;
  webhook: { headers: IncomingHttpHeaders; body: JsonObject } | undefined;
}

/** A documented fact. `holds` is undefined where the recording cannot tell. */
export interface Fact {
  name: string;
  holds(recording: Recording): boolean | undefined;
}

const RUNNING = ['queued', 'in_progress'];
const WAIT_MS = 300_000;
const METADATA = { submissionId: 'live-test' };
const CLOCK = {
  type: 'function',
  name: 'clock',
  description: 'The current time.',
  parameters: { type: 'object' },
};

const typesIn = (events: readonly JsonObject[]) => events.map(({ event_type: type }) => type);
const stepsIn = ({ body }: Exchange) => asArray(body.steps).map(asObject);
const countText = (events: readonly JsonObject[]) =>
  events.filter(({ delta }) => asObject(delta).type === 'text').length;

/** The facts, all that the code relies on. */
export const FACTS: Fact[] = [
  {
    name: '`create` answers with id, status, model, steps and usage',
    holds: ({ inline: { body } }) =>
      ['id', 'status', 'model'].every((key) => typeof body[key] === 'string') &&
      Array.isArray(body.steps) &&
      asObject(body.usage).total_tokens !== undefined,
  },
  {
    name: 'an answer that ends is `completed`, one with a call `requires_action`',
    holds: ({ inline, call }) => inline.body.status === 'completed' && call.body.status === 'requires_action',
  },
  {
    name: 'usage counts tokens by kind, and all of them',
    holds: ({ inline }) =>
      ['input', 'output', 'thought', 'total'].every(
        (kind) =>
          asObject(inline.body.usage)[kind === 'total' ? 'total_tokens' : `total_${kind}_tokens`] !==
          undefined,
      ),
  },
  {
    name: 'a thought has a signature',
    holds: ({ inline }) => {
      const thoughts = stepsIn(inline).filter(({ type }) => type === 'thought');
      return thoughts.length === 0
        ? undefined
        : thoughts.every(({ signature }) => typeof signature === 'string');
    },
  },
  {
    name: 'a call has an id, a name, arguments, and no signature',
    holds: ({ call }) =>
      stepsIn(call)
        .filter(({ type }) => type === 'function_call')
        .every(
          (step) =>
            asText(step.id) !== undefined &&
            step.name === 'clock' &&
            typeof step.arguments === 'object' &&
            step.signature === undefined,
        ),
  },
  {
    name: 'a stream begins with `interaction.created` and ends with `interaction.completed`',
    holds: ({ streamed }) =>
      typesIn(streamed)[0] === 'interaction.created' && typesIn(streamed).at(-1) === 'interaction.completed',
  },
  {
    name: 'steps stream as `step.start`, `step.delta` and `step.stop`',
    holds: ({ streamed }) =>
      ['step.start', 'step.delta', 'step.stop'].every((type) => typesIn(streamed).includes(type)),
  },
  {
    name: 'each event has an `event_id`',
    holds: ({ streamed }) => streamed.every(({ event_id: id }) => asText(id) !== undefined),
  },
  {
    name: '`background` answers at once with an id and a running status',
    holds: ({ background: { body } }) =>
      asText(body.id) !== undefined && RUNNING.includes(String(body.status)),
  },
  {
    name: '`get` with `stream` shows the text of an answer that is being made',
    holds: ({ followed }) => countText(followed) > 0,
  },
  {
    name: '`last_event_id` continues a stream',
    holds: ({ followed, continued }) => {
      const first = followed[0]?.event_id;
      if (first === undefined) return undefined;
      return continued.length > 0 && continued.every(({ event_id: id }) => id !== first);
    },
  },
  {
    name: '`get` returns the steps of the user, too',
    holds: ({ ended }) => stepsIn(ended).some(({ type }) => type === 'user_input'),
  },
  {
    name: '`cancel` ends the work as `cancelled`',
    holds: ({ cancelled }) => cancelled.body.status === 'cancelled',
  },
  {
    name: 'a deleted interaction is 404',
    holds: ({ deleted, gone }) => deleted.status < 300 && gone.status === 404,
  },
  {
    name: 'a webhook has the three headers',
    holds: ({ webhook }) =>
      webhook &&
      ['id', 'timestamp', 'signature'].every((name) => webhook.headers[`webhook-${name}`] !== undefined),
  },
  {
    name: 'the signature of the webhook of a request is a token',
    holds: ({ webhook }) => webhook && String(webhook.headers['webhook-signature']).split('.').length === 3,
  },
  {
    name: 'a webhook has type, `data.id` and the metadata of the request',
    holds: ({ webhook }) =>
      webhook &&
      typeof webhook.body.type === 'string' &&
      typeof asObject(webhook.body.data).id === 'string' &&
      asObject(webhook.body.user_metadata).submissionId === METADATA.submissionId,
  },
];

/**
 * Asks for each shape once, and deletes what the API stores. @throws Error when it does not answer in time.
 */
export async function recordInteractions(api: LiveApi): Promise<Recording> {
  const { baseUrl, key, model, webhook } = api;
  const send = (method: string, path = '', body?: object): Promise<Response> =>
    fetch(`${baseUrl.replace(/\/+$/, '')}/v1beta/interactions${path}`, {
      method,
      headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify({ model, store: false, ...body }) }),
    });
  const ask = async (...request: Parameters<typeof send>): Promise<Exchange> => {
    const response = await send(...request);
    return { status: response.status, body: asObject(parseJson(await response.text())) };
  };
  const received = webhook && receiveOne(webhook.port);
  const ids: string[] = [];
  try {
    const asked = { generation_config: { thinking_summaries: 'auto' } };
    const inline = await ask('POST', '', { ...asked, input: 'Which day of the week was 29 February 2000?' });
    const streamed = await readAll(
      await send('POST', '', { ...asked, input: 'Name five rivers.', stream: true }),
    );
    const call = await ask('POST', '', { ...asked, input: 'Call the tool for the time.', tools: [CLOCK] });
    const work = (input: string) =>
      ask('POST', '', {
        ...asked,
        input,
        background: true,
        store: true,
        webhook_config: { ...(webhook && { uris: [webhook.url] }), user_metadata: METADATA },
      });
    const background = await work('Write two hundred words about rivers.');
    const id = `/${encodeURIComponent(String(background.body.id))}`;
    ids.push(id);
    const followed = await readAll(await send('GET', `${id}?stream=true`));
    const ended = await untilEnded(() => ask('GET', id));
    const first = encodeURIComponent(String(followed[0]?.event_id));
    const continued = await readAll(await send('GET', `${id}?stream=true&last_event_id=${first}`));
    const other = await work('Write two thousand words about mountains.');
    const otherId = `/${encodeURIComponent(String(other.body.id))}`;
    ids.push(otherId);
    const cancelled = await ask('POST', `${otherId}/cancel`);
    const got = await received?.wait();
    const deleted = await ask('DELETE', id);
    const gone = await ask('GET', id);
    return {
      inline,
      streamed,
      call,
      background,
      followed,
      ended,
      continued,
      cancelled,
      deleted,
      gone,
      webhook: got,
    };
  } finally {
    for (const id of ids) await send('DELETE', id).catch(() => undefined);
    received?.stop();
  }
}

async function untilEnded(get: () => Promise<Exchange>): Promise<Exchange> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const found = await get();
    if (!RUNNING.includes(String(found.body.status))) return found;
    if (Date.now() > until) throw new Error('an answer in the background has not ended');
    await delay(2_000);
  }
}

/** The events of a stream that has ended. An error body is one event. */
async function readAll(response: Response): Promise<JsonObject[]> {
  const text = await response.text();
  if (!response.ok) return [asObject(parseJson(text))];
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  return lines
    .map((line) => asObject(parseJson(line.slice(5))))
    .filter((event) => Object.keys(event).length > 0);
}

/** Waits for one webhook. */
function receiveOne(port: number) {
  const { promise, resolve } = Promise.withResolvers<Recording['webhook']>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    response.end();
    resolve({ headers: request.headers, body: asObject(parseJson(text)) });
  }).listen(port);
  return {
    wait: () => Promise.race([promise, delay(WAIT_MS, undefined, { ref: false })]),
    stop: () => server.close().closeAllConnections(),
  };
}
