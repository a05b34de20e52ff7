// Lines of `check-config` about skills, instances, scope. Others: test/system/checkConfig.test.ts.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { callCommand } from '../../../test/support/callCommand.ts';
import { ownConfig } from '../../../test/support/ownConfig.ts';

const SERVER = fileURLToPath(new URL('../../../test/tools/stdioServer.ts', import.meta.url));

function folderWith(server: object, skills: Record<string, string> = {}): string {
  const connection = { transport: 'stdio', command: process.execPath, args: [SERVER] };
  const folder = ownConfig({ servers: { k: { ...connection, ...server } }, tools: ['k'] });
  for (const [name, head] of Object.entries(skills)) {
    mkdirSync(join(folder, 'skills', name), { recursive: true });
    const text = `---\nname: ${name}\ndescription: About ${name}.\n${head}---\n\nRead df.\n`;
    writeFileSync(join(folder, 'skills', name, 'SKILL.md'), text);
  }
  return folder;
}

const check = async (folder: string, ...options: string[]) => {
  const { code, stdout, stderr } = await callCommand(['check-config', folder, '--no-keys', ...options]);
  return { code, stderr, lines: stdout.filter((line) => /^(skills|server| {2})/.test(line)) };
};

it('names each skill with the tools that it allows', async () => {
  const skills = { disk: '', oom: 'allowed-tools: k.get_* search\n', words: 'allowed-tools: []\n' };
  expect(await check(folderWith({}, skills), '--no-connect')).toEqual({
    code: 0,
    stderr: [],
    lines: [
      'skills         disk; oom (only k.get_*, search); words (only built-in tools)',
      'servers        not asked',
    ],
  });
});

it('names the instances of a server and their parameter, and the labels that limit its calls', async () => {
  const instances = {
    parameter: 'cluster',
    list: { eu: { env: { PLACE: 'eu' } }, us: { env: { PLACE: 'us' } } },
  };
  const scope = { from: 'labels', keys: ['cluster'] };
  const { code, stderr, lines } = await check(folderWith({ instances, scope }));
  expect({ code, stderr }).toEqual({ code: 0, stderr: [] });
  expect(lines).toEqual([
    expect.stringMatching(/^server {9}k: \d+ tools: /),
    '               instances by the parameter cluster: eu, us',
    '               calls are limited to the labels cluster of the alert',
  ]);
});

it.each<[string, object, Record<string, string>, RegExp]>([
  [
    'instances without one',
    { instances: { list: {} } },
    {},
    /servers\.yaml:\d+:\d+ servers\.k\.instances\.list: must name at least one instance$/m,
  ],
  [
    'a scope without labels',
    { scope: { from: 'labels', keys: [] } },
    {},
    /servers\.yaml:\d+:\d+ servers\.k\.scope\.keys: must hold at least 1$/m,
  ],
  ['a skill of another name', {}, { disk: 'name: full-disk\n' }, /skills\/disk\/SKILL\.md:\d+/],
])('refuses %s, with file and line', async (_, server, skills, fault) => {
  const { code, stderr } = await check(folderWith(server, skills), '--no-connect');
  expect(code).toBe(1);
  expect(stderr.join('\n')).toMatch(fault);
});

it.each([
  ['accepts a chain that reports outcomes', 'outcome', 0, /^$/],
  [
    'refuses an unknown event, and names outcome',
    'outcomes',
    1,
    /chains\.yaml:\d+:\d+ chains\.look\.notify\[0\]\.when\[1\]: unknown value "outcomes".*"outcome"/,
  ],
])('%s', async (_, when, code, fault) => {
  const folder = ownConfig({});
  appendFileSync(join(folder, 'chains.yaml'), `    notify: [{ to: team, when: [ended, ${when}] }]\n`);
  writeFileSync(
    join(folder, 'destinations.yaml'),
    'destinations: { team: { kind: slack, token: xoxb-a-token-of-tests, channel: C0123456789 } }\n',
  );
  const checked = await check(folder, '--no-connect');
  expect(checked).toMatchObject({ code });
  expect(checked.stderr.join('\n')).toMatch(fault);
});
