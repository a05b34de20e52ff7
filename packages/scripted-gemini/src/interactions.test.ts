import { createHmac, createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MODEL, serve } from './serve.fixture.ts';

const NO_RETRIES = { retries: { strategy: 'none' as const } };
const USER = { type: 'user_input' as const, content: [{ type: 'text' as const, text: 'Why?' }] };
const CALL = { toolCalls: [{ name: 'get_logs', args: { pod: 'api' } }] };
const TOOLS = [{ type: 'function' as const, name: 'get_logs', parameters: { type: 'object' } }];
const one = (...turns: object[]) => ({ conversations: [{ turns }] });

interface Delivery {
  headers: IncomingHttpHeaders;
  body: string;
}
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A receiver of webhooks, and what it got. */
async function receiver() {
  const got: Delivery[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    got.push({ headers: request.headers, body });
    response.end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

describe("Google's client", () => {
  it('gets steps, calls a function and continues with the steps as they came', async () => {
    const { client } = await serve(one({ thinking: 'Look.', ...CALL }, { text: 'No memory.' }));
    const config = { thinking_summaries: 'auto' as const };
    const asked = { model: MODEL, store: false, tools: TOOLS, generation_config: config };
    const first = await client.interactions.create({ ...asked, input: [USER] });
    expect(first).toMatchObject({
      status: 'requires_action',
      steps: [
        { type: 'thought', summary: [{ text: 'Look.' }], signature: expect.any(String) },
        { type: 'function_call', name: 'get_logs', arguments: { pod: 'api' } },
      ],
    });
    const call = first.steps?.at(-1) as { id: string };
    const result = { type: 'function_result' as const, call_id: call.id, name: 'get_logs', result: 'OOM' };
    const second = await client.interactions.create({
      ...asked,
      input: [USER, ...(first.steps ?? []), result],
    });
    expect(second).toMatchObject({ status: 'completed', output_text: 'No memory.' });
  });

  it('reads the same answer as a stream', async () => {
    const { client } = await serve(one({ text: 'A text. '.repeat(30) }));
    const stream = await client.interactions.create({ model: MODEL, input: 'Why?', stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    const texts = events.flatMap((event) =>
      event.event_type === 'step.delta' && event.delta.type === 'text' ? [event.delta.text] : [],
    );
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.join('')).toBe('A text. '.repeat(30));
    expect(events.at(-1)).toMatchObject({
      event_type: 'interaction.completed',
      interaction: { status: 'completed', usage: { total_tokens: expect.any(Number) } },
    });
  });

  it('polls, cancels and deletes an interaction in the background', async () => {
    let finish = () => {};
    const sleep = () => new Promise<void>((resolve) => (finish = resolve));
    const { client, gemini } = await serve(one({ text: 'Done.', firstDelayMs: 9 }), { sleep });
    const asked = { model: MODEL, input: 'Why?', background: true };
    const { id, status } = await client.interactions.create(asked);
    expect(status).toBe('in_progress');
    expect((await client.interactions.get(id)).status).toBe('in_progress');
    finish();
    await expect.poll(async () => (await client.interactions.get(id)).status).toBe('completed');
    expect((await client.interactions.get(id)).output_text).toBe('Done.');
    const other = await client.interactions.create(asked);
    expect((await client.interactions.cancel(other.id)).status).toBe('cancelled');
    await client.interactions.delete(id);
    await expect(client.interactions.get(id, undefined, NO_RETRIES)).rejects.toMatchObject({ status: 404 });
    expect([...gemini.interactions.keys()]).toEqual([other.id]);
  });
});

it.each(['incomplete', 'budget_exceeded', 'requires_continuation', 'failed', 'cancelled'])(
  'an interaction ends as %s, if the script says so',
  async (status) => {
    const { client } = await serve(one({ text: 'Half.', status }));
    expect(await client.interactions.create({ model: MODEL, input: 'Why?' })).toMatchObject({ status });
  },
);

describe('a request is refused', () => {
  const refused = async (body: object) => {
    const { post } = await serve(one(CALL, { text: 'Done.' }));
    const response = await post({ model: MODEL, tools: TOOLS, ...body }, { path: '/v1beta/interactions' });
    return { status: response.status, text: await response.text() };
  };
  const call = { type: 'function_call', id: 'a', name: 'get_logs', arguments: {} };
  it.each([
    ['with an unknown field', { input: 'Why?', colour: 'red' }, 'Unknown name \\"colour\\"'],
    [
      'in the background without a store',
      { input: 'Why?', background: true, store: false },
      'requires `store`',
    ],
    ['with a call that has no result', { input: [USER, call, USER] }, 'number of function response parts'],
    [
      'with a signature of another step',
      { input: [USER, { type: 'thought', signature: 'A'.repeat(80) }, USER] },
      'Corrupted thought signature',
    ],
  ])('%s', async (_, body, text) => {
    expect(await refused(body)).toEqual({ status: 400, text: expect.stringContaining(text) });
  });
});

describe('a webhook', () => {
  const background = { model: MODEL, input: 'Why?', background: true };

  it('to an address of the request has a token that the published keys verify', async () => {
    const { got, url } = await receiver();
    const { client, gemini } = await serve(one({ text: 'Done.' }));
    const webhook_config = { uris: [url], user_metadata: { submission: 's-1' } };
    const { id } = await client.interactions.create({ ...background, webhook_config });
    await expect.poll(() => got.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = got;
    expect(JSON.parse(body)).toMatchObject({
      type: 'interaction.completed',
      data: { id },
      user_metadata: { submission: 's-1' },
    });
    const [head = '', claims = '', signature = ''] = String(headers['webhook-signature']).split('.');
    const jwks = (await (await fetch(`${gemini.url}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const key = createPublicKey({ key: jwks.keys.find((one) => one.kid === kid) ?? {}, format: 'jwk' });
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('to the registered address is signed with its secret', async () => {
    const { got, url } = await receiver();
    const secret = `whsec_${Buffer.from('secret').toString('base64')}`;
    const { client } = await serve(one({ ...CALL, webhook: 'twice' }), { webhook: { url, secret } });
    await client.interactions.create({ ...background, tools: TOOLS });
    await expect.poll(() => got.length).toBe(2);
    const [{ headers, body } = { headers: {}, body: '' }] = got;
    expect(JSON.parse(body)).toMatchObject({ type: 'interaction.requires_action' });
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const mac = createHmac('sha256', 'secret').update(text).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${mac}`);
  });

  it('is not sent for an end that has none, nor when the script loses it', async () => {
    const { got, url } = await receiver();
    const { client } = await serve(one({ text: 'Half.', status: 'incomplete' }), {
      webhook: { url, secret: '' },
    });
    const { id } = await client.interactions.create(background);
    await expect.poll(async () => (await client.interactions.get(id)).status).toBe('incomplete');
    const lost = await serve(one({ text: 'Done.', webhook: 'lost' }), { webhook: { url, secret: '' } });
    const other = await lost.client.interactions.create(background);
    await expect.poll(async () => (await lost.client.interactions.get(other.id)).status).toBe('completed');
    expect(got).toEqual([]);
  });
});
