import { expect, it, onTestFinished, vi } from 'vitest';
import { durable, inProcess, langchain, memory, tool, z } from '../../shared/engine/engine.ts';
import {
  answered,
  event,
  startOpenAiServer,
  streamed,
} from '../../shared/llm/langchain/openAiServer.fixture.ts';
import { createLogger } from '../../shared/log.ts';

it('an agent of an engine calls its tools with a model of OpenAI, through LangChain', async () => {
  const call = {
    index: 0,
    id: 'c1',
    type: 'function',
    function: { name: 'code__look', arguments: '{"n":17}' },
  };
  const server = await startOpenAiServer([
    streamed(event({ role: 'assistant', tool_calls: [call] }), event({}, 'tool_calls')),
    answered('Order 17 is late.'),
  ]);
  vi.stubEnv('OPENAI_BASE_URL', server.baseUrl);
  vi.stubEnv('OPENAI_API_KEY', 'sk-none');
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const agents = durable({ store: memory(), queue: inProcess({ pauseMs: 1 }), log });
  onTestFinished(async () => {
    await agents.close();
    server.close();
    vi.unstubAllEnvs();
  });
  const look = tool({
    name: 'look',
    version: '1',
    input: z.object({ n: z.int() }),
    run: ({ n }) => `${n}: late`,
  });
  const model = langchain('openai/gpt-5', { temperature: 0.2 });
  const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [look], model });
  const run = await agents.start(agent, { input: 'Where is order 17?' });
  expect(await agents.result(run)).toMatchObject({ status: 'completed', text: 'Order 17 is late.' });
  const [first, second] = server.asked.map(({ body }) => body);
  expect(first).toMatchObject({ model: 'gpt-5', temperature: 0.2 });
  expect(JSON.stringify(second)).toContain('17: late');
});
