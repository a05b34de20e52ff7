// What `publish` says when nothing answers, nothing takes the alert, or there is no alert to send.

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PubSub } from '@google-cloud/pubsub';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmulators } from '../../local/emulators/emulators.ts';
import { findExample } from '../../local/examples.ts';
import { freePorts } from '../../local/processes/ports.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { callCommand } from '../support/callCommand.ts';
import { runCommand, startCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';

const { alertFile } = findExample('crashloop');

/** A file with an alert; returns its path. */
function fileWith(content: string | Uint8Array): string {
  const file = join(temporaryFolder(), 'alert.json');
  writeFileSync(file, content);
  return file;
}

/** A project whose topic `alerts` has these subscriptions: push, or, undefined, pull. */
async function projectWith(...endpoints: (string | undefined)[]): Promise<string> {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  const [topic] = await pubsub.createTopic(TOPICS.alerts);
  for (const [index, pushEndpoint] of endpoints.entries()) {
    await topic.createSubscription(
      `taker-${index}`,
      pushEndpoint === undefined ? {} : { pushConfig: { pushEndpoint } },
    );
  }
  await pubsub.close();
  return projectId;
}

const closedUrl = async () => `http://127.0.0.1:${(await freePorts(1))[0]}`;

describe('publish is called wrongly (exit code 2, nothing published)', () => {
  it.each<[string, () => string, RegExp]>([
    [
      'a file that is not there',
      () => 'nosuch.json',
      /^inquest: nosuch\.json cannot be read: there is no such file$/,
    ],
    ['a folder', temporaryFolder, /^inquest: \S+ cannot be read: it is a folder$/],
    ['an empty file', () => fileWith(''), /^inquest: ALERT_EMPTY: .*Nothing was published\.$/],
    [
      'no alert',
      () => fileWith('[]'),
      /^inquest: ALERT_INVALID: .*a list without an alert.*Nothing was published\.$/,
    ],
    [
      'more than an alert may have',
      () => fileWith('x'.repeat(1_048_577)),
      /^inquest: ALERT_TOO_LARGE: the alert has 1048577 bytes; at most 1048576 .*Nothing was published\.$/,
    ],
    [
      'more than Pub/Sub takes',
      () => fileWith(Buffer.alloc(10_000_001, 'x')),
      /^inquest: \S+ has 10000001 bytes; a message of Pub\/Sub holds at most 10000000\. Nothing was published\.$/,
    ],
  ])('%s', async (_, file, said) => {
    const { code, stdout, stderr } = await callCommand(['publish', file()], {
      GOOGLE_CLOUD_PROJECT: await projectWith(undefined),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr).toEqual([expect.stringMatching(said)]);
  });

  it('an empty standard input', async () => {
    const { code, stderr } = await runCommand(['publish', '-'], {}, '');
    expect(code).toBe(2);
    expect(stderr).toEqual([expect.stringMatching(/^inquest: ALERT_EMPTY: .*\(standard input\)/)]);
  });

  it('an emulator that is not named as host:port', async () => {
    const { code, stderr } = await callCommand(['publish', alertFile], {
      PUBSUB_EMULATOR_HOST: 'http://127.0.0.1:1',
    });
    expect(code).toBe(2);
    expect(stderr).toEqual([
      'inquest: PUBSUB_EMULATOR_HOST is "http://127.0.0.1:1": expected host:port, without http://',
    ]);
  });

  it('an environment that names no system', async () => {
    const { code, stderr } = await callCommand(['publish', alertFile], {
      GOOGLE_CLOUD_PROJECT: undefined,
      ...ownEmulators,
    });
    expect(code).toBe(2);
    expect(stderr).toEqual([expect.stringMatching(/^inquest: no system is named: set the variables/)]);
  });
});

describe('publish to a system without functions prints a remedy, and publishes nothing', () => {
  const refused = async (env: Record<string, string>, said: RegExp) => {
    const { code, stdout, stderr } = await callCommand(['publish', alertFile], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: [] });
    expect(stderr).toEqual([expect.stringMatching(said)]);
    expect(stderr[0]).toMatch(/run `inquest start`, .*Nothing was published\.$/);
  };

  it.each(['PUBSUB_EMULATOR_HOST', 'FIRESTORE_EMULATOR_HOST'])(
    '%s names a place where nothing answers',
    async (name) => {
      const host = (await closedUrl()).slice('http://'.length);
      await refused({ [name]: host }, new RegExp(`^inquest: nothing answers at ${host} \\(${name}\\): `));
    },
  );

  it('there is no topic', async () => {
    await refused(
      { GOOGLE_CLOUD_PROJECT: 'demo-empty' },
      /^inquest: project demo-empty has no topic alerts: /,
    );
  });

  it('the topic has no subscription', async () => {
    const project = await projectWith();
    await refused(
      { GOOGLE_CLOUD_PROJECT: project },
      /^inquest: the topic alerts of project \S+ has no subscription/,
    );
  });

  it('its subscription pushes to where nothing answers', async () => {
    const endpoint = await closedUrl();
    await refused(
      { GOOGLE_CLOUD_PROJECT: await projectWith(endpoint) },
      new RegExp(`^inquest: the alerts of project \\S+ are pushed to ${endpoint}, where nothing answers: `),
    );
  });
});

/** A function that refuses every message. */
async function refusingEndpoint(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('publish reports that no subscription takes the message, and waits on,', () => {
  it.each<[string, () => Promise<string | undefined>]>([
    ['when a function fails', refusingEndpoint],
    ['when nobody pulls', async () => undefined],
  ])('%s', async (_, endpoint) => {
    const command = startCommand(['publish', alertFile], {
      GOOGLE_CLOUD_PROJECT: await projectWith(await endpoint()),
    });
    await command.line(/^published, but not ingested within 5 s: see the log of ingestAlert/);
    command.kill('SIGINT');
    expect((await command.ended).code).toBe(130);
  });
});

it('publish --no-follow ends as soon as the alert is published', async () => {
  const { code, stdout, stderr } = await callCommand(['publish', '--no-follow', alertFile], {
    GOOGLE_CLOUD_PROJECT: await projectWith(undefined),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: [] });
  expect(stderr.at(-1)).toMatch(/^published message /);
});

it('publish notices that an emulator dies while it follows', async () => {
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: undefined };
  const emulators = await startEmulators({ projectId: 'demo-dies', env });
  onTestFinished(() => emulators.stop());
  const command = startCommand(['publish', alertFile], {
    GOOGLE_CLOUD_PROJECT: await projectWith(undefined),
    FIRESTORE_EMULATOR_HOST: emulators.firestoreHost,
  });
  await command.line(/^published message /);
  await emulators.stop();
  expect((await command.ended).code).toBe(1);
  expect(command.stderr.at(-1)).toBe(
    `inquest: the Firestore emulator at ${emulators.firestoreHost} does not answer any more; nothing works without it`,
  );
});
