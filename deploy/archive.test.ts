import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { writeArchive } from './archive.ts';

const LONG = `${'folder/'.repeat(15)}${'a'.repeat(90)}.js`;
const FILES: Record<string, string> = {
  'start.js': 'start();\n',
  'lib/empty.js': '',
  'lib/block.js': 'x'.repeat(512),
  'lib/größe.txt': 'Größe',
  [LONG]: 'long',
};

function folderWith(names: readonly string[], mode?: number): string {
  const folder = temporaryFolder();
  for (const name of names) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, FILES[name] ?? '', mode === undefined ? {} : { mode });
  }
  return folder;
}

it('unpacks to the same files with tar, of one owner, mode and time', async () => {
  const { file, bytes, files, digest } = await writeArchive(folderWith(Object.keys(FILES)));
  const content = readFileSync(file);
  expect({ bytes, files }).toEqual({ bytes: content.length, files: 5 });
  expect(file.endsWith(`/${digest}.tar.gz`)).toBe(true);
  expect(createHash('sha256').update(content).digest('hex')).toBe(digest);
  const target = folderWith([]);
  execFileSync('tar', ['-xzf', file, '-C', target]);
  for (const [name, text] of Object.entries(FILES))
    expect(readFileSync(join(target, name), 'utf8')).toBe(text);
  const listed = execFileSync('tar', ['-tvzf', file, '--numeric-owner', '--utc', '--quoting-style=literal'], {
    encoding: 'utf8',
  });
  const lines = listed.trim().split('\n');
  for (const line of lines) expect(line).toMatch(/^-rw-r--r-- 0\/0 +\d+ 2000-01-01 00:00 /);
  expect(lines.map((line) => line.split(' ').at(-1))).toEqual([
    LONG,
    'lib/block.js',
    'lib/empty.js',
    'lib/größe.txt',
    'start.js',
  ]);
});

it('is the same for the same files, at any time and in any order of writing', async () => {
  const one = folderWith(Object.keys(FILES));
  const other = folderWith(Object.keys(FILES).reverse(), 0o600);
  utimesSync(join(other, 'start.js'), new Date(0), new Date(0));
  const [first, second] = [await writeArchive(one), await writeArchive(other)];
  expect(readFileSync(first.file).equals(readFileSync(second.file))).toBe(true);
  writeFileSync(join(other, 'start.js'), 'changed');
  rmSync(second.file);
  expect((await writeArchive(other)).digest).not.toBe(first.digest);
});

it('refuses links, and paths that are too long for the format', async () => {
  const linked = folderWith(['start.js']);
  symlinkSync('start.js', join(linked, 'link.js'));
  await expect(writeArchive(linked)).rejects.toThrow('link.js is no file');
  await expect(writeArchive(folderWith([`${'a'.repeat(101)}.js`]))).rejects.toThrow('too long');
});
