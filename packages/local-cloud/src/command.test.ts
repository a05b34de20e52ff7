import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startLocalCloud } from './index.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/local-cloud.js', import.meta.url));

function startCommand(...args: string[]) {
  const command = spawn(process.execPath, [LAUNCHER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void command.kill('SIGKILL'));
  return command;
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-cloud-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'cloud.db');
}

/** Starts the command, and reads the variables that it prints. */
async function serve(...args: string[]) {
  const command = startCommand(...args);
  const variables: Record<string, string> = {};
  for await (const line of createInterface(command.stdout)) {
    const [, name = '', value = ''] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    variables[name] = value;
    if (name === 'GOOGLE_CLOUD_PROJECT') break;
  }
  const {
    FIRESTORE_EMULATOR_HOST: firestore,
    PUBSUB_EMULATOR_HOST: pubsub,
    GOOGLE_CLOUD_PROJECT: project,
  } = variables;
  return {
    command,
    documents: `http://${firestore}/v1/projects/${project}/databases/(default)/documents`,
    topics: `http://${pubsub}/v1/projects/${project}/topics`,
  };
}

it('prints the variables of its addresses, keeps a file beyond Ctrl-C, and has limits when asked', async () => {
  const data = temporaryFile();
  const first = await serve('--port', '0', '--data', data);
  const body = JSON.stringify({ fields: { greeting: { stringValue: 'hello' } } });
  const headers = { 'content-type': 'application/json' };
  const write = await fetch(`${first.documents}/try?documentId=one`, { method: 'POST', headers, body });
  expect(write.status).toBe(200);
  expect((await fetch(`${first.topics}/alerts`, { method: 'PUT', headers, body: '{}' })).status).toBe(200);
  const limits = (documents: string) => fetch(new URL('/limits', documents));
  expect((await limits(first.documents)).status).toBe(404);
  first.command.kill('SIGINT');
  expect(await once(first.command, 'exit')).toEqual([0, null]);

  const second = await serve('--port', '0', '--data', data, '--limits');
  expect(await (await limits(second.documents)).json()).toMatchObject({
    writesPerSecond: 1,
    documents: { exceeded: [], hottest: [] },
  });
  expect(await (await fetch(`${second.documents}/try/one`)).json()).toMatchObject({
    fields: JSON.parse(body).fields,
  });
  expect((await fetch(`${second.topics}/alerts`)).status).toBe(200);
});

it.each([
  ['--port 70000', 2, 'must be a number from 0 to 65534'],
  ['--limits=0', 2, 'must be a number above 0'],
  ['--fresh', 2, '--fresh needs --data'],
  ['--indexes /nowhere/indexes.json', 1, '/nowhere/indexes.json cannot be read'],
])('refuses %s', async (args, code, message) => {
  const command = startCommand(...args.split(' '));
  expect(await text(command.stderr)).toContain(message);
  expect(command.exitCode ?? (await once(command, 'exit'))[0]).toBe(code);
});

it('names a port that is in use, and serves nothing then', async () => {
  const running = await startLocalCloud();
  onTestFinished(() => running.stop());
  const port = Number(running.firestore?.split(':')[1]);
  const command = startCommand('--port', `${port}`);
  expect(await text(command.stderr)).toContain(`port ${port} is in use: choose another one with --port`);
  await expect(startLocalCloud({ ports: { firestore: 0, pubsub: port } })).rejects.toThrow('EADDRINUSE');
});

it.each([
  [false, 'http://127.0.0.1:9/push'],
  [true, ''],
])(
  'a stored subscription after a restart that forgets endpoints (%s) has the endpoint "%s"',
  async (forgetEndpoints, expected) => {
    const file = temporaryFile();
    const headers = { 'content-type': 'application/json' };
    const put = (host: string | undefined, path: string, body: object) =>
      fetch(`http://${host}/v1/projects/p/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
    const first = await startLocalCloud({ file });
    await put(first.pubsub, 'topics/top', {});
    const pushConfig = { pushEndpoint: 'http://127.0.0.1:9/push' };
    const subscription = { topic: 'projects/p/topics/top', pushConfig };
    expect((await put(first.pubsub, 'subscriptions/sub', subscription)).status).toBe(200);
    await first.stop();
    const second = await startLocalCloud({ file, forgetEndpoints });
    onTestFinished(() => second.stop());
    const answer = await fetch(`http://${second.pubsub}/v1/projects/p/subscriptions/sub`);
    const stored = (await answer.json()) as { pushConfig?: { pushEndpoint?: string } };
    expect(stored.pushConfig?.pushEndpoint ?? '').toBe(expected);
  },
);
