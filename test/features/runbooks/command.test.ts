// `put-runbook` on the command line.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callCommand } from '../../support/callCommand.ts';
import { temporaryFolder, writeFiles } from '../../support/ownConfig.ts';

/** `inquest put-runbook` with files of these texts, in a project of its own. */
function project() {
  const folder = temporaryFolder();
  const env = {
    GOOGLE_CLOUD_PROJECT: `demo-${randomUUID().slice(0, 8)}`,
    SHOP_PASSWORD: 'zebra-mountain-77',
  };
  const put = (files: Record<string, string | Buffer>, ...options: string[]) => {
    writeFiles(files, folder);
    const names = Object.keys(files).map((name) => join(folder, name));
    return callCommand(['put-runbook', ...names, ...options], env);
  };
  return { put, get: (path: string) => callCommand(['db', 'get', path], env) };
}

it('stores files by their names, without secrets, and prints the result', async () => {
  const { put, get } = project();
  const first = await put(
    { 'oom.md': 'log in with zebra-mountain-77', 'disk.full.txt': 'Clean up.' },
    '--by',
    'ada',
  );
  expect(first).toEqual({
    code: 0,
    stdout: ['runbook oom is stored', 'runbook disk.full is stored'],
    stderr: [],
  });
  const document = (await get('runbooks/oom')).stdout.join('\n');
  expect(document).toMatch(/text: log in with \[masked:known#\w+\]/);
  expect(document).toMatch(/updatedBy: ada/);
  const again = await put({ 'oom.md': 'Restart.', 'disk.full.txt': 'Clean up.' }, '--json');
  expect(again.stdout.map((line) => JSON.parse(line))).toEqual([
    { key: 'oom', outcome: 'replaced' },
    { key: 'disk.full', outcome: 'unchanged' },
  ]);
});

it.each<[string, string | Buffer, RegExp]>([
  ['b c.md', 'x', /the key "b c" must start with a letter or digit.*Nothing was stored\.$/],
  ['empty.md', ' ', /empty\.md is empty\. Nothing was stored\.$/],
  ['latin.md', Buffer.from([0xfc]), /latin\.md is not UTF-8 text\. Nothing was stored\.$/],
  ['long.md', 'x'.repeat(256_001), /long\.md has 256001 bytes; at most 256000\. Nothing was stored\.$/],
])('stores nothing when a file is no runbook: %s', async (name, text, fault) => {
  const { put, get } = project();
  const { code, stdout, stderr } = await put({ 'good.md': 'x', [name]: text });
  expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
  expect(stderr[0]).toMatch(fault);
  expect((await get('runbooks/good')).code).toBe(1);
});
