// `agents show NAME --tools` beside what stand-ins of the providers are sent in an investigation.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, loadSessionConfig } from '../../../shared/config/load.ts';
import { event, startOpenAiServer, streamed } from '../../../shared/llm/langchain/openAiServer.fixture.ts';
import { callCommand } from '../../support/callCommand.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { startBench } from '../../support/harness.ts';
import { ownConfig } from '../../support/ownConfig.ts';
import { startListedServer } from '../../tools/httpServer.ts';

const FIND = {
  name: 'find',
  description: 'Finds pods: ünïcödé, "quotes".',
  inputSchema: {
    type: 'object' as const,
    properties: { text: { type: 'string' }, limit: { type: 'integer', default: 20, maximum: 2 ** 53 } },
    required: ['text'],
  },
  annotations: { readOnlyHint: true },
};
const GPT = { gpt: { provider: 'openai', model: 'gpt-4.1' } };

/** A configuration with a server of one tool, an agent for each provider, and one without bound tools. */
async function configure() {
  const server = await startListedServer(() => [FIND]);
  onTestFinished(() => server.close());
  const pods = { transport: 'http' as const, url: server.url, trustHints: true };
  const folder = ownConfig({
    servers: { pods, gone: { transport: 'http', url: 'http://127.0.0.1:9/mcp', connectTimeout: '1s' } },
    fallback: GPT,
  });
  const agent = (settings: object) => ({ instructions: 'Look.', tools: ['pods', 'search'], ...settings });
  const agents = {
    looker: agent({ asks: ['text'], tools: ['pods', 'search', 'ask_agent'] }),
    other: agent({ model: 'gpt' }),
    text: agent({ strategy: 'react' }),
    half: agent({ tools: ['gone', 'pods'] }),
  };
  writeFileSync(path.join(folder, 'agents.yaml'), stringify({ agents }));
  const chains = { look: { stages: [{ name: 'look', agents: ['looker', 'other'] }] } };
  writeFileSync(path.join(folder, 'chains.yaml'), stringify({ default: 'look', chains }));
  const show = async (name: string, ...args: string[]) => {
    const none = { GOOGLE_CLOUD_PROJECT: undefined, FIRESTORE_EMULATOR_HOST: undefined };
    const env = { ...none, INQUEST_CONFIG: folder, NO_COLOR: '1' };
    return await callCommand(['agents', 'show', name, '--tools', ...args], env);
  };
  return { folder, pods, show };
}

const readShown = ({ stdout: [line = ''] }: { stdout: string[] }) =>
  JSON.parse(line) as { declared: { provider: string; sent: object; fault: string | null }[] };

it('the tools that a command shows are those that Gemini is sent', async () => {
  const { folder, pods, show } = await configure();
  const openAi = await startOpenAiServer([
    streamed(event({ role: 'assistant', content: 'It is the disk.' }), event({}, 'stop')),
  ]);
  onTestFinished(() => openAi.close());
  const config = loadSessionConfig(folder);
  const bench = await startBench({
    inMemory: true,
    readConfig: () => config,
    servers: { pods },
    script: { conversations: [{ turns: [{ text: 'It is the disk.' }] }] },
    openAiUrl: openAi.baseUrl,
  });
  bench.deps.agents = loadConfig(folder, {}).askable;
  await bench.publishAlert();
  await bench.drain();

  const shown = readShown(await show('looker', '--json'));
  const sent = bench.gemini.requests[0]?.body as { tools: unknown };
  expect(JSON.stringify(sent.tools)).toMatch(/pods__find.*"search".*ask_agent|ask_agent.*pods__find/);
  expect(shown.declared[0]).toMatchObject({ provider: 'google', fault: null, sent: { tools: sent.tools } });
  const whole = await show('looker');
  expect(whole).toMatchObject({ stderr: expect.arrayContaining(['as in the chain look']) });
  expect(whole.stdout.slice(0, 3)).toEqual(['google (gemini-3.8-flash):', '{', '  "tools": [']);
  if (!IS_FULL) return;
  const ofOther = readShown(await show('other', '--json'));
  const asked = openAi.asked[0]?.body as { tools: unknown };
  expect(ofOther.declared[0]).toMatchObject({
    provider: 'openai',
    fault: null,
    sent: { tools: asked.tools },
  });
});

it('an agent whose tools are text is shown with its system prompt', async () => {
  const { show } = await configure();
  const { code, stdout } = await show('text');
  expect(code).toBe(0);
  expect(stdout.join('\n')).toMatch(/no tools are bound[\s\S]*### pods\.find\n {4}Finds pods/);
});

it('a server that does not answer is named, and the tools of others are shown', async () => {
  const { show } = await configure();
  const { code, stdout, stderr } = await show('half');
  expect(code).toBe(1);
  expect(stderr.join('\n')).toContain('the tools of gone are missing: ');
  expect(stdout.join('\n')).toContain('"name": "pods__find"');
});

it('an unknown agent is refused with the known names, and --prompt beside --tools', async () => {
  const { show } = await configure();
  const { code, stderr } = await show('loker');
  expect({ code, text: stderr.join('\n') }).toMatchObject({
    code: 2,
    text: expect.stringContaining('looker'),
  });
  expect(await show('looker', '--prompt')).toMatchObject({ code: 2 });
});
