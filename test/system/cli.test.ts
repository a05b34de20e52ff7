import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { accepts } from '../../local/ports.ts';
import { startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { TOPICS } from '../../shared/contract/publisher.ts';
import { runCommand, startCommand } from '../support/cli.ts';

interface Line {
  type: string;
  eventType?: string;
  sequenceNumber?: number;
  status?: string;
}

/** Emulators of the command's own, not those of the other tests. */
const ownEmulators = { FIRESTORE_EMULATOR_HOST: undefined, PUBSUB_EMULATOR_HOST: undefined };

/** Ports a command said it listens on. */
const portsIn = (lines: string[]): number[] =>
  lines.flatMap((line) => [...line.matchAll(/127\.0\.0\.1:(\d+)/g)].map((match) => Number(match[1])));

/** Command lines of running processes that were given one of these ports. */
function processesOn(ports: number[]): string[] {
  const table = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
  return table.split('\n').filter((line) => ports.some((port) => line.includes(`${port}`)));
}

it('demo --json tells the timeline as lines of JSON, then the session, and exits with 0', async () => {
  const project = `demo-${randomUUID().slice(0, 8)}`;
  const { code, stdout, stderr } = await runCommand(['demo', '--json'], { GOOGLE_CLOUD_PROJECT: project });
  expect(stderr.join('\n')).not.toMatch(/error|warning/i);
  expect(code).toBe(0);
  const lines = stdout.map((line) => JSON.parse(line) as Line);
  const events = lines.slice(0, -1);
  expect(events.every(({ type }) => type === 'event')).toBe(true);
  expect(events.map(({ sequenceNumber }) => sequenceNumber)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)?.eventType).toBe('final_analysis');
  expect(events.filter(({ status }) => status !== 'completed')).toEqual([]);
  expect(lines.at(-1)).toMatchObject({
    type: 'session',
    status: 'completed',
    firestore: expect.stringContaining(`in project ${project}`),
  });
});

it('demo prints the timeline for people, without colours into a pipe', async () => {
  const project = `demo-${randomUUID().slice(0, 8)}`;
  const { code, stdout } = await runCommand(['demo'], { GOOGLE_CLOUD_PROJECT: project });
  const text = stdout.join('\n');
  expect(code).toBe(0);
  expect(text).toMatch(/^\d\d:\d\d:\d\d {2}01-kubernetes-investigator {2}thinks/);
  expect(text).toContain('FINAL ANALYSIS');
  expect(text).toMatch(/^Session {4}\S+ {2}completed$/m);
  expect(text).toMatch(/^Tokens {5}\d+ \(\d+ in, \d+ out, \d+ thinking\)$/m);
  expect(text).not.toContain('\u001b');
});

it('demo of an example that does not exist names the ones there are', async () => {
  const { code, stderr, stdout } = await runCommand(['demo', 'nosuch']);
  expect(code).toBe(1);
  expect(stderr).toEqual([
    'inquest: there is no example "nosuch"; there are: crashloop, parallel, react, research, synthesis, triage',
  ]);
  expect(stdout).toEqual([]);
});

it('--help names the commands and exits with 0', async () => {
  const { code, stdout } = await runCommand(['--help']);
  expect(code).toBe(0);
  for (const command of ['demo', 'start', 'publish', 'cancel', 'migrate'])
    expect(stdout.join('\n')).toMatch(new RegExp(`^ +${command} `, 'm'));
});

it.each([['demo', '--nosuch'], ['nosuch'], ['publish']])(
  '%s %s is refused, with the help',
  async (...args) => {
    const { code, stderr } = await runCommand(args.filter((arg) => arg !== undefined));
    expect(code).toBe(1);
    expect(stderr.join('\n')).toMatch(/^error: .*\n[\s\S]*Usage: inquest/);
  },
);

it('publish says that a file cannot be read', async () => {
  const { code, stderr } = await runCommand(['publish', 'nosuch.json']);
  expect(code).toBe(1);
  expect(stderr).toEqual([expect.stringMatching(/^inquest: .*nosuch\.json/)]);
});

it('publish does not wait for the session of an alert that is resolved: it opens none', async () => {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  await pubsub.createTopic(TOPICS.alerts);
  await pubsub.close();
  const folder = mkdtempSync(join(tmpdir(), 'inquest-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'alert.json');
  writeFileSync(file, '{"title": "Disk full", "status": "resolved"}');
  const { code, stderr } = await runCommand(['publish', file], { GOOGLE_CLOUD_PROJECT: projectId });
  expect(code).toBe(1);
  expect(stderr.at(-1)).toBe(
    'inquest: ALERT_RESOLVED: "Disk full" says it is resolved; nothing is investigated',
  );
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s in the middle of a demo stops everything it started and exits with %i',
  async (signal, code) => {
    // Answers once, and then no more.
    const gemini = await startScriptedGemini({
      script: {
        conversations: [
          { turns: [{ toolCalls: [{ name: 'kubernetes.get_events' }] }, { failures: [{ hang: true }] }] },
        ],
      },
    });
    onTestFinished(() => gemini.stop());
    const command = startCommand(['demo', '--json'], {
      ...ownEmulators,
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
    });
    await command.firstLine('stdout');
    const started = () => portsIn(command.stderr).filter((port) => !gemini.url.endsWith(`:${port}`));
    // Two emulators, four functions.
    await expect.poll(started).toHaveLength(6);
    const ports = started();
    expect(await Promise.all(ports.map(accepts))).toEqual(Array(6).fill(true));

    command.kill(signal);
    expect(await command.ended).toEqual({ code, signal: null });
    expect(command.stdout.join('\n')).not.toContain('"type":"session"');
    expect(await Promise.all(ports.map(accepts))).toEqual(Array(6).fill(false));
    expect(processesOn(ports)).toEqual([]);
  },
);

it('Ctrl-C while everything starts leaves nothing either', async () => {
  const command = startCommand(['demo'], ownEmulators);
  await command.firstLine('stderr');
  command.kill('SIGINT');
  expect(await command.ended).toEqual({ code: 130, signal: null });
  const ports = portsIn(command.stderr);
  expect(ports.length).toBeGreaterThan(0);
  expect(await Promise.all(ports.map(accepts))).toEqual(ports.map(() => false));
  expect(processesOn(ports)).toEqual([]);
});
