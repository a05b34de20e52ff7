// Commands in the environment of a system that runs.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PubSub } from '@google-cloud/pubsub';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { callCommand } from '../support/callCommand.ts';
import { runCommand } from '../support/cli.ts';

const example = findExample('crashloop');
const projectId = `demo-${randomUUID().slice(0, 8)}`;
let gemini: ScriptedModel;
let system: RunningSystem;

beforeAll(async () => {
  gemini = await startScriptedModel({ script: example.scriptFile });
  system = await startSystem({
    projectId,
    env: {
      INQUEST_CONFIG: example.configFolder,
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
    },
  });
});

afterAll(async () => {
  await system?.stop();
  await gemini?.stop();
});

/** Names and push endpoints of all subscriptions of a project, and its topics. */
async function stateOf(project: string) {
  const pubsub = new PubSub({
    projectId: project,
    apiEndpoint: system.endpoints.pubsub,
    emulatorMode: true,
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  const [subscriptions] = await pubsub.getSubscriptions();
  const [topics] = await pubsub.getTopics();
  const metadata = await Promise.all(subscriptions.map((subscription) => subscription.getMetadata()));
  await pubsub.close();
  return {
    topics: topics.map(({ name }) => name).sort(),
    subscriptions: metadata.map(([{ name, pushConfig }]) => [name, pushConfig?.pushEndpoint]).sort(),
  };
}

it('demo does not touch the subscriptions of the running system: it has a project of its own, and deletes its topics', async () => {
  const before = await stateOf(projectId);
  expect(before.subscriptions).toHaveLength(5);

  const { code, stdout, stderr } = await runCommand(['demo', '--json'], { ...system.env });
  expect(stderr.join('\n')).not.toMatch(/^(?!alert ).*(error|warning)/im);
  expect(code).toBe(0);
  const { firestore } = JSON.parse(stdout.at(-1) ?? '');
  const [, own] = / in project (\S+),/.exec(firestore) ?? [];
  expect(own).toMatch(/^demo-run-/);

  expect(await stateOf(projectId)).toEqual(before);
  expect(await stateOf(own ?? '')).toEqual({ topics: [], subscriptions: [] });
  // And the system still takes alerts.
  const published = await callCommand(['publish', '--json', example.alertFile], { ...system.env });
  expect(published.code).toBe(0);
});

it('a second start in the same project is refused, before it takes anything', async () => {
  const before = await stateOf(projectId);
  const { code, stdout, stderr } = await runCommand(['start'], { ...system.env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: [] });
  expect(stderr.at(-1)).toBe(
    `inquest: another system takes the alerts of project ${projectId} on the Pub/Sub emulator ${system.endpoints.pubsub}: end it, or set another GOOGLE_CLOUD_PROJECT`,
  );
  expect(await stateOf(projectId)).toEqual(before);
});

it('publish reads standard input, and prints the alert before its timeline', async () => {
  const { code, stdout, stderr } = await runCommand(
    ['publish', '-'],
    { ...system.env },
    readFileSync(example.alertFile),
  );
  expect(code).toBe(0);
  // A busy machine adds notes about parts that answer late.
  const [read, published] = stderr.filter((line) => !line.endsWith('still trying'));
  expect(read).toBe(
    'alert "KubePodCrashLooping: Pod is crash looping.", severity warning, firing, read as alertmanager',
  );
  expect(published).toMatch(/^published message \d+$/);
  expect(stdout.join('\n')).toContain('FINAL ANALYSIS');
});

it('publish prints at once that the functions refused the alert, with the reason', async () => {
  const { code, stderr } = await callCommand(['publish', '--chain', 'nosuch', example.alertFile], {
    ...system.env,
  });
  expect(code).toBe(1);
  expect(stderr.at(-1)).toMatch(/^inquest: the alert was refused: CONFIG_UNKNOWN_CHAIN: /);
});
