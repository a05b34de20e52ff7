// The packages: workspaces of npm that stand without the product, with commands for others.

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../test/support/sourceImports.ts';

interface Manifest {
  name: string;
  version: string;
  private: boolean;
  license: string;
  bin: Record<string, string>;
  exports: string;
  engines: { node: string };
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const ROOT = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const readJson = <T>(path: string): T => JSON.parse(read(path));
const root = readJson<Manifest & { workspaces: string[]; knip: { workspaces: object } }>('package.json');
const lock = readJson<{ packages: Record<string, { resolved?: string; link?: boolean; version?: string }> }>(
  'package-lock.json',
);
const folders = globSync('packages/*/package.json').map((file) => file.replace(/\/package\.json$/, ''));
/** The name of a package in an import: `@google-cloud/firestore` of `@google-cloud/firestore/build`. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

it('all are workspaces, and the lock file names no registry', () => {
  expect(folders.sort()).toEqual(['packages/local-cloud', 'packages/scripted-gemini']);
  expect(root.workspaces).toEqual(['packages/*']);
  const resolved = Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined);
  const links = folders.map((folder) => [
    `node_modules/${readJson<Manifest>(`${folder}/package.json`).name}`,
    folder,
  ]);
  expect(resolved.map(([name, entry]) => [name, entry.resolved])).toEqual(links);
});

it('the compiler, the tests, the figures and the random mutants include them', () => {
  expect(readJson<{ include: string[] }>('tsconfig.json').include).toContain('packages');
  for (const file of [
    'vitest.config.ts',
    'shared/layers.test.ts',
    'test/mutants/random/reach.ts',
    'test/figures/sources.ts',
  ])
    expect(read(file), file).toContain('packages');
  expect(Object.keys(root.knip.workspaces)).toEqual(['.', ...folders]);
  expect(read('.github/dependabot.yml')).toMatch(/directories: \[\/,/);
});

describe.each(folders)('%s', (folder) => {
  const manifest = readJson<Manifest>(`${folder}/package.json`);
  const [[command, launcher = ''] = []] = Object.entries(manifest.bin);
  const sources = globSync(`${folder}/src/**/*.ts`).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const specifiers = sources.flatMap((file) =>
    importsOf(file, readFileSync(file, 'utf8')).map(({ specifier }) => specifier),
  );

  it('has a scoped name, and is private with the version, license and Node of the product', () => {
    const { version, license, engines } = root;
    expect(manifest).toMatchObject({ version, license, engines, private: true, exports: './src/index.ts' });
    expect(manifest.name).toBe(`@inquest/${folder.split('/')[1]}`);
    expect(lock.packages[folder]).toMatchObject({ version, dependencies: manifest.dependencies });
  });

  it('imports nothing outside of its folder, in its tests too', () => {
    const outside = globSync(`${folder}/src/**/*.ts`).flatMap((file) =>
      importsOf(file, readFileSync(file, 'utf8'))
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => `${join(dirname(file), specifier)}`)
        .filter((target) => !target.startsWith(`${folder}/src/`)),
    );
    expect(outside).toEqual([]);
  });

  it('depends on what its sources import, and on the versions of the product', () => {
    const packages = specifiers.filter((name) => !/^(\.|node:)/.test(name)).map(packageOf);
    const declared = Object.keys(manifest.dependencies);
    expect([...new Set(packages)].filter((name) => !declared.includes(name))).toEqual([]);
    const versions = { ...root.devDependencies, ...root.dependencies };
    const others = Object.entries(manifest.dependencies).filter(
      ([name, version]) => (versions[name] ?? version) !== version,
    );
    expect(others).toEqual([]);
  });

  it('has a README with its command, what is there and what is not, and the repeated lines', () => {
    const readme = read(`${folder}/README.md`);
    for (const part of [
      `npx ${manifest.name}`,
      '## What is there',
      '## What is not there',
      '## Repeated from Inquest',
    ])
      expect(readme).toContain(part);
    const named = [...readme.matchAll(/^\| .*`((?:src|bin)\/[^`]+)` \|/gm)].map(([, file]) => file);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((file) => !existsSync(new URL(`${folder}/${file}`, ROOT)))).toEqual([]);
    const repeated = [...readme.matchAll(/\(`((?:shared|cli)\/[^`]+)`\)/g)].map(([, file = '']) => file);
    expect(repeated.filter((file) => !existsSync(new URL(file, ROOT)))).toEqual([]);
  });

  it('has a command of JavaScript, which names the wrong option and the help', () => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [`${folder}/${launcher}`, ...args], { encoding: 'utf8', stdio: 'pipe' });
    expect(launcher).toBe(`bin/${command}.js`);
    expect(run('--help')).toMatch(new RegExp(`^Usage: ${command} `));
    expect(() => run('--prot', '1')).toThrow(
      expect.objectContaining({
        status: 2,
        stderr: expect.stringMatching(new RegExp(`^${command}: Unknown option '--prot'[^]*--help`)),
      }),
    );
  });
});
