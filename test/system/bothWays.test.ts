// Every command that works on a system, both ways: on the database of the environment, and through the API at
// --url. What it prints and its exit code are the same.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { startApiBench } from '../support/apiBench.ts';
import { callCommand } from '../support/callCommand.ts';
import { EXECUTION } from '../support/harness.ts';
import { ownConfig, temporaryFolder } from '../support/ownConfig.ts';
import { PUBLISH_TIME } from '../support/pushEvents.ts';
import { serveApi } from '../support/serveApi.ts';

/** They work on files, on the database itself, or start a system. */
const DIRECT =
  'demo start keys adapt put-runbook route check-config doctor db erase migrate build deploy completion version help init packs servers notify catch-up put-enrichment evaluate bench import-cases';
const NO_ANSWERS = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** Longer than an event of a stream or a list shows. */
const ANALYSIS = `The disk is full.\n${`${'A line of its log. '.repeat(50)}\n`.repeat(120)}`;

const STILL_WAITING = /; still (?:waiting|trying)$/;

/** The start of the ids of sessions whose alerts have no time of publication of their own. */
const DAY = PUBLISH_TIME.slice(0, 10);

/** A system with a session that has ended, and one that waits for approval; both are the same in each. */
async function start() {
  const bench = await startApiBench({
    deadlineMs: 40 * 60_000,
    chat: {},
    agent: { tools: ['process'] },
    servers: {
      process: {
        transport: 'stdio',
        command: process.execPath,
        args: [new URL('../tools/stdioServer.ts', import.meta.url).pathname],
        tools: { echo: { approval: 'required' } },
        trustHints: false,
      },
    },
    script: {
      conversations: [
        { when: { user: 'Disk full' }, turns: [{ text: ANALYSIS }] },
        { turns: [{ toolCalls: [{ name: 'process.echo', args: { to: 'you' } }] }, { text: 'Done.' }] },
      ],
    },
  });
  // Commands on the database have the time of this machine: events are compared in the order of their times.
  bench.deps.clock.now = () => new Date();
  const ended = await bench.publishAlert({ title: 'Disk full', severity: 'critical' });
  await bench.drain();
  const open = await bench.publishAlert({ title: 'Login fails' });
  // It is opened, then asks its model.
  await bench.deliverNext();
  await bench.deliverNext();
  const [approval] = (await bench.ask('/v1/approvals')).body.approvals;
  return { ...bench, ended, open, id: String(approval.approvalId), folder: temporaryFolder() };
}

type System = Awaited<ReturnType<typeof start>>;

/** What is called, in this order, and how it ends. */
const steps = ({ ended, open, id, folder }: System): [number, ...string[]][] => [
  [0, 'list'],
  [0, 'list', '--json', '--status', 'completed'],
  [0, 'list', '--limit', '1'],
  [0, 'list', '--after', open],
  [1, 'list', '--after', 'nobody'],
  [2, 'list', '--text', 'x'.repeat(201)],
  [0, 'list', '--text', 'disk', '--tenant', 'default'],
  [0, 'list', '--tenant', 'acme'],
  [0, 'show', ended],
  [0, 'trace', ended],
  [0, 'trace', 'last'],
  [0, 'trace', open.slice(0, -1), '--json'],
  [1, 'trace', 'nobody'],
  [0, 'why', 'last'],
  [0, 'why', 'last', '--json'],
  [0, 'resources', 'explain', 'last'],
  [0, 'resources', 'explain', ended, '--json'],
  [0, 'resources', 'explain', 'namespace=shop', 'deployment=checkout'],
  [1, 'resources', 'explain', 'nobody'],
  [0, 'show', ended.slice(0, -1), '--json'],
  [0, 'show', 'last'],
  [2, 'show', '2026'],
  [1, 'show', 'nobody'],
  [1, 'show', ended, '--tenant', 'acme'],
  [1, 'show', 'last', '--tenant', 'acme'],
  [0, 'export', ended, EXECUTION, '--form', 'anthropic'],
  [0, 'export', ended, EXECUTION, '--json'],
  [1, 'export', ended, '09-nobody'],
  [0, 'claims', ended],
  [0, 'claims', ended, '--json'],
  [1, 'claims', 'nobody'],
  [0, 'deliveries', ended],
  [0, 'deliveries', ended, '--json'],
  [1, 'deliveries', 'nobody'],
  [0, 'record', ended, path.join(folder, 'case')],
  [0, 'record', ended, path.join(folder, 'case-json'), '--json'],
  [2, 'record', ended, path.join(folder, 'case')],
  [1, 'record', open, path.join(folder, 'open')],
  [1, 'record', 'nobody', path.join(folder, 'nobody')],
  [1, 'record', ended, path.join(folder, 'other'), '--tenant', 'acme'],
  [0, 'replay', ended],
  [0, 'replay', path.join(folder, 'case'), '--json'],
  [1, 'replay', 'nobody'],
  [0, 'diff', ended, path.join(folder, 'case')],
  [0, 'diff', ended, ended, '--json'],
  [1, 'diff', 'last', ended],
  [0, 'why', 'disk'],
  [0, 'why', 'disk', '--json'],
  [1, 'why', 'no such alert'],
  [0, 'watch', ended],
  [0, 'watch', ended, '--json'],
  [0, 'watch', ended, '--from-now'],
  [1, 'watch', 'nobody'],
  [0, 'ask', ended, 'Which disk?', '--no-follow', '--json'],
  [1, 'ask', ended, 'Since when?', '--no-follow'],
  [1, 'ask', open, 'Why?'],
  [2, 'ask', ended, ' '],
  [0, 'cancel', ended],
  [0, 'work', ended],
  [0, 'work', ended, 'claim', '--by', 'ada'],
  [0, 'work', ended, 'note', 'Asked the database team.', '--json'],
  [0, 'work', ended, 'review', '--rating', 'partly', '--missed', 'The release.'],
  [0, 'work', ended],
  [0, 'work', ended, '--json'],
  [0, 'topology'],
  [0, 'topology', 'checkout', '--json'],
  [0, 'postmortem', ended, '--facts'],
  [0, 'postmortem', ended, '--facts', '--form', 'short', '--json'],
  [1, 'postmortem', 'nobody', '--facts'],
  [2, 'postmortem', ended, '--template', 'nosuch.md'],
  [0, 'fork', ended],
  [0, 'fork', ended, '--json'],
  [2, 'fork', ended, '--at', '01-nosuch.7'],
  [1, 'fork', 'nobody', '--at', `${EXECUTION}.1`],
  [2, 'fork', ended, '--say', 'The disk was replaced.'],
  [2, 'fork', ended, '--at', `${EXECUTION}.1`, '--agent', 'nosuch.yaml'],
  [1, 'work', 'nobody', 'claim'],
  [1, 'score', ended],
  [1, 'score', 'nobody', '--json'],
  [2, 'work', ended, 'nosuch'],
  [2, 'work', ended, 'review'],
  [0, 'guide', open, 'Look at the node.'],
  [0, 'guide', open, 'Look at the node.', '--json'],
  [1, 'guide', ended, 'Too late.'],
  [1, 'guide', 'nobody', 'Hello.'],
  [0, 'pause', open],
  [0, 'pause', open, '--json'],
  [0, 'tell', open, 'And the disk.', '--by', 'ada'],
  [0, 'guide', open, '--list'],
  [0, 'guide', open, '--list', '--json'],
  [0, 'approvals'],
  [0, 'approvals', '--json'],
  [0, 'approve', id, '--by', 'jane'],
  [0, 'approve', id, '--by', 'jane', '--json'],
  [1, 'deny', id, '--by', 'joe', '--reason', 'No.'],
  [1, 'deny', 'aaaaa-aaaaa'],
  [0, 'approvals'],
  [0, 'resume', open],
  [0, 'resume', open, '--json'],
  [1, 'start-deferred', open],
  [1, 'split', open, 'no-message', '--by', 'ada'],
  [1, 'merge', ended, open, '--by', 'ada'],
  [1, 'merge', open, 'nobody', '--json'],
  [0, 'cancel', open, '--reason', 'a drill'],
  [0, 'cancel', open, '--json'],
  [3, 'watch', open],
  [1, 'pause', open],
  [1, 'resume', open],
  [0, 'resume', '--all'],
  [0, 'resume', '--all', '--json'],
  [2, 'pause'],
  [0, 'budgets'],
  [0, 'budgets', '--json'],
  [0, 'calibration'],
  [0, 'calibration', '--json', '--days', '90'],
  [0, 'dropped'],
  [0, 'dropped', '--json', '--days', '30'],
  [0, 'changes', 'list'],
  [1, 'changes', 'show', 'nobody'],
  [0, 'schedules', 'list'],
  [1, 'schedules', 'pause', 'nobody'],
  [2, 'check', ' '],
  [2, 'check', 'Is all well?', '--after', 'never'],
  [2, 'schedules', 'nosuch'],
];

/** What is called of agents and of the knowledge base, in this order, and how it ends. */
const configurationSteps = (
  files: Record<'agent' | 'faulty' | 'entry' | 'output', string>,
): [number, ...string[]][] => [
  [0, 'agents', 'list'],
  [0, 'agents', 'show', 'looker'],
  [2, 'agents', 'show', 'nobody'],
  [1, 'agents', 'push', files.agent, files.faulty],
  [0, 'agents', 'pull', '--output', files.output],
  [0, 'agents', 'push', files.agent, '--by', 'ada'],
  [0, 'agents', 'push', files.agent, '--by', 'ada'],
  [0, 'agents', 'list', '--json'],
  [0, 'agents', 'show', 'looker'],
  [0, 'agents', 'show', 'looker', '--prompt'],
  [0, 'agents', 'show', 'looker', '--prompt', '--structured'],
  [0, 'agents', 'pull', 'looker', '--output', files.output],
  [1, 'agents', 'pull', 'nobody', '--output', files.output],
  [2, 'agents', 'pull', '--output', path.dirname(files.faulty)],
  [0, 'agents', 'remove', 'looker'],
  [1, 'agents', 'remove', 'looker'],
  [0, 'knowledge', 'list'],
  [0, 'knowledge', 'push', files.entry, '--by', 'ada', '--no-embeddings'],
  [0, 'knowledge', 'push', files.entry, '--json', '--no-embeddings'],
  [1, 'knowledge', 'push', files.entry, '--user', 'anna', '--no-embeddings'],
  [0, 'knowledge', 'list'],
  [0, 'knowledge', 'list', '--json', '--user', 'anna'],
  [0, 'knowledge', 'show', 'ledger'],
  [0, 'knowledge', 'show', 'Ledger', '--json'],
  [0, 'knowledge', 'search', 'LOOKUP ledger, nothing'],
  [0, 'knowledge', 'search', 'FUZZY', 'ledgr', '--json'],
  [0, 'knowledge', 'search', 'TRAVERSE ledger'],
  [2, 'knowledge', 'search', 'SELECT'],
  [0, 'knowledge', 'list', '--tenant', 'acme'],
  [1, 'knowledge', 'remove', 'ledger', '--user', 'anna'],
  [0, 'knowledge', 'remove', 'ledger'],
  [1, 'knowledge', 'show', 'ledger'],
];

/** What is sent, in order, and its end. @param folder an alert per case. @param chat none. */
const sendingSteps = (folder: string, chat: string): [number, ...string[]][] => [
  [0, 'send', path.join(folder, 'alert.json')],
  [0, 'publish', path.join(folder, 'alert.json'), '--json'],
  [0, 'send', path.join(folder, 'queue.json'), '--chain', 'test', '--attribute', 'env=prod'],
  [0, 'send', path.join(folder, 'other.json'), '--tenant', 'acme', '--user', 'u-7'],
  [0, 'send', path.join(folder, 'backup.json'), '--no-follow'],
  [1, 'send', path.join(folder, 'other.json'), '--chain', 'nosuch'],
  [1, 'send', path.join(folder, 'noise.json')],
  [1, 'send', path.join(folder, 'kept.json')],
  [0, 'send', path.join(folder, 'resolved.json')],
  [2, 'send', path.join(folder, 'alert.json'), '--attribute', 'tenant=acme'],
  [2, 'send', path.join(folder, 'empty.json')],
  [2, 'send', path.join(folder, 'nosuch.json')],
  [0, 'rerun', `${DAY}-queue-grows`],
  [0, 'rerun', `${DAY}-backup-is-late`, '--json', '--chain', 'test'],
  [0, 'rerun', `${DAY}-keep-this`, '--no-follow'],
  [1, 'rerun', 'nobody'],
  [1, 'rerun', chat],
];

/** Calls the steps on the first database and the second's API, and compares all output. */
async function compareWays(
  [own, served]: [System, System],
  stepsOf: (system: System) => [number, ...string[]][],
  more: Record<string, string> = {},
): Promise<void> {
  const { url } = await serveApi(served);
  const ways: [System, Record<string, string>][] = [
    [own, { GOOGLE_CLOUD_PROJECT: own.projectId, NO_COLOR: '1', ...more }],
    [served, { GOOGLE_CLOUD_PROJECT: 'demo-elsewhere', INQUEST_URL: url, NO_COLOR: '1', ...more }],
  ];
  const called: object[][] = [[], []];
  for (const [way, [system, env]] of ways.entries())
    for (const [code, ...args] of stepsOf(system)) {
      const result = await callCommand(args, env);
      // How fast the machine is decides whether a command waits long enough to print that it still does.
      const clean = (lines: string[]) =>
        lines.filter((line) => !STILL_WAITING.test(line)).map((line) => cleaned(line, system));
      const printed = { stdout: clean(result.stdout), stderr: clean(result.stderr) };
      const name = String(cleaned(args.join(' '), system));
      expect([name, result.code, printed.stderr], name).toEqual([name, code, printed.stderr]);
      called[way]?.push({ name, ...printed });
    }
  expect(called[1]).toEqual(called[0]);
}

it('a command prints the same and exits alike on the database and through the API', async () => {
  const systems: [System, System] = [await start(), await start()];
  await createTopic(systems[0], TOPICS.iterations);
  await compareWays(systems, steps);
});

it('split and merge take effect alike both ways', async () => {
  const bench = async () => {
    const started = await startApiBench({
      script: NO_ANSWERS,
      triage: {
        correlate: [{ labels: ['cluster'], window: '15m' }],
        rules: [{ name: 'storm', labels: { cluster: '*' }, action: 'investigate', join: true }],
      },
    });
    started.deps.clock.now = () => new Date();
    const { publisher } = started.deps;
    const send = async (title: string, labels: object) => {
      const sessionId = await started.publishAlert({ title, fingerprint: title, status: 'firing', labels });
      const message = publisher.published.findLast(({ topic }) => topic === TOPICS.alerts);
      if (message === undefined) throw new Error('nothing was published');
      await started.deliver(message);
      return { sessionId, messageId: message.id };
    };
    const { sessionId: open } = await send('Disk full', { cluster: 'eu' });
    const { messageId } = await send('Shop slow', { cluster: 'eu' });
    const { sessionId: ended } = await send('Queue long', {});
    return { ...started, ended, open, messageId, id: 'no id', folder: '' };
  };
  const [own, served] = [await bench(), await bench()];
  await createTopic(own, TOPICS.alerts);
  await compareWays([own, served], ({ open, ended }) => [
    [0, 'split', open, own.messageId, '--by', 'ada'],
    [0, 'split', open, own.messageId, '--by', 'ada'],
    [0, 'merge', ended, open, '--by', 'ada'],
    [0, 'merge', ended, open, '--json'],
    [0, 'split', open, ended, '--by', 'joe'],
    [0, 'show', open],
    [0, 'why', 'Queue long'],
  ]);
});

async function createTopic({ projectId }: System, topic: string): Promise<void> {
  const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  await pubsub.createTopic(topic);
  await pubsub.close();
}

it('the commands for agents and knowledge print the same and exit alike both ways', async () => {
  const folder = ownConfig({});
  const files = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(path.join(files, name), text);
    return path.join(files, name);
  };
  const agent = 'type: object\ndescription: Look twice.\njson_schema_extra: {name: looker, stratgy: react}\n';
  mkdirSync(path.join(files, 'other'));
  const named = {
    agent: file('looker.yaml', agent),
    faulty: file('other/looker.yaml', 'json_schema_extra: {name: second, override_model: gpt}\n'),
    entry: file('ledger.md', '---\ntitle: Ledger\nlinks: [payments]\n---\nA database.\n'),
    output: path.join(files, 'pulled'),
  };
  const bench = async () => ({
    ...(await startApiBench({ readConfig: () => loadSessionConfig(folder), chat: {}, script: NO_ANSWERS })),
    ended: '',
    open: '',
    id: 'no id',
    folder: '',
  });
  await compareWays([await bench(), await bench()], () => configurationSteps(named), {
    INQUEST_CONFIG: folder,
  });
});

it('send and rerun print the same and exit alike both ways', async () => {
  const folder = temporaryFolder();
  const write = (name: string, alert: object) =>
    writeFileSync(path.join(folder, name), JSON.stringify(alert));
  write('alert.json', { fingerprint: 'disk-1', title: 'Disk full', severity: 'critical', status: 'firing' });
  write('other.json', { title: 'Login fails' });
  write('queue.json', { title: 'Queue grows' });
  write('backup.json', { title: 'Backup is late' });
  write('noise.json', { title: 'Just noise', labels: { env: 'dev' } });
  write('kept.json', { title: 'Keep this', labels: { env: 'lab' } });
  write('resolved.json', { title: 'Disk full', status: 'resolved' });
  writeFileSync(path.join(folder, 'empty.json'), '');
  const bench = async () => {
    const started = await startApiBench({
      chat: {},
      script: {
        conversations: [
          { when: { user: 'Disk full' }, turns: [{ text: ANALYSIS }] },
          ...Array(20).fill({ turns: [{ text: 'Done.' }] }),
        ],
      },
      triage: {
        rules: [
          { name: 'noise', labels: { env: 'dev' }, action: 'drop' },
          { name: 'kept', labels: { env: 'lab' }, action: 'record' },
        ],
      },
    });
    const { body } = await started.ask('/v1/chats', { body: { text: 'Which disk?' } });
    await started.drain();
    return { ...started, ended: String(body.sessionId), open: '', id: 'no id', folder: '' };
  };
  const systems: [System, System] = [await bench(), await bench()];
  await takePublished(systems[0]);
  deliverAll(systems);
  await compareWays(systems, ({ ended }) => sendingSteps(folder, ended));
});

/** Delivers the alerts that commands publish to the topic of the system's project. */
async function takePublished({ projectId, deliver }: System): Promise<void> {
  const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  onTestFinished(() => pubsub.close());
  const [topic] = await pubsub.createTopic(TOPICS.alerts);
  const [subscription] = await topic.createSubscription('taken-by-the-test');
  subscription.on('message', (message) => {
    message.ack();
    const { id, data, attributes } = message;
    void deliver({ id, topic: TOPICS.alerts, data, attributes });
  });
}

/** Delivers the messages of the systems as they are published, until the test ends. */
function deliverAll(systems: readonly System[]): void {
  let isOver = false;
  const delivering = systems.map(async ({ drain }) => {
    while (!isOver) {
      await drain();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  onTestFinished(async () => {
    isOver = true;
    await Promise.all(delivering);
  });
}

it('every command is direct, or is called both ways', async () => {
  const { stdout } = await callCommand(['help']);
  const commands = stdout.flatMap((line) => /^ {2}([a-z-]+)(?:\||\s)/.exec(line)?.[1] ?? []);
  const nobody = { ended: 'a', open: 'b', id: 'c', folder: 'd' } as System;
  const files = { agent: '', faulty: '', entry: '', output: '' };
  const called = [...steps(nobody), ...sendingSteps('', ''), ...configurationSteps(files)].map(
    ([, name]) => name,
  );
  const known = new Set([...DIRECT.split(' '), ...called]);
  expect(commands.length).toBeGreaterThan(25);
  expect(commands.filter((name) => !known.has(name))).toEqual([]);
});

/** A line without differences of systems: names, clocks, keys. JSON order is free. */
function cleaned(line: string, { id, projectId, folder }: System): unknown {
  const text = line
    .replaceAll(id, 'APPROVAL')
    .replaceAll(folder || 'no folder', 'FOLDER')
    .replace(new RegExp(`project ${projectId}, emulator [\\w.:]+|http://127\\.0\\.0\\.1:\\d+`, 'g'), 'WHERE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC/g, 'MINUTE')
    .replace(/\b\d+:\d\d min\b/g, '60 s')
    .replace(/\b\d+ min\b/g, 'MINUTES')
    .replace(/published message \d+/g, 'published message ID')
    .replace(/alertKeys\/[0-9a-f]{64}/g, 'alertKeys/KEY')
    .replace(/\b(\d{4}-\d\d-\d\d-[a-z0-9-]+)-[0-9a-f]{6,16}\b/g, '$1-DIGITS')
    .replace(/"(durationMs|traceparent|callId)":[^,}]+/g, '"$1":0')
    .replace(/"signature":"[\w.-]+"/g, '"signature":"SIGNATURE"')
    .replace(/"seconds","one":[\d.]+,"other":[\d.]+/g, '"seconds"')
    .replace(/seconds: [\d.]+/g, 'seconds: SECONDS');
  if (text.startsWith('{')) return JSON.parse(text);
  return text
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'CLOCK')
    .replace(/\b[\d.]+ s\b/g, 'SECONDS')
    .replace(/ {2,}/g, '  ');
}
