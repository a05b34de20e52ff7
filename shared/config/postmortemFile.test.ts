import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { loadPostmortem } from './postmortemFile.ts';
import type { Fault } from './yamlFile.ts';

it.each([
  [{}, undefined, []],
  [{ 'postmortem.md': '# {{title}}\n' }, '# {{title}}\n', []],
  [{ 'postmortem.md': '# {{titel}}\n' }, undefined, [expect.stringContaining('has the place {{titel}}')]],
])('of %o is %j', (files, text, messages) => {
  const folder = temporaryFolder();
  writeFiles(files as Record<string, string>, folder);
  const faults: Fault[] = [];
  expect(loadPostmortem(folder, faults)).toBe(text);
  expect(faults.map(({ message }) => message)).toEqual(messages);
});

it('of a folder in its place is a fault', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'postmortem.md'));
  const faults: Fault[] = [];
  expect(loadPostmortem(folder, faults)).toBeUndefined();
  expect(faults).toMatchObject([{ message: expect.stringContaining('is no file') }]);
});
