// The agent of a fork as a file: which one continues, on the command line and through the API, and what is
// refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import type { sessionType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { ownConfig, temporaryFolder } from '../../support/ownConfig.ts';
import { serveApi } from '../../support/serveApi.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

/** Any document, as it is stored. */
const anyType = rawDocumentType as never as typeof sessionType;
const NEW = 'You doubt every disk.';
const AT = '01-looker.1';

/** An agent as `agents/NAME.yaml`. */
const agentFile = (extra: object = {}, instructions = NEW): string =>
  stringify({ type: 'object', description: instructions, json_schema_extra: { name: 'new', ...extra } });

/** An ended session with a configuration of files, and its API on a port. */
async function start() {
  const file = join(temporaryFolder(), 'journal');
  writeFileSync(file, '');
  const journal = await startJournalServer(file);
  onTestFinished(() => journal.close());
  const servers = { journal: { transport: 'http', url: journal.url } };
  const folder = ownConfig({
    servers,
    tools: ['journal'],
    fallback: { other: { provider: 'google', model: 'gemini-9-other' } },
  });
  const config = loadSessionConfig(folder);
  const api = await startApiBench({
    readConfig: () => config,
    servers,
    script: {
      conversations: [
        { name: 'new', when: NEW, turns: [{ text: 'It was no disk.' }] },
        {
          name: 'looker',
          turns: [{ toolCalls: [{ name: 'journal.look', args: { at: 1 } }] }, { text: 'It was the disk.' }],
        },
      ],
    },
  } as never);
  const sessionId = await api.investigate({ title: 'Disk full', severity: 'critical' });
  const post = (body: object, headers: Record<string, string> = {}) =>
    api.ask(`/v1/sessions/${sessionId}/forks`, { body: { at: AT, ...body }, headers });
  return { ...api, sessionId, post, folder };
}

/** The agent of a fork that has ended, and what its model was asked first. */
async function readForked({ read, gemini, drain }: Awaited<ReturnType<typeof start>>, id: string) {
  await drain();
  const { session, agents, executions } = await read(id);
  const system = gemini.requests.map((one) => JSON.stringify(one)).filter((one) => one.includes(NEW));
  return {
    session,
    agent: agents.find(({ agent }) => agent.name === 'looker')?.agent,
    executions,
    requests: system,
  };
}

it('continues with the instructions, the model and the tools of the file, in its place', async () => {
  const bench = await start();
  const { body, status } = await bench.post({ agent: agentFile({ override_model: 'other', tools: [] }) });
  expect(status).toBe(202);
  const { session, agent, executions, requests } = await readForked(bench, body.sessionId);
  expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'It was no disk.' });
  expect(executions.map(({ executionId }) => executionId)).toContain('01-looker');
  expect(agent).toMatchObject({ name: 'looker', instructions: NEW, tools: [] });
  expect(agent?.model.model).toBe('gemini-9-other');
  expect(requests).toHaveLength(1);
  // The alert stands where it stood, and the old instructions are gone.
  expect(requests[0]).toContain('Disk full');
  expect(requests[0]).not.toContain('Look.');
});

it('continues with the file of the command line', async () => {
  const bench = await start();
  const { url } = await serveApi(bench);
  const file = join(temporaryFolder(), 'new.yaml');
  const call = (...args: string[]) =>
    callCommand(['fork', bench.sessionId, '--at', AT, '--agent', file, '--no-follow', '--json', ...args], {
      INQUEST_URL: url,
      NO_COLOR: '1',
    });
  writeFileSync(file, agentFile());
  const { code, stdout, stderr } = await call();
  expect({ code, stderr }).toEqual({ code: 0, stderr: [expect.stringContaining('a fork of')] });
  const opened = JSON.parse(stdout[0] ?? '');
  const { session, agent } = await readForked(bench, opened.sessionId);
  expect(session.finalAnalysis).toBe('It was no disk.');
  expect(agent).toMatchObject({ name: 'looker', instructions: NEW });
  writeFileSync(file, agentFile({ override_model: 'gpt' }));
  const refused = await call();
  expect(refused).toMatchObject({ code: 2, stdout: [] });
  expect(refused.stderr.join()).toContain('unknown model "gpt"');
});

it('refuses files whose servers and models are not configured, that are too large, and sessions of another tenant', async () => {
  const { post, deps, sessionId } = await start();
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  for (const [agent, text] of [
    [agentFile({ tools: ['nosuch.find'] }), 'must be a mapping'],
    [agentFile({ override_model: 'gpt' }), 'unknown model'],
    [agentFile({}, 'x'.repeat(150_001)), 'body.agent'],
    ['a: &a [x, *a]', 'body.agent'],
    ['{', 'body.agent'],
    ['- 1', 'body.agent'],
  ])
    expect(await post({ agent })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID', detail: expect.stringContaining(text ?? '') },
    });
  const other = await post({ agent: agentFile() }, { 'x-tenant-id': 'acme' });
  expect(other).toMatchObject({ status: 404, body: { code: 'SESSION_UNKNOWN' } });
  // Nothing was opened for any of them.
  const opened = await deps.store.list({ collection: 'sessions' }, anyType);
  expect(opened.map(({ id }) => id)).toEqual([sessionId]);
  const { body } = await post({ agent: agentFile({}, `${NEW} The token is ${secret}.`) });
  const sessions = JSON.stringify(await deps.store.get(`sessions/${body.sessionId}`, anyType));
  expect(sessions).toContain(NEW);
  expect(sessions).not.toContain(secret);
});

it('goes without tools of servers that are not configured', async () => {
  const bench = await start();
  const tools = [
    { name: 'find', server: 'nosuch' },
    { name: 'look', server: 'journal' },
  ];
  const { body, status } = await bench.post({ agent: agentFile({ tools }), tools: 'live' });
  expect(status).toBe(202);
  const { session, agent } = await readForked(bench, body.sessionId);
  expect(session.status).toBe('completed');
  expect(agent?.tools).toContain('journal.look');
  expect(agent?.tools).not.toContain('nosuch.find');
});
