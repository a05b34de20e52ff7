// Every command that works on a system, both ways: on the database of the environment, and through the API at --url. What it
// prints and its exit code are the same.

import { PubSub } from '@google-cloud/pubsub';
import { expect, it } from 'vitest';
import { TOPICS } from '../../shared/contract/publisher.ts';
import { startApiBench } from '../support/apiBench.ts';
import { callCommand } from '../support/callCommand.ts';
import { serveApi } from '../support/serveApi.ts';

/** They work on files, on the database itself, or start a system. */
const DIRECT = 'demo start keys adapt put-runbook route check-config doctor db migrate build version help';
/** They have an implementation for each way still. */
const TWICE = 'send rerun agents knowledge';

/** Longer than an event of a stream or a list shows. */
const ANALYSIS = `The disk is full.\n${`${'A line of its log. '.repeat(50)}\n`.repeat(120)}`;

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
  const ended = await bench.publishAlert({ title: 'Disk full', severity: 'critical' });
  await bench.drain();
  const open = await bench.publishAlert({ title: 'Login fails' });
  // It is opened, then asks its model.
  await bench.deliverNext();
  await bench.deliverNext();
  const [approval] = (await bench.ask('/v1/approvals')).body.approvals;
  return { ...bench, ended, open, id: String(approval.approvalId) };
}

type System = Awaited<ReturnType<typeof start>>;

/** What is called, in this order, and how it ends. */
const steps = ({ ended, open, id }: System): [number, ...string[]][] => [
  [0, 'list'],
  [0, 'list', '--json', '--status', 'completed'],
  [0, 'list', '--limit', '1'],
  [0, 'list', '--after', open],
  [1, 'list', '--after', 'nobody'],
  [2, 'list', '--text', 'x'.repeat(201)],
  [0, 'list', '--text', 'disk', '--tenant', 'default'],
  [0, 'list', '--tenant', 'acme'],
  [0, 'show', ended],
  [0, 'show', ended.slice(0, -1), '--json'],
  [0, 'show', 'last'],
  [2, 'show', '2026'],
  [1, 'show', 'nobody'],
  [1, 'show', ended, '--tenant', 'acme'],
  [1, 'show', 'last', '--tenant', 'acme'],
  [0, 'watch', ended],
  [0, 'watch', ended, '--json'],
  [0, 'watch', ended, '--from-now'],
  [1, 'watch', 'nobody'],
  [0, 'ask', ended, 'Which disk?', '--no-follow', '--json'],
  [1, 'ask', ended, 'Since when?', '--no-follow'],
  [1, 'ask', open, 'Why?'],
  [2, 'ask', ended, ' '],
  [0, 'cancel', ended],
  [0, 'tell', open, 'Look at the node.'],
  [0, 'tell', open, 'Look at the node.', '--json'],
  [1, 'tell', ended, 'Too late.'],
  [1, 'tell', 'nobody', 'Hello.'],
  [0, 'pause', open],
  [0, 'pause', open, '--json'],
  [0, 'tell', open, 'And the disk.', '--by', 'ada'],
  [0, 'tell', open, '--list'],
  [0, 'tell', open, '--list', '--json'],
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
  [0, 'cancel', open, '--reason', 'a drill'],
  [0, 'cancel', open],
  [3, 'watch', open],
  [1, 'pause', open],
  [1, 'resume', open],
  [0, 'dropped'],
  [0, 'dropped', '--json', '--days', '30'],
];

it('a command prints the same and exits alike on the database and through the API', async () => {
  const [own, served] = [await start(), await start()];
  const pubsub = new PubSub({
    projectId: own.projectId,
    clientOptions: { universe_domain: 'googleapis.com' },
  });
  await pubsub.createTopic(TOPICS.iterations);
  await pubsub.close();
  const { url } = await serveApi(served);
  const ways: [System, Record<string, string>][] = [
    [own, { GOOGLE_CLOUD_PROJECT: own.projectId, NO_COLOR: '1' }],
    [served, { GOOGLE_CLOUD_PROJECT: 'demo-elsewhere', INQUEST_URL: url, NO_COLOR: '1' }],
  ];
  const called: object[][] = [[], []];
  for (const [way, [system, env]] of ways.entries())
    for (const [code, ...args] of steps(system)) {
      const result = await callCommand(args, env);
      const clean = (lines: string[]) => lines.map((line) => cleaned(line, system));
      const said = { stdout: clean(result.stdout), stderr: clean(result.stderr) };
      const name = String(cleaned(args.join(' '), system));
      expect([name, result.code, said.stderr], name).toEqual([name, code, said.stderr]);
      called[way]?.push({ name, ...said });
    }
  expect(called[1]).toEqual(called[0]);
});

it('every command is direct, or is called both ways', async () => {
  const { stdout } = await callCommand(['help']);
  const commands = stdout.flatMap((line) => /^ {2}([a-z-]+)(?:\||\s)/.exec(line)?.[1] ?? []);
  const nobody = { ended: 'a', open: 'b', id: 'c' } as System;
  const called = steps(nobody).map(([, name]) => name);
  const known = new Set([...DIRECT.split(' '), ...TWICE.split(' '), ...called]);
  expect(commands.length).toBeGreaterThan(25);
  expect(commands.filter((name) => !known.has(name))).toEqual([]);
});

/** A line without what differs between two systems: names, clocks, keys. JSON is given as an object, whose order is free. */
function cleaned(line: string, { id, projectId }: System): unknown {
  const text = line
    .replaceAll(id, 'APPROVAL')
    .replace(new RegExp(`project ${projectId}, emulator [\\w.:]+|http://127\\.0\\.0\\.1:\\d+`, 'g'), 'WHERE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"(durationMs|traceparent|callId)":[^,}]+/g, '"$1":0');
  if (text.startsWith('{')) return JSON.parse(text);
  return text
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'CLOCK')
    .replace(/\b[\d.]+ s\b/g, 'SECONDS')
    .replace(/ {2,}/g, '  ');
}
