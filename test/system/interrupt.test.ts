// Ctrl-C at moments of every command that lasts. The moments are what a command has printed by then, and what
// runs is found by a mark in the environment, which tool servers and their children inherit, too.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { type RunningCommand, startCommand } from '../support/cli.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { createDataPath, ownConfig, ownScript } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { marked } from '../support/processes.ts';

const SERVER = fileURLToPath(new URL('./fixtures/stubbornServer.ts', import.meta.url));
const example = findExample('crashloop');

/** Starts a command, interrupts it at a moment, and waits until nothing of it is left. */
async function interruptAt(
  args: string[],
  env: Record<string, string | undefined>,
  moment: (command: RunningCommand) => Promise<unknown>,
  [name, exitCode]: readonly [NodeJS.Signals, number] = ['SIGINT', 130],
): Promise<void> {
  const { env: mark, running } = marked();
  onTestFinished(() => {
    for (const { pid } of running()) process.kill(pid, 'SIGKILL');
  });
  const command = startCommand(args, { ...env, ...mark });
  await moment(command);
  command.kill(name);
  const { code, signal } = await command.ended;
  // A process before our code is ended by the signal; a shell gives the same code.
  expect(signal === name ? exitCode : code).toBe(exitCode);
  expect(command.stdout.join('\n')).not.toContain('"type":"session"');
  await expect.poll(running).toEqual([]);
}

const line = (pattern: RegExp) => (command: RunningCommand) => command.line(pattern);

/** The moments of a list that run: the last, or with `npm run test:long` all. */
const moments = <T>(all: T[]): T[] => (IS_LONG ? all : all.slice(-1));

describe('Ctrl-C in a demo', () => {
  const starting: [string, (command: RunningCommand) => Promise<unknown>][] = [
    ['as soon as it is started', async () => {}],
    // Firestore and Pub/Sub answer as one process, and so do the functions.
    ['when the local cloud answers', line(/^Firestore: /)],
    ['when messages flow', line(/^topics and subscriptions/)],
  ];
  it.runIf(IS_LONG).each(starting)('%s leaves nothing, no emulator either', async (_, moment) => {
    await interruptAt(['demo', '--json'], ownEmulators, moment);
  });

  it.runIf(IS_LONG)('when the first of four processes answers leaves none of them', async () => {
    await interruptAt(['demo', '--json', '--processes'], ownEmulators, line(/^\w+: http:/));
  });

  const investigating: [string, RegExp][] = [
    ['when the alert is published', /^published /],
    ['in the last iteration', /"sequenceNumber":9,/],
    ['while tools run', /"eventType":"llm_tool_call"/],
  ];
  it.each(moments(investigating))('%s, on emulators that run already, leaves nothing', async (_, pattern) => {
    await interruptAt(['demo', '--json'], {}, line(pattern));
  });

  it('while a tool server with a child does not end leaves neither', async () => {
    const servers = { stubborn: { transport: 'stdio', command: process.execPath, args: [SERVER] } };
    const env = { INQUEST_CONFIG: ownConfig({ servers, tools: ['stubborn'] }) };
    const script = ownScript({ toolCalls: [{ name: 'stubborn.slow' }] });
    await interruptAt(['demo', '--json', '--script', script], env, line(/"eventType":"llm_tool_call"/));
  });
});

const lasting: [string, string][] = [
  ['demo', 'cli/commands/direct/demo.ts'],
  ['start', 'cli/commands/direct/start.ts'],
];

it.each(moments(lasting))('Ctrl-C while the modules of %s load starts nothing', async (name, module) => {
  const { env: mark, running } = marked();
  onTestFinished(() => {
    for (const { pid } of running()) process.kill(pid, 'SIGKILL');
  });
  const preload = `--import=${new URL('./fixtures/signalWhileLoading.ts', import.meta.url).href}`;
  const data = name === 'start' ? ['--data', createDataPath()] : [];
  const env = { ...ownEmulators, ...mark, NODE_OPTIONS: preload, SIGNAL_AT: module };
  const command = startCommand([name, ...data], env);
  expect(await command.ended).toEqual({ code: 130, signal: null });
  expect(command.stdout).toEqual([]);
  expect(command.stderr.join('\n')).not.toMatch(/^Firestore: /m);
  await expect.poll(running).toEqual([]);
});

const otherSignals: [NodeJS.Signals, number][] = [
  ['SIGHUP', 129],
  ['SIGTERM', 143],
];

it.each(moments(otherSignals))('%s in a demo leaves nothing either, and exits with %i', async (...signal) => {
  await interruptAt(['demo', '--json'], ownEmulators, line(/^Firestore: /), signal);
});

describe('Ctrl-C in start', () => {
  it('when everything is ready leaves nothing', async () => {
    await interruptAt(['start', '--data', createDataPath()], ownEmulators, line(/^Ctrl-C stops everything/));
  });

  it.runIf(IS_LONG)('while the servers of a configuration are asked leaves nothing', async () => {
    const servers = { silent: { transport: 'stdio', command: process.execPath, args: [SERVER, 'silent'] } };
    const env = { INQUEST_CONFIG: ownConfig({ servers, tools: ['silent'] }) };
    await interruptAt(['start', '--script', ownScript({ text: 'Done.' })], env, line(/asking its servers/));
  });
});

describe.runIf(IS_LONG)('Ctrl-C in publish', () => {
  let gemini: ScriptedModel;
  let system: RunningSystem;

  beforeAll(async () => {
    gemini = await startScriptedModel({
      script: {
        conversations: [
          { turns: [{ toolCalls: [{ name: 'kubernetes.get_events' }] }, { failures: [{ hang: true }] }] },
        ],
      },
    });
    system = await startSystem({
      projectId: 'demo-interrupted',
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

  it.each<[string, RegExp]>([
    ['when the alert is published', /^published /],
    ['while it follows', /"eventType":"tool_result"/],
  ])('%s leaves nothing', async (_, pattern) => {
    await interruptAt(['publish', '--json', example.alertFile], { ...system.env }, line(pattern));
  });
});
