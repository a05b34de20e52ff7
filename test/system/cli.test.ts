import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callCommand } from '../support/callCommand.ts';
import { runCommand } from '../support/cli.ts';
import { IS_FULL } from '../support/fullTests.ts';

interface Line {
  type: string;
  eventType?: string;
  executionId?: string;
  sequenceNumber?: number;
  status?: string;
}

it.runIf(IS_FULL)(
  'demo --json prints the timeline as lines of JSON, then the session, and exits with 0',
  async () => {
    const { code, stdout, stderr } = await runCommand(['demo', 'synthesis', '--json']);
    expect(stderr.join('\n')).not.toMatch(/^(?!alert |session |model: ).*(error|warning)/im);
    expect(code).toBe(0);
    const lines = stdout.map((line) => JSON.parse(line) as Line);
    const events = lines.slice(0, -1);
    expect(events.every(({ type }) => type === 'event')).toBe(true);
    const numbers = Map.groupBy(events, ({ executionId }) => executionId);
    expect(numbers.size).toBeGreaterThan(2);
    for (const [, own] of numbers) {
      expect(own.map(({ sequenceNumber }) => sequenceNumber)).toEqual(own.map((_, index) => index + 1));
    }
    expect(events.at(-1)?.eventType).toBe('executive_summary');
    expect(events.filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(lines.at(-1)).toMatchObject({
      type: 'session',
      status: 'completed',
      executiveSummary: expect.stringMatching(
        /^Not established: checkout answers .*\n.*\n.*\nMedium confidence\.$/,
      ),
      firestore: expect.stringMatching(/^sessions\/\S+ in project demo-run-/),
    });
  },
);

it.runIf(IS_FULL)('demo prints the timeline for people, without colours into a pipe', async () => {
  const { code, stdout } = await runCommand(['demo']);
  const text = stdout.join('\n');
  expect(code).toBe(0);
  expect(text).toMatch(/^\d\d:\d\d:\d\d {2}01-kubernetes-investigator {2}thinking/);
  expect(text).toContain('FINAL ANALYSIS');
  expect(text).toMatch(/ {2}EXECUTIVE SUMMARY\n {10}Confirmed: All three checkout pods restart/);
  expect(text).toMatch(/^Session {4}\S+ {2}completed$/m);
  expect(text).toMatch(/^Tokens {5}\d+ \(\d+ in, \d+ out, \d+ thinking\)$/m);
  expect(text).not.toContain('\u001b');
  expect(stdout.join('\n')).toMatch(/^Model +scripted gemini-3\.8-flash\n +The answers come from a script/m);
});

it('demo of an example that does not exist names the ones there are', async () => {
  const { code, stderr, stdout } = await callCommand(['demo', 'nosuch']);
  expect(code).toBe(2);
  expect(stderr).toEqual([
    'inquest: there is no example "nosuch"; there are: alarm, approval, assessment, chain, crashloop, fallback, flapping, group, incident, parallel, planted, react, research, storm, synthesis, team, triage',
  ]);
  expect(stdout).toEqual([]);
});

it('--help names the commands and exits with 0', async () => {
  const { code, stdout } = await callCommand(['--help']);
  expect(code).toBe(0);
  for (const command of [
    'demo',
    'start',
    'send',
    'adapt',
    'cancel',
    'start-deferred',
    'db',
    'check-config',
    'migrate',
  ])
    expect(stdout.join('\n')).toMatch(new RegExp(`^ +${command}[ |]`, 'm'));
});

it.each([
  'demo --nosuch',
  'nosuch',
  'publish',
  'start --port=80',
  'start --port=65535',
  'demo --port=eight',
  'help nosuch',
  'version more',
])('inquest %s is refused, with its usage and then the error, and exit code 2', async (line) => {
  const { code, stderr } = await callCommand(line.split(' '));
  expect(code).toBe(2);
  expect(stderr.join('\n')).toMatch(/^Usage: inquest .*\n`inquest help.*` explains it\.\n\nerror: .*$/);
});

it.each<[string, RegExp]>([
  ['', /\nerror: missing command$/],
  ['db', /\nerror: missing command; expected one of ls, get, watch$/],
  ['agents', /\nerror: missing command; expected one of list, show, .*$/],
])('inquest %s without a command prints its help, then the error, and exits with 2', async (line, error) => {
  const { code, stderr } = await callCommand(line.split(' ').filter(Boolean));
  expect(code).toBe(2);
  expect(stderr.join('\n')).toMatch(error);
});

it.each([['version'], ['--version'], ['-V']])('%s prints the version', async (arg) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await callCommand([arg])).toEqual({ code: 0, stdout: [version], stderr: [] });
});

it.each([
  ['--config', {}],
  ['INQUEST_CONFIG', { INQUEST_CONFIG: '/nosuch/folder' }],
])('build takes the configuration that %s names, and checks it before it builds', async (name, env) => {
  const args = name === '--config' ? ['--config', '/nosuch/folder'] : [];
  const { code, stdout, stderr } = await callCommand(['build', ...args], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: [] });
  expect(stderr).toEqual([expect.stringMatching(/^inquest: \/nosuch\/folder is not a folder/)]);
});
