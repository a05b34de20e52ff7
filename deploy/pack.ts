// Makes the package: compiled modules and commands' files, in pkg/inquest, and a tarball.

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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
import { writeManifest } from './packageManifest.ts';
import { packEngine } from './packEngine.ts';

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
  'firebase.json',
  'firestore.rules',
  'firestore.indexes.json',
  'deploy/terraform',
  'deploy/trial',
  ...DATA_FILES,
  'shared/cases/bench/cloudOpsRules.yaml',
];
/** A module in the configuration of an example. */
const SOURCE_PATH = /(?<=\$\{INQUEST_HOME\}\/)[\w/]+\.ts/g;

const { engine } = new Command('pack')
  .description('Makes the package in pkg/inquest, and its tarball beside it.')
  .option('--engine', 'makes the engine as a library instead, in pkg/engine')
  .parse()
  .opts<{ engine?: true }>();
process.stdout.write(`${await (engine ? packEngine() : packCommand())}\n`);

/** Makes the package of the command. @returns the path of its tarball. */
async function packCommand(): Promise<string> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const file of FILES) await cp(projectFile(file), join(FOLDER, file), { recursive: true });
  // Programs on the engine, whose package they import.
  await rm(join(FOLDER, 'examples/engine'), { recursive: true });
  await nameCompiledModules();
  const page = join(FOLDER, 'web/dist');
  await buildPage(page);
  const functions = await bundleFunctions(join(FOLDER, PREBUILT.functions), page);
  await writeFile(join(FOLDER, PREBUILT.sizes), bundleSizes(functions).join('\n'));
  await cp(join(FOLDER, PREBUILT.functions, 'NOTICE'), join(FOLDER, 'NOTICE'));
  await writeManifest(FOLDER, await compileModules(), ({ description, bin }) => ({ description, bin }));
  const { stdout } = await promisify(execFile)('npm', ['pack', './inquest'], { cwd: PKG });
  return `pkg/${stdout.trim()}`;
}

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
