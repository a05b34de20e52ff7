// What the stream of a question shows of the agents that are asked for its answer, over real HTTP.

import { expect, it } from 'vitest';
import { startApiBench } from '../../support/apiBench.ts';
import { sampleAgent } from '../../support/samples.ts';
import { serveApi } from '../../support/serveApi.ts';

const ask = (agent_name: string) => ({ name: 'ask_agent', args: { agent_name, input_text: 'What is it?' } });
const helper = (name: string, changes = {}) =>
  sampleAgent({ name, instructions: `You are the helper ${name}.`, tools: [], asks: undefined, ...changes });
const OUTPUT = JSON.stringify({
  type: 'object',
  properties: { answer: { type: 'string' }, confidence: { type: 'number' } },
  required: ['answer', 'confidence'],
});
const FIELDS = { answer: 'The disk is full.', confidence: 0.7 };

/** A chat whose agent asks two others: one of text, with a call of its own, and a structured one. */
async function start(calls: object[], answer: string, chat = {}) {
  const said = (name: string, turns: object[]) => ({ name, when: `You are the helper ${name}.`, turns });
  const echo = { name: 'fixture.echo', args: { text: 'a' } };
  const api = await startApiBench({
    inMemory: true,
    agents: {
      texts: helper('texts', { tools: ['fixture'] }),
      fields: helper('fields', { outputSchema: OUTPUT }),
    },
    chat: {
      instructions: 'You lead.',
      tools: ['ask_agent'],
      asks: [{ name: 'texts' }, { name: 'fields' }],
      ...chat,
    },
    script: {
      conversations: [
        said('texts', [{ thinking: 'Logs first.', toolCalls: [echo] }, { text: 'It is the disk.' }]),
        said('fields', [{ text: JSON.stringify(FIELDS) }]),
        { name: 'lead', turns: [...(calls.length > 0 ? [{ toolCalls: calls }] : []), { text: answer }] },
      ],
    },
  } as never);
  const { url } = await serveApi(api);
  const headers = { 'content-type': 'application/json' };
  const send = (more: object) => {
    const body = JSON.stringify({ model: 'inquest', messages: [{ role: 'user', content: 'Why?' }], ...more });
    return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  };
  const post = async (more: object) => {
    const response = send(more);
    let isOver = false;
    const text = response.then((found) => found.text()).finally(() => (isOver = true));
    while (!isOver) {
      await api.drain();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return text;
  };
  return { ...api, post, send };
}

it('their texts are chunks, their calls and fields are events, and a repeated text comes once', async () => {
  const { post } = await start([ask('texts'), ask('fields')], 'It is the disk.');
  const blocks = (await post({ stream: true })).split('\n\n').filter((block) => block !== '');
  const events = blocks.slice(0, -1).map((block) => ({
    name: /^event: (.*)$/m.exec(block)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''),
  }));
  const text = events.map(({ name, data }) => (name ? '' : (data.choices[0]?.delta.content ?? ''))).join('');
  expect(text).toBe('It is the disk.');
  const calls = events.filter(({ name }) => name === 'tool_call').map(({ data }) => data);
  expect(events.find(({ name }) => name === 'thinking')?.data).toMatchObject({
    content: 'Logs first.',
    agent_name: 'texts',
  });
  const echoes = calls.filter(({ tool_name }) => tool_name === 'fixture.echo');
  expect(echoes.map(({ agent_name }) => agent_name)).toEqual(['texts', 'texts', 'texts']);
  const places = ['texts', 'fields'].map((name) =>
    calls.findIndex(({ tool_name, arguments: args, status }) =>
      tool_name === 'ask_agent' && status === 'executing' ? args.agent_name === name : false,
    ),
  );
  const echoed = calls.findIndex(
    ({ agent_name, status }) => agent_name === 'texts' && status === 'completed',
  );
  const results = calls.findIndex(
    ({ tool_name, status }) => tool_name === 'ask_agent' && status === 'completed',
  );
  expect(echoed).toBeGreaterThan(Math.max(...places));
  expect(results).toBeGreaterThan(echoed);
  expect(calls.find(({ tool_id }) => tool_id === 'fields_structured_output')).toMatchObject({
    tool_name: 'fields',
    status: 'completed',
    arguments: { input_text: 'What is it?' },
    result: FIELDS,
  });
});

it('they are in the stream while they work', async () => {
  const { send, deliverNext, drain } = await start([ask('texts')], 'Done.');
  const response = await send({ stream: true });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  const readUntil = async (text: string) => {
    while (!read.includes(text)) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: '' };
      if (done) throw new Error(`the stream ended before ${text}`);
      read += value;
    }
  };
  // The leading agent asks; the other one calls its tool, and has not answered yet.
  await deliverNext();
  await readUntil('"status":"executing","arguments":{"agent_name":"texts"');
  await deliverNext();
  await readUntil('Logs first.');
  await readUntil('"agent_name":"texts","status":"completed"');
  expect(read).not.toContain('It is the disk.');
  await drain();
  await readUntil('[DONE]');
});

it('a structured answer is sent as JSON where response_format asks for it, whole and as a stream', async () => {
  const json = JSON.stringify(FIELDS);
  const { post } = await start([], json, { tools: [], asks: undefined, outputSchema: OUTPUT });
  const whole = JSON.parse(await post({ response_format: { type: 'json_object' } }));
  expect(JSON.parse(whole.choices[0].message.content)).toEqual(FIELDS);
  const stream = await post({ response_format: { type: 'json_schema', json_schema: {} }, stream: true });
  expect(stream).toContain(JSON.stringify(json).slice(1, -1));
  const readable = JSON.parse(await post({}));
  expect(readable.choices[0].message.content).toBe('The disk is full.');
});

it('a structured answer of an agent of text is refused, with the field and the fix', async () => {
  const { post } = await start([], 'It is the disk.');
  const { error } = JSON.parse(await post({ response_format: { type: 'json_object' } }));
  expect(error).toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('response_format'),
  });
});
