import { expect, it } from 'vitest';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { RENEW_EVERY_MS } from '../../shared/core/kernel/execution/lease.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { paths } from '../../shared/lists/documents.ts';
import { callCommand } from '../support/callCommand.ts';
import { dieAt } from '../support/dieAt.ts';
import { expectNoGaps, listEventTypes } from '../support/expectations.ts';
import { agentOf, type Bench, investigate, opened } from '../support/harness.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { withRawDocument } from '../support/rawDocument.ts';

const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** `npm run cancel -- SESSION` in the project of a bench. */
const cancel = ({ projectId }: Bench, ...args: string[]) =>
  callCommand(['cancel', ...args], { GOOGLE_CLOUD_PROJECT: projectId });

it('cancel ends an investigation that waits for its next iteration, and exits with 0', async () => {
  const bench = await opened({ script: done });
  expect(await cancel(bench, bench.sessionId)).toEqual({
    code: 0,
    stdout: [`session ${bench.sessionId} is cancelled`],
    stderr: [],
  });
  const run = await bench.read(bench.sessionId);
  expect(run.session.status).toBe('cancelled');
  expect(listEventTypes(run)).toEqual(['error cancelled']);
  expectNoGaps(run);
  await bench.drain();
  expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
  expect(bench.gemini.requests).toEqual([]);
});

it('cancel ends one whose model thinks, in another process: the call is dropped at the next renewal', async () => {
  const bench = await opened({
    script: { conversations: [{ turns: [{ text: 'Too late.', firstDelayMs: 3_600_000 }] }] },
  });
  const working = bench.deliverNext();
  await expect.poll(() => bench.gemini.requests.length).toBe(1);
  const { code } = await cancel(bench, bench.sessionId);
  expect(code).toBe(0);
  const { session, versions } = await bench.read(bench.sessionId);
  expect(session.status).toBe('cancelled');
  bench.deps.clock.advance(RENEW_EVERY_MS);
  await working;
  await expect.poll(() => bench.gemini.requests[0]?.outcome.kind).toBe('abandoned');
  expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
});

it('cancel accepts the path that publishing prints, and finishes an interrupted cancellation', async () => {
  const stages = [{ name: 'look', agents: [agentOf({ name: 'logs' }), agentOf({ name: 'metrics' })] }];
  const bench = await opened({ script: done, stages });
  await dieAt(CRASH_POINTS.afterCancelRequest, bench.deps, (process) =>
    cancelSession(bench.sessionId, process),
  );
  const { code, stdout } = await cancel(bench, `sessions/${bench.sessionId}`);
  expect({ code, stdout }).toEqual({ code: 0, stdout: [`session ${bench.sessionId} is cancelled`] });
  expect((await bench.read(bench.sessionId)).session.status).toBe('cancelled');
});

it('cancel of an ended session prints how it ended, changes nothing, and exits with 0', async () => {
  const run = await investigate({ script: done });
  expect(await cancel(run, run.sessionId)).toEqual({
    code: 0,
    stdout: [`session ${run.sessionId} had ended before: completed`],
    stderr: [],
  });
  expect((await run.read(run.sessionId)).versions).toEqual(run.versions);
});

it('cancel of an unknown session names it and the project, and exits with 1', async () => {
  const bench = await opened({ script: done });
  expect(await cancel(bench, 'nobody')).toEqual({
    code: 1,
    stdout: [],
    stderr: [
      expect.stringMatching(
        /^inquest: there is no session nobody in project \S+, emulator \S+; `inquest list`/,
      ),
    ],
  });
});

it.each([
  ['nothing', ''],
  ['a path', 'a/b'],
  ['dots', '..'],
  ['a reserved name', '__x__'],
  ['2000 characters', 'x'.repeat(2_000)],
  ['a collection', 'sessions/'],
])('cancel of a text that can be no id (%s) states so, and exits with 2', async (_, id) => {
  const bench = await opened({ script: done });
  expect(await cancel(bench, id)).toEqual({
    code: 2,
    stdout: [],
    stderr: [`inquest: ${JSON.stringify(id)} is not the id of a session`],
  });
});

it('cancel of a session that cannot be read names the fault of the document, not of the id', async () => {
  const bench = await opened({ script: done });
  const path = paths.session(bench.sessionId);
  await withRawDocument(bench.projectId, path, (document) => document.update({ chain: 'none' }));
  const { code, stderr } = await cancel(bench, bench.sessionId);
  expect(code).toBe(1);
  expect(stderr).toEqual([expect.stringContaining(`${path} is not a valid session: chain: `)]);
});

it('cancel without a session is refused, with the help', async () => {
  const { code, stderr } = await callCommand(['cancel']);
  expect(code).toBe(2);
  expect(stderr.join('\n')).toMatch(
    /^Usage: inquest cancel [\s\S]*\nerror: missing required argument 'session'$/,
  );
});

it('cancel without a project or an emulator in the environment does not guess one', async () => {
  const { code, stdout, stderr } = await callCommand(['cancel', 'somebody'], {
    GOOGLE_CLOUD_PROJECT: undefined,
    ...ownEmulators,
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
  expect(stderr).toEqual([expect.stringMatching(/^inquest: no system is named: .*inquest start/)]);
});

it('cancel is among the commands that --help names', async () => {
  const { stdout } = await callCommand(['--help']);
  expect(stdout.join('\n')).toMatch(/^ +cancel {2}/m);
});
