import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { copyPackages } from './copyPackages.ts';

const temporary = (): string => {
  const folder = temporaryFolder();
  return folder;
};

/** Installs a package whose module exports its name and version, and those that it requires. */
function install(folder: string, name: string, version: string, more: object = {}): void {
  const own = join(folder, 'node_modules', name);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name, version, license: 'MIT', ...more }));
  const { dependencies = {} } = more as { dependencies?: object };
  const required = Object.keys(dependencies).map((one) => `...require('${one}')`);
  writeFileSync(join(own, 'index.js'), `module.exports = ['${name} ${version}', ${required.join(', ')}];`);
  for (const file of ['index.js.map', 'index.d.ts', 'LICENSE']) writeFileSync(join(own, file), name);
}

it('copies packages with the versions that each of them gets where they are installed', async () => {
  const source = temporary();
  install(source, '@langchain/one', '1.0.0', {
    dependencies: { shared: '2', nested: '1' },
    optionalDependencies: { absent: '1' },
    peerDependencies: { peer: '1', unwanted: '1' },
    peerDependenciesMeta: { unwanted: { optional: true } },
  });
  install(source, 'shared', '1.0.0');
  install(source, 'peer', '1.0.0', { dependencies: { shared: '1' } });
  const one = join(source, 'node_modules/@langchain/one');
  install(one, 'shared', '2.0.0');
  install(one, 'nested', '1.0.0', { dependencies: { shared: '2' } });
  install(source, 'unwanted', '1.0.0');

  const target = temporary();
  const packages = await copyPackages(['@langchain/one', 'shared'], source, target);
  const load = createRequire(join(target, 'start.js'));
  expect(load('@langchain/one')).toEqual([
    '@langchain/one 1.0.0',
    'shared 2.0.0',
    'nested 1.0.0',
    'shared 2.0.0',
  ]);
  expect(load('shared')).toEqual(['shared 1.0.0']);
  expect(load('peer')).toEqual(['peer 1.0.0', 'shared 1.0.0']);
  const named = packages.map(({ name, version, license }) => `${name} ${version} ${license}`);
  expect(named.sort()).toEqual([
    '@langchain/one 1.0.0 MIT',
    'nested 1.0.0 MIT',
    'peer 1.0.0 MIT',
    'shared 1.0.0 MIT',
    // One for each package that needs it.
    'shared 2.0.0 MIT',
    'shared 2.0.0 MIT',
  ]);
  expect(readdirSync(join(target, 'node_modules')).sort()).toEqual([
    '@langchain',
    'nested',
    'peer',
    'shared',
  ]);
  const copy = join(target, 'node_modules/shared');
  expect(readdirSync(copy).sort()).toEqual(['LICENSE', 'index.js', 'package.json']);
  expect(readFileSync(join(copy, 'LICENSE'), 'utf8')).toBe('shared');
});

it('names a package that is not installed', async () => {
  const source = temporary();
  install(source, 'one', '1.0.0', { dependencies: { two: '1' } });
  await expect(copyPackages(['one'], source, temporary())).rejects.toThrow(
    'two is not installed: npm install two',
  );
});
