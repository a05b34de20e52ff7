// What docs/rules/agents.md promises of agents that are written as schemas, seen in what their models are
// asked and in what is stored: one investigation whose agents work side by side.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, loadSessionConfig } from '../../../shared/config/load.ts';
import {
  event,
  type OpenAiServer,
  startOpenAiServer,
  streamed,
} from '../../../shared/llm/langchain/openAiServer.fixture.ts';
import { createLogger } from '../../../shared/log.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { type Investigation, startBench } from '../../support/harness.ts';
import { ownConfig } from '../../support/ownConfig.ts';
import { startListedServer } from '../../tools/httpServer.ts';

interface Declared {
  name: string;
  description: string;
  parametersJsonSchema: { properties: Record<string, { description?: string; default?: unknown }> };
}
interface Sent {
  systemInstruction: { parts: { text: string }[] };
  contents: unknown;
  tools?: { functionDeclarations?: Declared[] }[];
  generationConfig: { temperature?: number; responseMimeType?: string; responseJsonSchema?: unknown };
}

/** A tool of a server, whose one parameter has a default. */
const FIND = {
  name: 'find',
  description: 'Finds pods, as its server says.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      text: { type: 'string' },
      limit: { type: 'integer', default: 20, description: 'How many' },
    },
    required: ['text'],
  },
  annotations: { readOnlyHint: true },
};
const SERVER = { name: 'find', server: 'pods' };
const STRUCTURED = { structured_output: true };
const MODELS = {
  old: { provider: 'google', model: 'gemini-2.5-flash' },
  gpt: { provider: 'openai', model: 'gpt-4.1' },
};

/** An agent as its file has it; its prompt begins with `I am NAME.`. */
const schema = (name: string, { extra = {}, ...top }: { extra?: object; [key: string]: unknown } = {}) => ({
  type: 'object',
  description: `I am ${name}.\n`,
  ...top,
  json_schema_extra: { kind: 'agent', name, ...extra },
});

interface Setup {
  schemas: ReturnType<typeof schema>[];
  /** agents.yaml. */
  agents?: object;
  /** What the agents answer, instead of one text. */
  conversations?: object[];
  openAi?: OpenAiServer;
}

/** An investigation of one stage with all these agents, which has ended. */
async function run({ schemas, agents, conversations = [], openAi }: Setup) {
  const server = await startListedServer(() => [FIND]);
  onTestFinished(() => server.close());
  const servers = { pods: { transport: 'http', url: server.url, trustHints: true } };
  const folder = ownConfig({ servers, fallback: MODELS });
  const names = [...Object.keys(agents ?? {}), ...schemas.map(({ json_schema_extra: { name } }) => name)];
  const chains = { c: { stages: [{ name: 'look', agents: names }] } };
  writeFileSync(path.join(folder, 'agents.yaml'), stringify({ agents: agents ?? {} }));
  writeFileSync(path.join(folder, 'chains.yaml'), stringify({ default: 'c', chains }));
  mkdirSync(path.join(folder, 'agents'));
  for (const one of schemas)
    writeFileSync(path.join(folder, 'agents', `${one.json_schema_extra.name}.yaml`), stringify(one));
  const config = loadSessionConfig(folder);
  const bench = await startBench({
    inMemory: true,
    readConfig: () => config,
    servers: { pods: { transport: 'http', url: server.url } },
    script: {
      conversations: [...conversations, { turns: [{ text: '{"answer": "It is the disk."}' }] }],
    } as never,
    ...(openAi && { openAiUrl: openAi.baseUrl }),
  });
  const warnings: string[] = [];
  const lines = { write: (line: string) => void warnings.push(line) };
  bench.deps.log = createLogger({ LOG_LEVEL: 'warn' }, lines as never);
  bench.deps.agents = loadConfig(folder, {}).askable;
  const sessionId = await bench.publishAlert();
  await bench.drain();
  const investigation = await bench.read(sessionId);
  const requests = bench.gemini.requests.map(({ model, body }) => ({ model, body: body as Sent }));
  const sentBy = (name: string) => {
    const found = requests.find(({ body }) => systemOf(body).includes(`I am ${name}.`));
    if (found === undefined) throw new Error(`${name} was not asked`);
    return { ...found, system: systemOf(found.body), declared: declaredIn(found.body) };
  };
  const remarks = (config.agents?.remarks ?? []).join('\n');
  return { ...investigation, requests, sentBy, remarks, warnings };
}

const systemOf = ({ systemInstruction: { parts } }: Sent) => parts.map(({ text }) => text).join('\n\n');
const declaredIn = ({ tools = [] }: Sent) =>
  tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
const analysisOf = ({ timeline }: Investigation, agent: string) =>
  timeline.find(
    ({ eventType, executionId }) => eventType === 'final_analysis' && executionId?.endsWith(`-${agent}`),
  );

const HEAD = `## Internal Thinking Structure (DO NOT output these labels)

Use this structure to organize your thinking, but ONLY output the answer content:

`;
const OUTPUT = (text: string) => `**OUTPUT (what the user sees):** ${text}\n\n`;
const INTERNAL = (yaml: string) => `**INTERNAL (for your tracking only - do NOT include in output):**

Schema (use these EXACT field names):
\`\`\`yaml
${yaml}
\`\`\`

`;
const TAIL = `CRITICAL: Your response must be ONLY the conversational answer text.
Do NOT output field names like 'answer:' or JSON - just the response itself.`;

it('the prompt ends with description, further text and guidance, byte for byte, behind the frame', async () => {
  const properties = {
    level: { type: 'string', enum: ['low', 'high'], description: 'How bad' },
    cause: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } },
    },
    steps: {
      type: 'array',
      items: { type: 'object', properties: { do: { type: 'string', description: 'One\n  step' } } },
    },
  };
  const answer = { type: 'string', description: 'The cause' };
  const { sentBy, remarks, session } = await run({
    schemas: [
      schema('whole', {
        properties: { answer, confidence: { type: 'number' } },
        extra: { system_prompt: 'Quote lines.\n', extension: 'Never shown.' },
      }),
      schema('extended', {
        properties: { answer: { type: 'string' } },
        extra: { extension: 'Quote lines.' },
      }),
      schema('nested', { properties, required: ['level', 'steps'] }),
      schema('bare'),
      schema('structured', {
        properties: { answer },
        extra: { ...STRUCTURED, system_prompt: 'Quote lines.' },
      }),
    ],
  });
  const ends: Record<string, string> = {
    whole: `Quote lines.\n\n${HEAD}${OUTPUT('The cause')}${INTERNAL('confidence: number')}${TAIL}`,
    extended: `Quote lines.\n\n${HEAD}${OUTPUT('Your response')}${TAIL}`,
    nested: `${HEAD}${INTERNAL(`level: string (one of: low, high) (required)
  # How bad
cause:
  text: string (required)
  kind: string (one of: a, b)
steps: [object] (required)
  # Each item has:
    do: string
      # One step`)}${TAIL}`,
    bare: '',
    structured: 'Quote lines.',
  };
  for (const [name, end] of Object.entries(ends)) {
    const { system, body } = sentBy(name);
    const text = [`I am ${name}.`, end].filter((part) => part !== '').join('\n\n');
    const [frame = '', behind] = system.split(text);
    expect(frame, name).toMatch(new RegExp(`^You are ${name}, an agent`));
    // Only the mark of the session stands behind it, a paragraph of its own.
    expect(behind, name).toMatch(/^\n\nReference of this/);
    expect(JSON.stringify(body.contents), name).toMatch(/You began? on|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  }
  expect(remarks).toContain('extension: has no effect beside system_prompt');
  expect(session.status).toBe('completed');
});

it('both notations, with the keys of either, are the same agent for its model', async () => {
  const settings = { strategy: 'single-call', maxIterations: 3, model: 'old' };
  const { sentBy, agents } = await run({
    agents: { short: { instructions: 'I am short.', ...settings } },
    schemas: [
      schema('long', { extra: { ...settings, tags: ['a'], author: 'anna', version: '2.0.0', team: 'x' } }),
    ],
  });
  const [short, long] = ['short', 'long'].map((name) => {
    const { body, model } = sentBy(name);
    return { model, text: JSON.stringify(body).replaceAll(name, 'NAME') };
  });
  expect(long).toEqual(short);
  const [first, second] = ['short', 'long'].map(
    (name) => agents.find(({ agent }) => agent.name === name)?.agent,
  );
  expect(second).toEqual({ ...first, name: 'long', isSchema: true, instructions: 'I am long.' });
});

describe('the tools of a schema', () => {
  const listed = (...tools: object[]) => ({ extra: { tools } });

  it('are those that it lists, under the descriptions that it gives them, with the defaults of their parameters', async () => {
    const own = { ...SERVER, description: 'Finds what I need.' };
    const { sentBy, remarks, session, executions } = await run({
      schemas: [
        schema('none'),
        schema('whole-server', listed({ name: 'pods', description: 'Means nothing.' })),
        schema('one', listed(own, { name: 'search', description: 'Knows things.' }, { name: 'action' })),
        schema('by-server', { extra: { tools: [{ name: 'find' }], mcp_servers: ['pods'] } }),
        schema('missing', listed({ name: 'serch' }, { name: 'pods.nosuch' }, { name: 'pods.find' })),
        schema('text', { extra: { strategy: 'react', tools: [own] } }),
      ],
      conversations: [{ when: 'I am text.', turns: [{ text: 'Thought: So.\nFinal Answer: Logs.' }] }],
    });
    const names = (agent: string) => sentBy(agent).declared.map(({ name }) => name);
    expect(names('none')).toEqual([]);
    expect(names('whole-server')).toContain('pods__find');
    expect(names('one')).toEqual(expect.arrayContaining(['pods__find', 'search', 'action']));
    expect(names('by-server')).toContain('pods__find');
    expect(names('missing').filter((name) => !name.startsWith('read_'))).toEqual(['pods__find', 'ledger']);
    const tool = (agent: string, wanted: string) =>
      sentBy(agent).declared.find(({ name }) => name === wanted);
    expect(tool('by-server', 'pods__find')?.description).toBe(FIND.description);
    expect(tool('one', 'pods__find')?.description).toBe('Finds what I need.');
    expect(tool('one', 'search')?.description).toBe('Knows things.');
    expect(tool('one', 'action')?.description).toContain('Records an action');
    expect(tool('one', 'pods__find')?.parametersJsonSchema.properties.limit).toEqual({
      type: 'integer',
      default: 20,
      description: 'How many\nDefault: 20.',
    });
    expect(tool('one', 'search')?.parametersJsonSchema.properties.limit).toMatchObject({ default: 20 });
    const { system } = sentBy('text');
    expect(system).toContain('### pods.find\n    Finds what I need.');
    expect(system).toContain('- limit (integer, default 20): How many');
    expect(remarks).toContain('unknown tool "serch"');
    expect(remarks).toContain(
      'tools[0].description: has no effect: "pods" is a server; name one of its tools',
    );
    expect(session.status).toBe('completed');
    expect(executions.map(({ status }) => status)).not.toContain('failed');
  });

  it.runIf(IS_FULL)(
    'reach models of other providers the same way, with the temperature of the agent',
    async () => {
      const openAi = await startOpenAiServer([
        streamed(event({ role: 'assistant', content: 'It is the disk.' }), event({}, 'stop')),
      ]);
      onTestFinished(() => openAi.close());
      const own = { ...SERVER, description: 'Finds what I need.' };
      await run({
        schemas: [
          schema('other', { extra: { override_model: 'gpt', override_temperature: 0, tools: [own] } }),
        ],
        openAi,
      });
      const [asked] = openAi.asked.map(({ body }) => body as { temperature?: number; tools?: object[] });
      expect(asked?.temperature).toBe(0);
      expect(asked?.tools?.[0]).toMatchObject({
        function: {
          name: 'pods__find',
          description: 'Finds what I need.',
          parameters: { properties: { limit: { default: 20 } } },
        },
      });
    },
  );
});

it('model, temperature and iterations are those that the schema requires, before those of its stage', async () => {
  const over = { override_temperature: 0.0 };
  const { sentBy, remarks, executions, agents } = await run({
    schemas: [
      schema('required', { extra: { ...over, override_model: 'old', override_max_iterations: 7 } }),
      schema('own', { extra: { ...over, model: 'old' } }),
      schema('usual', { extra: over }),
    ],
  });
  const models = ['required', 'own', 'usual'].map((name) => [
    sentBy(name).model,
    sentBy(name).body.generationConfig.temperature,
  ]);
  expect(models).toEqual([
    ['gemini-2.5-flash', 0],
    ['gemini-2.5-flash', 0],
    ['gemini-3.8-flash', undefined],
  ]);
  expect(remarks.match(/override_temperature: is not sent to "flash"/g)).toHaveLength(1);
  const limits = executions.find(({ agentName }) => agentName === 'required')?.limits;
  expect(limits?.maxIterations).toBe(7);
  expect(agents).toHaveLength(executions.length);
});

it('the form of a structured answer is made of the properties, and optional ones can be missing', async () => {
  const properties = {
    answer: { type: 'string' },
    when: { type: 'timestamp' },
    any: { type: 'array' },
    score: { type: 'number' },
  };
  const value = { any: [1, { pod: 'web' }], answer: 'It is the disk.', when: 'nine' };
  const done = await run({
    schemas: [
      schema('form', { properties, required: ['answer', 'any'], extra: STRUCTURED }),
      schema('empty', { extra: STRUCTURED }),
      schema('reacts', {
        properties: { answer: { type: 'string' } },
        extra: { ...STRUCTURED, strategy: 'react' },
      }),
    ],
    conversations: [
      { when: 'I am form.', turns: [{ text: JSON.stringify(value) }] },
      { when: 'I am reacts.', turns: [{ text: 'Thought: So.\nFinal Answer: {"answer": "Logs."}' }] },
    ],
  });
  expect(done.sentBy('form').body.generationConfig.responseJsonSchema).toEqual({
    type: 'object',
    properties: {
      answer: { type: 'string' },
      when: { type: 'string' },
      any: { type: 'array', items: {} },
      score: { type: 'number' },
    },
    required: ['answer', 'any'],
  });
  const output = (agent: string) => {
    const event = analysisOf(done, agent);
    return event?.eventType === 'final_analysis' ? event.metadata.output : undefined;
  };
  // In the order of the schema; what is missing is null.
  expect(output('form')).toBe(
    JSON.stringify({ answer: value.answer, when: 'nine', any: value.any, score: null }),
  );
  expect(output('reacts')).toBe('{"answer":"Logs."}');
  expect(output('empty')).toBeUndefined();
  expect(done.sentBy('empty').body.generationConfig).not.toHaveProperty('responseMimeType');
  expect(done.remarks).toContain('has no effect without properties');
});

describe('a user that a model names', () => {
  const KID = { instructions: 'I am kid.', tools: [] };
  const lead = (strategy: string) => ({
    instructions: 'I am lead.',
    strategy,
    tools: ['search', 'action', 'ask_agent'],
    asks: ['kid'],
  });
  const CALLS = [
    { name: 'search', args: { query: 'LOOKUP nothing', limit: 20, user_id: 'root' } },
    { name: 'action', args: { type: 'observation', payload: { confidence: 0.9 }, user_id: 'root' } },
    { name: 'ask_agent', args: { agent_name: 'kid', input_text: 'Why?', user_id: 'root' } },
  ];

  /** The answers of an agent that makes these calls, in the form of its strategy. */
  const turnsOf = (calls: { name: string; args: object }[], strategy: string) => {
    if (strategy !== 'react') return [{ toolCalls: calls }, { text: 'It is the disk.' }];
    const texts = calls.map(
      ({ name, args }) => `Thought: x\nAction: ${name}\nAction Input: ${JSON.stringify(args)}`,
    );
    return [...texts, 'Thought: So.\nFinal Answer: It is the disk.'].map((text) => ({ text }));
  };

  it.each(['native-thinking', 'react'])('is accepted, ignored and logged with %s', async (strategy) => {
    const { timeline, warnings, session } = await run({
      agents: { lead: lead(strategy), kid: KID },
      schemas: [],
      conversations: [{ when: 'I am lead.', turns: turnsOf(CALLS, strategy) }],
    });
    const results = timeline.flatMap((event) => (event.eventType === 'tool_result' ? [event] : []));
    expect(results.map(({ metadata }) => [metadata.toolName, metadata.isError])).toEqual(
      CALLS.map(({ name }) => [name, false]),
    );
    for (const { name } of CALLS)
      expect(warnings.some((line) => line.includes(`${name}: user_id is ignored`))).toBe(true);
    expect(session.userId).toBeNull();
  });

  it.each(['native-thinking', 'react'])(
    'and every argument that is null counts as left out, with %s',
    async (strategy) => {
      const nulls = [
        { name: 'search', args: { query: 'LOOKUP nothing', limit: null, user_id: null } },
        { name: 'action', args: { type: 'trigger_save', payload: null } },
        {
          name: 'ask_agent',
          args: {
            agent_name: 'kid',
            input_text: 'Why?',
            input_data: null,
            user_id: null,
            timeout_seconds: null,
            structured_output_override: null,
          },
        },
        { name: 'search', args: { query: null } },
      ];
      const { timeline, warnings } = await run({
        agents: { lead: lead(strategy), kid: KID },
        schemas: [],
        conversations: [{ when: 'I am lead.', turns: turnsOf(nulls, strategy) }],
      });
      const results = timeline.flatMap((event) => (event.eventType === 'tool_result' ? [event] : []));
      // A ReAct agent is told of a fault without a result.
      const ran = ['search', 'action', 'ask_agent'].map((name) => [name, false]);
      expect(results.map(({ metadata }) => [metadata.toolName, metadata.isError])).toEqual(
        strategy === 'react' ? ran : [...ran, ['search', true]],
      );
      expect(timeline.map(({ content }) => content).join()).toContain('"query" is missing');
      expect(warnings.join()).not.toContain('user_id');
    },
  );

  it('are the arguments that a tool of a server is called with', async () => {
    const call = { name: 'pods.find', args: { text: 'a', user_id: 'root' } };
    const { timeline } = await run({
      agents: { reader: { instructions: 'I am reader.', tools: ['pods'] } },
      schemas: [],
      conversations: [{ when: 'I am reader.', turns: [{ toolCalls: [call] }, { text: 'Done.' }] }],
    });
    const called = timeline.find(({ eventType }) => eventType === 'llm_tool_call');
    expect(called).toMatchObject({ metadata: { arguments: expect.stringContaining('root') } });
    expect(timeline.find(({ eventType }) => eventType === 'tool_result')).toMatchObject({
      metadata: { isError: false },
    });
  });
});
