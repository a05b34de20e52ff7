// Agents that are asked: as the store has them, with what calls choose, and in a chat with its conversation.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, loadSessionConfig } from '../../../shared/config/load.ts';
import { pushAgent } from '../../../shared/kits/agents/editAgents.ts';
import { createStoredAgents } from '../../../shared/kits/agents/storedAgents.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { openChat } from '../../../shared/kits/questions/openChat.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { startBench } from '../../support/harness.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const schema = (name: string, text: string) => `description: ${text}
properties:
  answer: {type: string}
  confidence: {type: number}
required: [answer, confidence]
json_schema_extra: {name: ${name}, structured_output: true}
`;
const ask = (agent_name: string, more: object = {}) => ({
  name: 'ask_agent',
  args: { agent_name, input_text: 'What do the logs say?', ...more },
});

/** A result as its model reads it; a refusal before the tool is text. */
const dataOf = (text: string) => (text.startsWith('{') ? JSON.parse(text) : { error: text });

/** A chat whose agent asks `logs`, a structured agent, and `stored`, which only the store has. */
async function start(calls: object[], second: object[] = []) {
  const folder = ownConfig({});
  const agents = { lead: { instructions: 'You lead.', tools: ['ask_agent'], asks: ['logs', 'stored'] } };
  writeFileSync(path.join(folder, 'agents.yaml'), stringify({ agents }));
  const chains = { c: { chat: 'lead', stages: [{ name: 'look', agents: ['lead'] }] } };
  writeFileSync(path.join(folder, 'chains.yaml'), stringify({ default: 'c', chains }));
  mkdirSync(path.join(folder, 'agents'));
  writeFileSync(path.join(folder, 'agents', 'logs.yaml'), schema('logs', 'You read logs.'));
  const session = loadSessionConfig(folder);
  const { askable } = loadConfig(folder, {});
  const fields = { answer: 'The disk is full.', confidence: 0.7 };
  const bench = await startBench({
    inMemory: true,
    readConfig: () => session,
    script: {
      conversations: [
        { name: 'kid', when: 'You read', turns: Array(9).fill({ text: JSON.stringify(fields) }) },
        ...second,
        { name: 'lead', when: 'You lead.', turns: [{ toolCalls: calls }, { text: 'It is the disk.' }] },
      ],
    } as never,
  });
  const { deps } = bench;
  deps.agents = askable;
  deps.catalog = session.agents;
  deps.storedAgents = createStoredAgents(deps);
  const push = async (name: string, text: string) => {
    if (session.agents === undefined) throw new Error('no agents');
    const by = { by: 'ada', catalog: session.agents, masker: createMasker({}) };
    await pushAgent({ name, yaml: schema(name, text) }, by, deps);
  };
  const open = async () => {
    const asked = { text: 'What is it?', by: 'ada', tenantId: 'default', userId: 'ada' };
    const outcome = await openChat(asked, undefined, session, deps);
    if (outcome.kind !== 'asked') throw new Error(outcome.kind);
    await bench.drain();
    return outcome.sessionId;
  };
  const resultsOf = async (sessionId: string) =>
    (await bench.read(sessionId)).messages
      .flatMap(({ blocks }) => blocks)
      .flatMap((block) => (block.blockType === 'tool_result' ? [dataOf(block.textContent)] : []));
  const requests = () => bench.gemini.requests.map((request) => JSON.stringify(request));
  return { ...bench, session, push, open, resultsOf, requests };
}

it('the answer of a structured agent reaches the one that asked as data, with all its fields', async () => {
  const { open, resultsOf } = await start([ask('logs')]);
  expect(await resultsOf(await open())).toEqual([
    {
      status: 'success',
      agent_schema: 'logs',
      output: { answer: 'The disk is full.', confidence: 0.7 },
      text_response: 'The disk is full.',
      input_text: 'What do the logs say?',
      is_structured_output: true,
    },
  ]);
});

it('the agent of the store is the one that is asked, also one that only the store has', async () => {
  const { push, open, resultsOf, requests, session } = await start([ask('logs'), ask('stored')]);
  expect(session.agents?.remarks.join()).toContain('no file defines the agent "stored"');
  await push('logs', 'You read logs as of today.');
  await push('stored', 'You read what is stored.');
  const results = await resultsOf(await open());
  expect(results.map(({ agent_schema, status }) => [agent_schema, status])).toEqual([
    ['logs', 'success'],
    ['stored', 'success'],
  ]);
  for (const text of ['You read logs as of today.', 'You read what is stored.'])
    expect(requests().some((request) => request.includes(text))).toBe(true);
});

it('a call chooses text or data and the time, and an argument that there is not is refused by its name', async () => {
  const { open, resultsOf, read } = await start([
    ask('logs', { structured_output_override: false, timeout_seconds: 45 }),
    ask('logs', { deadline: 3 }),
    ask('logs', { timeout_seconds: 3 }),
    ask('logs', { structured_output_override: 'yes' }),
  ]);
  const sessionId = await open();
  const [text, ...refused] = await resultsOf(sessionId);
  expect(text).toMatchObject({ status: 'success', is_structured_output: false });
  expect(refused.map(({ error }) => error)).toEqual([
    expect.stringContaining('There is no argument "deadline"'),
    expect.stringContaining('"timeout_seconds" must be'),
    expect.stringContaining('structured_output_override'),
  ]);
  const child = (await read(sessionId)).executions.find(({ depth }) => depth === 1);
  expect(child && child.deadline.getTime() - child.createdAt.getTime()).toBe(45_000);
});

it('an agent that is asked in a chat knows the conversation and the user', async () => {
  const turns = [{ toolCalls: [ask('logs')] }, { text: 'Since nine.' }];
  const { open, requests, deps, drain } = await start(
    [ask('logs')],
    [{ name: 'second', when: { question: 'Since when?' }, turns }],
  );
  const sessionId = await open();
  await askQuestion(sessionId, { text: 'Since when?', by: 'ada', userId: 'ada' }, deps);
  await drain();
  const asked = requests().findLast((request) => request.includes('You read logs.')) ?? '';
  const places = ['What is it?', 'It is the disk.', 'Since when?', 'What do the logs say?'].map((part) =>
    asked.indexOf(part),
  );
  expect(places).not.toContain(-1);
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  expect(asked).toContain('User: ada');
  // A schema that is asked in a chat has no frame: its text is the end of the prompt.
  expect(asked).toMatch(/User: ada\\n\\nYou read logs\."/);
  expect(asked).not.toContain('You are logs');
});

it('an agent without tools that is asked in a long chat gets the latest answers whole, and none without its middle', async () => {
  const long = 'x'.repeat(150_000);
  const turns = [{ text: long }, { text: long }];
  const { open, requests, deps, drain } = await start(
    [ask('logs')],
    [
      { name: 'last', when: { question: 'Last?' }, turns: [{ toolCalls: [ask('logs')] }, { text: 'Yes.' }] },
      { name: 'long', when: 'You lead.', turns },
    ],
  );
  const sessionId = await open();
  for (const text of ['Again?', 'Last?']) {
    await askQuestion(sessionId, { text, by: 'ada', userId: 'ada' }, deps);
    await drain();
  }
  const [lead = '', kid = ''] = ['You lead.', 'You read logs.'].map(
    (text) => requests().findLast((request) => request.includes(text)) ?? '',
  );
  expect(lead).toContain('Message truncated');
  expect(kid).not.toContain('Message truncated');
  expect(kid.split(long)).toHaveLength(2);
});
