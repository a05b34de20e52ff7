// The emulators here are stand-ins in a temporary folder: what is tested is how they are started, awaited and
// stopped. test/local/ starts the real ones.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../processes/childProcess.ts';
import { acceptsConnections, answersHttp, freePorts } from '../processes/ports.ts';
import { startEmulators } from './emulators.ts';
import { EMULATOR_FACTS, EmulatorUnavailableError } from './findEmulators.ts';

const projectId = 'demo-test';
let folder = '';
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inquest-test-'));
});

afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Puts an executable into the temporary folder that runs `code` as a CommonJS module. */
function script(path: string, code: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!${process.execPath}\n${code}\n`, { mode: 0o755 });
}

/** Answers HTTP on the port after `--port=`, and notes its arguments in a file. */
const serve = (note: string) => `
  require('node:fs').writeFileSync(${JSON.stringify(join(folder, note))}, process.argv.slice(2).join(' '));
  const port = process.argv.find((argument) => argument.startsWith('--port=')).slice(7);
  require('node:http').createServer((_, response) => response.end('Ok')).listen(port, '127.0.0.1');`;

/** A machine whose gcloud SDK and Java are scripts of this test. */
function sdk(scripts: { java: string; pubsub: string }): Environment {
  script('bin/java', scripts.java);
  script(EMULATOR_FACTS.pubsub.sdkPath, scripts.pubsub);
  script(EMULATOR_FACTS.firestore.sdkPath, '');
  return { CLOUDSDK_ROOT_DIR: folder, PATH: join(folder, 'bin') };
}

/** Answers HTTP in this process, as an emulator that runs already; returns its `host:port`. */
async function serveHere(): Promise<string> {
  const created = createServer((_request, response) => response.end('Ok'));
  server = created;
  await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(created.address() as AddressInfo).port}`;
}

const portOf = (host: string) => Number(host.split(':')[1]);

describe('emulators of a gcloud SDK', () => {
  it('are started on free ports, with the rules, and stopped', async () => {
    const rulesFile = join(folder, 'my.rules');
    writeFileSync(rulesFile, 'rules');
    const env = sdk({ java: serve('firestore'), pubsub: serve('pubsub') });
    const progress: string[] = [];
    const running = await startEmulators({
      projectId,
      env,
      official: true,
      rulesFile,
      onProgress: (text) => progress.push(text),
    });
    const ports = [portOf(running.firestoreHost), portOf(running.pubsubHost)];
    try {
      expect(await Promise.all(ports.map(acceptsConnections))).toEqual([true, true]);
      expect(readFileSync(join(folder, 'firestore'), 'utf8')).toBe(
        `-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Duser.language=en -cp ${join(folder, EMULATOR_FACTS.firestore.sdkPath)} ` +
          `com.google.cloud.datastore.emulator.firestore.CloudFirestore ` +
          `start --host=127.0.0.1 --port=${ports[0]} --rules=${rulesFile}`,
      );
      expect(readFileSync(join(folder, 'pubsub'), 'utf8')).toBe(`--host=127.0.0.1 --port=${ports[1]}`);
      expect(progress).toHaveLength(2);
    } finally {
      await running.stop();
    }
    expect(await Promise.all(ports.map(acceptsConnections))).toEqual([false, false]);
  });

  it('that end during the start are reported at once, with their output', async () => {
    const java = `console.error('Unsupported class file version'); process.exit(1)`;
    const env = sdk({ java, pubsub: serve('pubsub') });
    await expect(startEmulators({ projectId, env, official: true })).rejects.toThrow(
      'the Firestore emulator ended with exit code 1 before it answered. Its last output:\n  Unsupported class file version',
    );
  });

  it('that stay silent are reported after the time limit', async () => {
    const host = await serveHere();
    const env = {
      ...sdk({ java: '', pubsub: 'setInterval(() => {}, 1000)' }),
      FIRESTORE_EMULATOR_HOST: host,
    };
    await expect(startEmulators({ projectId, env, official: true, startTimeoutMs: 100 })).rejects.toThrow(
      'the Pub/Sub emulator did not answer within 0.1 s.',
    );
  });

  it('are stopped when the start is aborted', async () => {
    const abort = new AbortController();
    const env = sdk({ java: serve('firestore'), pubsub: 'setInterval(() => {}, 1000)' });
    let port = 0;
    const starting = startEmulators({
      projectId,
      env,
      official: true,
      signal: abort.signal,
      onProgress: (text) => {
        port = Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
        abort.abort(new Error('enough'));
      },
    });
    await expect(starting).rejects.toThrow('enough');
    expect(port).toBeGreaterThan(0);
    expect(await acceptsConnections(port)).toBe(false);
  });
});

describe('emulators of firebase-tools', () => {
  it('are started with a configuration of their own, which is removed afterwards', async () => {
    const rulesFile = join(folder, 'my.rules');
    writeFileSync(rulesFile, 'the rules');
    script(
      'bin/firebase',
      `const fs = require('node:fs'), path = require('node:path'), http = require('node:http');
       const configFile = process.argv[process.argv.indexOf('--config') + 1];
       const config = JSON.parse(fs.readFileSync(configFile));
       const rules = fs.readFileSync(path.join(path.dirname(configFile), config.firestore.rules), 'utf8');
       for (const { host, port } of [config.emulators.firestore, config.emulators.pubsub])
         http.createServer((_, response) => response.end('Ok')).listen(port, host);
       const noted = { args: process.argv.slice(2), configFile, rules, ui: config.emulators.ui };
       fs.writeFileSync(${JSON.stringify(join(folder, 'noted'))}, JSON.stringify(noted));`,
    );
    const env = { PATH: join(folder, 'bin') };
    const running = await startEmulators({ projectId, env, official: true, rulesFile });
    const noted = JSON.parse(readFileSync(join(folder, 'noted'), 'utf8'));
    await running.stop();
    expect(noted.args.slice(0, 5)).toEqual([
      'emulators:start',
      '--only',
      'firestore,pubsub',
      '--project',
      projectId,
    ]);
    expect(noted).toMatchObject({ rules: 'the rules', ui: { enabled: false } });
    expect(() => readFileSync(noted.configFile)).toThrow('ENOENT');
    expect(await acceptsConnections(portOf(running.firestoreHost))).toBe(false);
  });
});

describe('emulators that run already', () => {
  it('are used and left running', async () => {
    const host = await serveHere();
    const env = { FIRESTORE_EMULATOR_HOST: host, PUBSUB_EMULATOR_HOST: host };
    const running = await startEmulators({ projectId, env, official: true });
    expect(running).toMatchObject({ firestoreHost: host, pubsubHost: host });
    await running.stop();
    expect(await answersHttp(`http://${host}/`, 60_000)).toBe(true);
  });

  it('can answer gRPC only', async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = { FIRESTORE_EMULATOR_HOST: host, PUBSUB_EMULATOR_HOST: host };
    const running = await startEmulators({ projectId, env, official: true });
    expect(running.pubsubHost).toBe(host);
    silent.close();
  });

  it('must answer', async () => {
    const [port] = await freePorts(1);
    const host = `127.0.0.1:${port}`;
    const env = { FIRESTORE_EMULATOR_HOST: host, PUBSUB_EMULATOR_HOST: host };
    const starting = startEmulators({ projectId, env, official: true });
    await expect(starting).rejects.toThrow(EmulatorUnavailableError);
    await expect(starting).rejects.toThrow(`_EMULATOR_HOST is ${host}, but nothing answers there`);
  });

  it('must be named as host:port', async () => {
    const env = { FIRESTORE_EMULATOR_HOST: 'http://localhost:8080', PUBSUB_EMULATOR_HOST: '[::1]:8085' };
    await expect(startEmulators({ projectId, env, official: true })).rejects.toThrow(
      'FIRESTORE_EMULATOR_HOST is "http://localhost:8080": expected host:port, without http://',
    );
  });
});
