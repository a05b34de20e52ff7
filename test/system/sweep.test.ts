import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startFunctions } from '../../local/functions/functionsServer.ts';
import { freePorts } from '../../local/processes/ports.ts';
import { paths } from '../../shared/lists/documents.ts';
import { type Bench, opened } from '../support/harness.ts';
import { withRawDocument } from '../support/rawDocument.ts';

const source = fileURLToPath(new URL('../../functions/sweep.ts', import.meta.url));
const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** The function `sweep` as it is deployed, on the database of a bench. */
async function startSweep({ projectId }: Bench) {
  const [port = 0] = await freePorts(1);
  const lines: string[] = [];
  const running = await startFunctions({
    functions: [{ name: 'sweep', source, port }],
    // Neither a model's key nor a configuration: it needs none.
    env: { ...process.env, GOOGLE_CLOUD_PROJECT: projectId, INQUEST_CONFIG: '/nosuch' },
    onLine: (_, line) => lines.push(line),
  });
  onTestFinished(() => running.stop());
  return { endpoint: `http://127.0.0.1:${port}`, lines };
}

it('the function sweep answers a POST with its report', async () => {
  const bench = await opened({ script: done, deadlineMs: 1 });
  const { endpoint, lines } = await startSweep(bench);
  const tick = await fetch(endpoint, { method: 'POST' });
  expect(tick.status).toBe(200);
  expect(tick.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await tick.json()).toEqual({
    paused: false,
    listed: true,
    sessions: 1,
    republished: 0,
    settled: 0,
    ended: 1,
    advanced: 0,
    failed: 0,
    failures: [],
  });
  const { session, versions } = await bench.read(bench.sessionId);
  expect(session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });

  const again = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await again.json()).toEqual({
    paused: false,
    listed: false,
    sessions: 0,
    republished: 0,
    settled: 0,
    ended: 0,
    advanced: 0,
    failed: 0,
    failures: [],
  });
  expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
  // Its lines come through a pipe, after its answer.
  await expect.poll(() => lines.filter((line) => line.includes('"swept"'))).toHaveLength(2);
});

it('the function sweep does nothing for any other method', async () => {
  const bench = await opened({ script: done, deadlineMs: 1 });
  const { versions } = await bench.read(bench.sessionId);
  const { endpoint } = await startSweep(bench);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const response = await fetch(endpoint, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toEqual({ error: expect.stringMatching(/^POST only/) });
  }
  expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
});

it('the function sweep answers 500 with its report when a session could not be repaired', async () => {
  const bench = await opened({ script: done, deadlineMs: 1 });
  const broken = await bench.publishAlert();
  await bench.drain();
  await withRawDocument(bench.projectId, paths.session(broken), (document) =>
    document.update({ chain: 'none', status: 'in_progress' }),
  );
  const { endpoint } = await startSweep(bench);
  const tick = await fetch(endpoint, { method: 'POST' });
  expect(tick.status).toBe(500);
  expect(await tick.json()).toMatchObject({
    sessions: 1,
    failed: 1,
    failures: [
      {
        sessionId: broken,
        code: 'DOCUMENT_INVALID',
        message: expect.stringContaining(paths.session(broken)),
      },
    ],
  });
});
