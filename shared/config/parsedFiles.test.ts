import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyConfig } from '../../deploy/copyConfig.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { projectFile } from '../projectFiles.ts';
import { loadIterationConfig } from './loadIteration.ts';
import { PARSED_FILES, parseEntry } from './parsedFiles.ts';

const NO_NAMES = { toolSources: [], providers: [] };

/** A built copy of an example's configuration. */
async function build(): Promise<string> {
  const folder = join(temporaryFolder(), 'config');
  await copyConfig(projectFile('examples/crashloop/config'), folder);
  return folder;
}

it('a built configuration has the values of its files, and they are those that are loaded', async () => {
  const folder = await build();
  const { servers, askable } = loadIterationConfig(folder, {}, NO_NAMES);
  const source = loadIterationConfig(projectFile('examples/crashloop/config'), {}, NO_NAMES);
  expect(askable).toEqual(source.askable);
  expect(Object.keys(servers)).toEqual(Object.keys(source.servers));

  const file = join(folder, PARSED_FILES);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('"instructions"');
  writeFileSync(file, text.replace(/"instructions":"/, '"instructions":"From the build. '));
  const [agent] = Object.values(loadIterationConfig(folder, {}, NO_NAMES).askable);
  expect(agent?.instructions).toMatch(/^From the build\. /);
});

it('a file that was changed after the build is parsed again, and its faults have their places', async () => {
  const folder = await build();
  const file = join(folder, 'models.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nunknown: 1\n`);
  expect(() => loadIterationConfig(folder, {}, NO_NAMES)).toThrow(/models\.yaml:\d+:1 unknown: unknown key/);
});

it('faults of a file with a value of the build have their places', async () => {
  const folder = await build();
  cpSync(join(folder, 'agents.yaml'), join(folder, 'chains.yaml'));
  expect(() => loadIterationConfig(folder, {}, NO_NAMES)).toThrow(/chains\.yaml:1:1 agents: unknown key/);
});

it.each(['a: [1', 'a: 1\na: 2\n', 'a: .inf\n'])('%j has no value of a build', (text) => {
  expect(parseEntry(text)).toBeUndefined();
});
