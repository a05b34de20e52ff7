import { expect, it, onTestFinished } from 'vitest';
import { startStatelessServer } from '../../test/tools/httpServer.ts';
import { callTool, collect, done, open, read, writeScripts } from './engine.fixture.ts';
import { mcp } from './engine.ts';

const scripted = writeScripts();

it('an agent calls read-only tools of a server over HTTP, and is offered no others', async () => {
  const server = await startStatelessServer();
  onTestFinished(() => server.close());
  const agents = open();
  const docs = mcp(server.url, { name: 'docs', headers: { 'x-team': 'shop' } });
  const agent = agents.agent({
    name: 'one',
    instructions: 'Work.',
    tools: [docs],
    model: scripted(callTool('docs.echo', { word: 'hello' }), callTool('docs.huge'), done),
  });
  const run = await agents.start(agent, { input: 'Go.' });
  const events = read(await collect(agents.events(run)));
  const results = events.filter((line) => line.startsWith('tool_result'));
  expect(results[0]).toContain('hello');
  expect(results[1]).toContain('docs.huge');
  expect(results[1]?.length).toBeLessThan(500);
  expect((await agents.result(run)).status).toBe('completed');
  expect(server.requests.some(({ headers }) => headers['x-team'] === 'shop')).toBe(true);
});
