// Makes the package: compiled modules and commands' files, in pkg/inquest, and a tarball.

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import type { Metafile } from 'esbuild';
import { API_NAME, FUNCTION_NAMES } from '../functions/manifest.ts';
import { compiledPath, projectFile, STARTED_MODULES } from '../shared/projectFiles.ts';
import { PREBUILT } from './build.ts';
import { buildPage } from './buildWeb.ts';
import { bundleFunctions, bundleModules, compiledEntry, DATA_FILES } from './bundle.ts';
import { bundleSizes } from './bundleContents.ts';

const PKG = projectFile('pkg');
const FOLDER = join(PKG, 'inquest');
/** Copied as they are. */
const FILES = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'cli/inquest.js',
  'config',
  'examples',
  'packs',
  'firebase.json',
  'firestore.rules',
  'firestore.indexes.json',
  'deploy/terraform',
  'deploy/trial',
  ...DATA_FILES,
  'shared/cases/bench/cloudOpsRules.yaml',
];
/** Installed by users who configure another provider of models. */
const OPTIONAL = /^(langchain$|@langchain\/)/;
/** The name of a package at the start of an import specifier. */
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+/;
/** A module in the configuration of an example. */
const SOURCE_PATH = /(?<=\$\{INQUEST_HOME\}\/)[\w/]+\.ts/g;

interface Manifest {
  /** Name of the package. */
  name: string;
  /** Version of the package. */
  version: string;
  /** One sentence for the registry. */
  description: string;
  /** SPDX expression. */
  license: string;
  /** Path of the script of each command. */
  bin: Record<string, string>;
  /** Exact versions by package. */
  dependencies: Record<string, string>;
  /** Exact versions by package, with the Node of the checkout. */
  devDependencies: Record<string, string>;
}

new Command('pack').description('Makes the package in pkg/inquest, and its tarball beside it.').parse();
await rm(PKG, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
for (const file of FILES) await cp(projectFile(file), join(FOLDER, file), { recursive: true });
await nameCompiledModules();
const page = join(FOLDER, 'web/dist');
await buildPage(page);
const functions = await bundleFunctions(join(FOLDER, PREBUILT.functions), page);
await writeFile(join(FOLDER, PREBUILT.sizes), bundleSizes(functions).join('\n'));
await cp(join(FOLDER, PREBUILT.functions, 'NOTICE'), join(FOLDER, 'NOTICE'));
await writeManifest(await compileModules());
const { stdout } = await promisify(execFile)('npm', ['pack', './inquest'], { cwd: PKG });
process.stdout.write(`pkg/${stdout.trim()}\n`);

/** Compiles the command and all modules that are started by path. Packages stay imports. */
function compileModules(): Promise<Metafile> {
  const names = [...FUNCTION_NAMES, API_NAME].map((name) => `functions/${name}.ts`);
  const modules = ['cli/cli.ts', ...names, ...STARTED_MODULES];
  return bundleModules(modules.map(compiledEntry), join(FOLDER, 'lib'), {
    packages: 'external',
    // With the bundler, for checkouts only.
    external: [projectFile('deploy/bundle.ts')],
  });
}

/** The configurations of the examples start tool servers by their path. */
async function nameCompiledModules(): Promise<void> {
  for (const file of globSync('examples/*/config/servers.yaml', { cwd: FOLDER })) {
    const path = join(FOLDER, file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(SOURCE_PATH, compiledPath));
  }
}

/** Writes package.json with packages of compiled modules, and their Node. */
async function writeManifest(metafile: Metafile): Promise<void> {
  const project = JSON.parse(await readFile(projectFile('package.json'), 'utf8')) as Manifest;
  const { name, version, description, license, bin } = project;
  const versions = Object.assign(
    {},
    ...(await readWorkspaces()),
    project.devDependencies,
    project.dependencies,
  );
  const dependencies = importedPackages(metafile).map((used) => [used, versions[used]]);
  const [major] = project.devDependencies.node?.split('.') ?? [];
  const manifest = {
    name,
    version,
    private: true,
    description,
    license,
    type: 'module',
    bin,
    engines: { node: `>=${major}` },
    dependencies: Object.fromEntries(dependencies),
  };
  await writeFile(join(FOLDER, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The versions that the packages of packages/ depend on. Their modules are compiled with the others. */
function readWorkspaces(): Promise<Manifest['dependencies'][]> {
  const files = globSync('packages/*/package.json', { cwd: projectFile('') });
  return Promise.all(
    files.map(
      async (file) => (JSON.parse(await readFile(projectFile(file), 'utf8')) as Manifest).dependencies,
    ),
  );
}

/** The names of the packages that outputs import, sorted, without optional ones. */
function importedPackages({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const names = imports
    .filter(({ external, path }) => external && !isBuiltin(path) && !/^[./]/.test(path))
    .flatMap(({ path }) => PACKAGE_NAME.exec(path)?.[0] ?? []);
  return [...new Set(names)].filter((name) => !OPTIONAL.test(name)).sort();
}
