// The packages of a real provider, copied into a deployment.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFile } from '../shared/projectFiles.ts';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { writeArchive } from './archive.ts';
import { copyPackages } from './copyPackages.ts';

const MODULE = `const { initChatModel } = await import('langchain/chat_models/universal');
const model = await initChatModel('gpt-5', { modelProvider: 'openai', apiKey: 'none' });
console.log(typeof model.stream, import.meta.resolve('langchain'));
`;

it('LangChain and a provider load from a deployment that has no other packages', async () => {
  const folder = temporaryFolder();
  const names = ['langchain', '@langchain/core', '@langchain/openai'];
  const packages = await copyPackages(names, projectFile('test/packages'), folder);
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  mkdirSync(join(folder, 'lib'));
  const module = join(folder, 'lib/module.mjs');
  writeFileSync(module, MODULE);
  const output = execFileSync(process.execPath, [module], { cwd: folder, encoding: 'utf8' });
  expect(output).toBe(`function file://${folder}/node_modules/langchain/dist/index.js\n`);
  // Every path fits into the format.
  expect((await writeArchive(folder)).files).toBeGreaterThan(1_000);
}, 60_000);
