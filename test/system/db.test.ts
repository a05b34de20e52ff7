// `db`: what stands in Firestore, as the command prints it.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { GeoPoint, Timestamp } from '@google-cloud/firestore';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../../local/processes/ports.ts';
import { callCommand } from '../support/callCommand.ts';
import { runCommand, startCommand } from '../support/cli.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { investigate } from '../support/harness.ts';
import { withRawDocument } from '../support/rawDocument.ts';

const HOSTILE = 'boom \u001b[2J\u009b1A\u001b]0;title\u0007 \u202Egnp.exe';
const HIDDEN = /[\p{Cc}\p{Cf}]/u;

const newProject = () => `demo-${randomUUID().slice(0, 8)}`;

/** Writes documents as any other program would. */
async function project(documents: Record<string, Record<string, unknown>>): Promise<string> {
  const projectId = newProject();
  for (const [path, fields] of Object.entries(documents)) await store(projectId, path, fields);
  return projectId;
}

const store = (projectId: string, path: string, fields: Record<string, unknown>) =>
  withRawDocument(projectId, path, (document) => document.set(fields));

const named = (projectId: string) => ({ GOOGLE_CLOUD_PROJECT: projectId, PUBSUB_EMULATOR_HOST: undefined });

/** `inquest db …` in a project. */
const db = (projectId: string, ...args: string[]) => callCommand(['db', ...args], named(projectId));

/** What every look says first on standard error. */
const whereOf = (projectId: string) =>
  `FIRESTORE_EMULATOR_HOST=${process.env.FIRESTORE_EMULATOR_HOST}, project ${projectId}, database (default)`;

describe('db ls', () => {
  it('lists the collections of the root, the documents of a collection, the collections of a document', async () => {
    const run = await investigate({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
    const { projectId, sessionId } = run;
    expect(await db(projectId, 'ls')).toEqual({
      code: 0,
      stdout: ['alertKeys', 'knowledge', 'sessions'],
      stderr: [whereOf(projectId)],
    });
    const sessions = await db(projectId, 'ls', 'sessions');
    expect(sessions.stdout).toEqual([expect.stringMatching(`^${sessionId}  completed  \\S`)]);
    const below = await db(projectId, 'ls', `sessions/${sessionId}`);
    expect(below.stdout).toEqual(expect.arrayContaining(['executions', 'messages', 'stages', 'timeline']));
    const timeline = await db(projectId, 'ls', `sessions/${sessionId}/timeline`, '--json');
    expect(timeline.stdout.map((line) => JSON.parse(line).fields.eventType)).toContain('final_analysis');
  });

  it('lists page by page, in the order of ids', async () => {
    const projectId = await project({
      'things/a': { status: 'old', alert: { title: HOSTILE } },
      'things/b': { title: 'B' },
      'things/c': { schemaVersion: 'none of ours' },
    });
    expect(await db(projectId, 'ls', 'things', '--limit', '2')).toEqual({
      code: 0,
      stdout: ['a  old  boom �[2J�1A�]0;title� �gnp.exe', 'b  B'],
      stderr: [whereOf(projectId), 'there are more: --after b'],
    });
    expect(await db(projectId, 'ls', 'things', '--limit', '2', '--after', 'b')).toEqual({
      code: 0,
      stdout: ['c'],
      stderr: [whereOf(projectId)],
    });
  });

  it('ends in silence when its reader has seen enough', async () => {
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`things/${n}`, { content: 'x' }]));
    const projectId = await project(many);
    const command = startCommand(['db', 'watch', 'things'], named(projectId));
    command.closeStdout();
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stderr).toEqual([whereOf(projectId)]);
  });

  it('reports that there is nothing', async () => {
    const projectId = newProject();
    const nothing = { code: 0, stdout: [] };
    expect(await db(projectId, 'ls')).toEqual({
      ...nothing,
      stderr: [whereOf(projectId), 'the database is empty'],
    });
    expect(await db(projectId, 'ls', 'things')).toEqual({
      ...nothing,
      stderr: [whereOf(projectId), 'things has no documents'],
    });
    expect(await db(projectId, 'ls', 'things/a')).toEqual({
      code: 1,
      stdout: [],
      stderr: [whereOf(projectId), `inquest: there is no document things/a in project ${projectId}`],
    });
    await store(projectId, 'things/a', {});
    expect((await db(projectId, 'ls', 'things/a')).stderr.at(-1)).toBe('things/a has no collections');
  });
});

describe('db get', () => {
  it('prints the fields with their types, also of a document that no schema takes', async () => {
    const projectId = await project({
      'sessions/broken': {
        schemaVersion: 999,
        status: { nested: ['a', { b: 1.5 }] },
        at: new Timestamp(1_790_000_000, 123_456_000),
        place: new GeoPoint(1, -2),
        exact: 9_007_199_254_740_993n,
        bytes: Buffer.from('hi'),
        text: `first\n${'word '.repeat(400)}end`,
        args: '{"q":"x"}',
        nothing: null,
      },
    });
    const { code, stdout, stderr } = await db(projectId, 'get', 'sessions/broken');
    expect({ code, stderr }).toEqual({ code: 0, stderr: [whereOf(projectId)] });
    expect(stdout).toEqual([
      'sessions/broken',
      expect.stringMatching(/^updated \d{4}-[\d:T.-]+Z, created \d{4}-[\d:T.-]+Z$/),
      'args: |-',
      '  {"q":"x"}',
      'at: 2026-09-21T14:13:20.123456Z',
      'bytes: !bytes aGk=',
      'exact: 9007199254740993',
      'nothing: null',
      'place: !geopoint [1,-2]',
      'schemaVersion: 999',
      'status:',
      '  nested:',
      '    - a',
      '    - b: 1.5',
      'text: |-',
      '  first',
      `  ${'word '.repeat(400)}end`,
    ]);
  });

  it('prints stored values as text only; as JSON nothing is lost', async () => {
    const fields = { status: 'ok', map: { [HOSTILE]: [HOSTILE] } };
    const projectId = await project({ [`things/${HOSTILE}`]: fields });
    const path = `things/${HOSTILE}`;
    const outputs = [
      await db(projectId, 'ls', 'things'),
      await db(projectId, 'get', path),
      await db(projectId, 'get', path, '--json'),
      await db(projectId, 'get', `${path}x`),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 1]);
    const lines = outputs.flatMap(({ stdout, stderr }) => [...stdout, ...stderr]);
    expect(lines.filter((line) => HIDDEN.test(line))).toEqual([]);
    expect(JSON.parse(outputs[2]?.stdout.join('') ?? '')).toMatchObject({ path, fields });
  });

  it('colours on request, never into a pipe', async () => {
    const projectId = await project({ 'things/a': { status: 'ok' } });
    expect((await db(projectId, 'get', 'things/a')).stdout.join()).not.toContain('\u001b');
    const colored = await runCommand(['db', 'ls', 'things'], { ...named(projectId), FORCE_COLOR: '1' });
    expect(colored.stdout).toEqual(['\u001b[36ma\u001b[39m  ok']);
  });

  it('exits with 1 when there is no such document', async () => {
    const projectId = newProject();
    expect(await db(projectId, 'get', 'sessions/none')).toEqual({
      code: 1,
      stdout: [],
      stderr: [whereOf(projectId), `inquest: there is no document sessions/none in project ${projectId}`],
    });
  });
});

describe('db watch', () => {
  it('prints the documents of a collection, then each change, until Ctrl-C', async () => {
    const projectId = await project({ 'things/a': { status: HOSTILE } });
    const command = startCommand(['db', 'watch', 'things', '--json'], named(projectId));
    await command.line(/"added","path":"things\/a"/);
    await store(projectId, 'things/b', { n: 1 });
    await command.line(/"added","path":"things\/b"/);
    await store(projectId, 'things/a', { n: 2 });
    await command.line(/"modified","path":"things\/a"/);
    await withRawDocument(projectId, 'things/b', (document) => document.delete());
    await command.line(/"removed","path":"things\/b"/);
    command.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 130, signal: null });
    expect(command.stdout.map((line) => JSON.parse(line))).toMatchObject([
      { change: 'added', path: 'things/a', fields: { status: HOSTILE } },
      { change: 'added', path: 'things/b', fields: { n: 1 } },
      { change: 'modified', path: 'things/a', fields: { n: 2 } },
      { change: 'removed', path: 'things/b' },
    ]);
    expect(command.stderr).toEqual([whereOf(projectId)]);
  });

  it('waits for a document that is not there yet', async () => {
    const projectId = newProject();
    const command = startCommand(['db', 'watch', 'things/a'], named(projectId));
    await command.line(/^document things\/a is not there yet; waiting for it$/);
    await store(projectId, 'things/a', { n: 1 });
    await command.line(/^n: 1$/);
    await store(projectId, 'things/a', { n: 2 });
    await command.line(/^n: 2$/);
    await withRawDocument(projectId, 'things/a', (document) => document.delete());
    await command.line(/^removed things\/a$/);
    await store(projectId, 'things/a', { n: 3 });
    await command.line(/^n: 3$/);
    command.kill('SIGTERM');
    expect((await command.ended).code).toBe(143);
    const heads = command.stdout.filter((line) => /^[a-z]+ things\/a$/.test(line));
    expect(heads).toEqual(['added', 'modified', 'removed', 'added'].map((change) => `${change} things/a`));
  });
});

describe('db that cannot look', () => {
  it.each([
    [['get', 'sessions'], /^inquest: PATH "sessions" leads to a collection: give a document, sessions\/ID, /],
    [['ls', 'a//b'], /^inquest: PATH "a\/\/b": segment 2 is empty; expected /],
    [['watch', '..'], /^inquest: PATH "\.\.": segment 1 is a dot or two; expected /],
    [
      ['ls', 'a', '--limit', '0'],
      /^Usage: inquest db ls .*\n[\s\S]*\nerror: option '--limit <number>' argument '0' is invalid\. It is a number /,
    ],
    [['get'], /^Usage: inquest db get .*\n[\s\S]*\nerror: missing required argument 'path'$/],
    [['nosuch'], /^Usage: inquest db .*\n[\s\S]*\nerror: unknown command 'nosuch'$/],
    [[], /^Usage: inquest db /],
  ])('%j is called wrongly', async (args, message) => {
    const { code, stdout, stderr } = await db('demo-wrong', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr.join('\n')).toMatch(message);
  });

  it('does not guess a database', async () => {
    const nothing = { GOOGLE_CLOUD_PROJECT: undefined, FIRESTORE_EMULATOR_HOST: undefined };
    expect(await callCommand(['db', 'ls'], nothing)).toEqual({
      code: 2,
      stdout: [],
      stderr: [expect.stringMatching(/^inquest: no database is named: set the variables /)],
    });
    const { code, stderr } = await callCommand(['db', 'ls'], { FIRESTORE_EMULATOR_HOST: 'http://x' });
    expect(code).toBe(2);
    expect(stderr).toEqual([
      'inquest: FIRESTORE_EMULATOR_HOST is "http://x": expected host:port, without http://',
    ]);
  });

  it('reports at once that nothing answers there', async () => {
    const host = `127.0.0.1:${(await freePorts(1))[0]}`;
    const { code, stdout, stderr } = await callCommand(['db', 'ls'], { FIRESTORE_EMULATOR_HOST: host });
    expect({ code, stdout }).toEqual({ code: 1, stdout: [] });
    expect(stderr.slice(1)).toEqual([
      `inquest: nothing answers at ${host} (FIRESTORE_EMULATOR_HOST): run \`inquest start\`, and set the variables that it prints`,
    ]);
  });

  // Both wait for ten seconds.
  const startSilently = async (...args: string[]) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    return startCommand(['db', ...args], { FIRESTORE_EMULATOR_HOST: host });
  };

  it('get gives up on a server that takes connections and never answers', async () => {
    const command = await startSilently('get', 'sessions/a');
    expect((await command.ended).code).toBe(1);
    expect(command.stderr.slice(1)).toEqual(['inquest: reading sessions/a: no answer within 10000 ms']);
  });

  it.runIf(IS_LONG)(
    'watch waits for a server that never answers, reports that, and ends with Ctrl-C',
    async () => {
      const command = await startSilently('watch', 'sessions');
      await command.line(/^watching sessions: no answer yet; still waiting$/);
      command.kill('SIGINT');
      expect((await command.ended).code).toBe(130);
    },
  );
});

describe('trace', () => {
  it('prints the spans of a session as a tree, or as JSON with their ids, and refuses an unknown session', async () => {
    const { projectId, sessionId } = await investigate({
      script: { conversations: [{ turns: [{ failures: [{ status: 503 }], text: 'Done.' }] }] },
    });
    const trace = (...args: string[]) => callCommand(['trace', ...args], named(projectId));
    const { code, stdout } = await trace(sessionId);
    expect(code).toBe(0);
    expect(stdout.map((line) => line.split(/ {2,}(?=\+)/)[0])).toEqual([
      expect.stringMatching(/^SPAN +START +TIME +TOKENS +COST +DETAILS$/),
      expect.stringMatching('^invoke_workflow '),
      expect.stringMatching('^  stage '),
      expect.stringMatching('^    invoke_agent '),
      expect.stringMatching('^      generate_content '),
      expect.stringMatching('^      generate_content '),
    ]);
    expect(stdout[4]).toMatch(/attempt 1, failed: \S/);
    expect(stdout[5]).toMatch(/\+\S+ s +\S+ s +\d+ > \d+ .*attempt 2$/);
    const spans = (await trace(sessionId, '--json')).stdout.map((line) => JSON.parse(line));
    expect(spans).toHaveLength(5);
    for (const span of spans)
      expect(span).toMatchObject({ sessionId, traceId: expect.stringMatching(/^\w{32}$/) });
    expect(await trace('nobody')).toMatchObject({
      code: 1,
      stderr: [expect.stringContaining('there is no session nobody in ')],
    });
    expect(await trace('a/b')).toMatchObject({
      code: 2,
      stderr: [expect.stringContaining('"a/b" is not the id of a session')],
    });
  });
});
