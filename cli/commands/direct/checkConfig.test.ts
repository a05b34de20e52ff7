// Lines of `check-config` about skills, instances, scope. Others: test/system/checkConfig.test.ts.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { callCommand } from '../../../test/support/callCommand.ts';
import { ownConfig, writeFiles } from '../../../test/support/ownConfig.ts';

const SERVER = fileURLToPath(new URL('../../../test/tools/stdioServer.ts', import.meta.url));

function folderWith(server: object, skills: Record<string, string> = {}): string {
  const connection = { transport: 'stdio', command: process.execPath, args: [SERVER] };
  const files = Object.entries(skills).map(([name, head]) => [
    `skills/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: About ${name}.\n${head}---\n\nRead df.\n`,
  ]);
  const folder = ownConfig({ servers: { k: { ...connection, ...server } }, tools: ['k'] });
  return writeFiles(Object.fromEntries(files), folder);
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

it('refuses a scope without labels, with file and line', async () => {
  const folder = folderWith({ scope: { from: 'labels', keys: [] } });
  const { code, stderr } = await check(folder, '--no-connect');
  expect(code).toBe(1);
  expect(stderr.join('\n')).toMatch(/servers\.yaml:\d+:\d+ servers\.k\.scope\.keys: must hold at least 1$/m);
});

it('names tools by label, and refuses entries without effect with file and line', async () => {
  const tools = { 'get_*': { labels: { team: ['shop', 'b*'] } }, 'nosuch_*': { labels: { team: 'x' } } };
  const { code, stderr, lines } = await check(folderWith({ scope: { from: 'labels', tools } }));
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: [] });
  expect(lines).toEqual([
    expect.stringMatching(/^server {9}k: \d+ tools: /),
    '               get_* only for alerts with team=shop|b*',
    '               nosuch_* only for alerts with team=x',
  ]);
  const without = folderWith({
    scope: { from: 'labels', unscoped: ['get_*'], tools: { a: { labels: {} } } },
  });
  const refused = await check(without, '--no-connect');
  expect(refused.code).toBe(1);
  expect(refused.stderr.join('\n')).toMatch(/k\.scope\.tools: a names no label/);
  expect(refused.stderr.join('\n')).toMatch(/k\.scope\.unscoped: has no effect without keys/);
  const none = await check(folderWith({ scope: { from: 'labels' } }), '--no-connect');
  expect(none.stderr.join('\n')).toMatch(
    /servers\.yaml:\d+:\d+ servers\.k\.scope(\.keys)?: is missing; name/,
  );
});
