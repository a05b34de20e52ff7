// Builds one folder that deploys as it is: the bundled functions, their configuration, a small package.json.

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import { parse } from 'yaml';
import * as z from 'zod';
import { FRAMEWORK } from '../functions/manifest.ts';
import { NATIVE_PROVIDER, PROVIDER_PACKAGES } from '../shared/contract/modelFacts.ts';
import { IS_CHECKOUT, projectFile, workFile } from '../shared/projectFiles.ts';
import { EXTENSION_NAMES } from '../shared/wiring/extensions.ts';
import { bundleSizes } from './bundleContents.ts';

/** Where the dashboard is, if it was built. */
const PAGE = projectFile('web/dist');
/** What the package has in place of the sources and the bundler: `bundleFunctions`' output, and the lines of `bundleSizes`. */
export const PREBUILT = { functions: 'bundle/functions', sizes: 'bundle/sizes.txt' } as const;

/**
 * Bundles the functions of a checkout into `folder`, which is emptied first.
 * @param configFolder a valid configuration outside `folder`. Default: config/.
 * @returns the metafile of esbuild, for `bundleContents`.
 * @throws Error when a module cannot be bundled, models.yaml names a provider whose package is not installed, or the
 *   configuration is below `folder`. No file is written for the last two.
 */
export function buildFunctions(folder: string, configFolder = projectFile('config')): Promise<Metafile> {
  return assemble(folder, configFolder, async () => {
    const { bundleFunctions } = await import('./bundle.ts');
    return bundleFunctions(folder, PAGE);
  });
}

/**
 * Builds dist/ with the configuration of `configFolder`, and with the dashboard if it is built. The package copies the
 * functions that it contains.
 * @returns readable lines: the size of each function, the configuration, and the command to deploy.
 * @throws the errors of `buildFunctions`.
 */
export async function buildReport(configFolder: string): Promise<string[]> {
  const folder = workFile('dist');
  const sizes = IS_CHECKOUT
    ? bundleSizes(await buildFunctions(folder, configFolder))
    : await assemble(folder, configFolder, () => copyPrebuilt(folder));
  if (existsSync(PAGE)) await cp(PAGE, join(folder, 'web', 'dist'), { recursive: true });
  const deploy = 'gcloud functions deploy NAME --gen2 --runtime=nodejs24 --source=dist --entry-point=NAME …';
  return [...sizes, `configuration: ${configFolder}`, `dist/ is ready: ${deploy}`];
}

async function copyPrebuilt(folder: string): Promise<string[]> {
  await cp(projectFile(PREBUILT.functions), folder, { recursive: true });
  return (await readFile(projectFile(PREBUILT.sizes), 'utf8')).split('\n');
}

/** Empties `folder`, writes the functions into it, and adds the configuration and a package.json. */
async function assemble<T>(
  folder: string,
  configFolder: string,
  writeFunctions: () => Promise<T>,
): Promise<T> {
  if (!relative(folder, configFolder).startsWith('..'))
    throw new Error(
      `${configFolder} is in ${folder}, which is emptied first: keep the configuration elsewhere`,
    );
  const packages = await packageJson(configFolder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const written = await writeFunctions();
  // The functions are in lib/, so that they find it as the sources do.
  await cp(configFolder, join(folder, 'config'), { recursive: true });
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packages, null, 2)}\n`);
  return written;
}

async function packageJson(configFolder: string): Promise<object> {
  const { version, dependencies } = await readPackage(projectFile(''));
  return {
    name: 'inquest-functions',
    version,
    private: true,
    type: 'module',
    main: 'index.js',
    engines: { node: '24' },
    // Already built: an empty script keeps the buildpack from building again. Functions are started by the framework.
    scripts: { 'gcp-build': '', start: 'node api.js' },
    dependencies: { [FRAMEWORK]: dependencies[FRAMEWORK], ...(await langchainPackages(configFolder)) },
  };
}

/** LangChain and the packages of the providers that models.yaml names, at the versions installed here. */
async function langchainPackages(configFolder: string): Promise<Record<string, string>> {
  const file = join(configFolder, 'models.yaml');
  const text = await readFile(file, 'utf8');
  const { models } = z
    .object({ models: z.record(z.string(), z.object({ provider: z.string() })) })
    .parse(parse(text));
  const providers = new Set(Object.values(models).map(({ provider }) => provider));
  for (const name of [NATIVE_PROVIDER, ...EXTENSION_NAMES.providers]) providers.delete(name);
  if (providers.size === 0) return {};
  const names = [
    'langchain',
    '@langchain/core',
    ...[...providers].map((name) => PROVIDER_PACKAGES[name] ?? name),
  ];
  const versions = names.map(async (name) => {
    const installed = await readInstalled(name);
    if (installed === undefined) throw new Error(`${file} needs ${name}: npm install ${name}`);
    return [name, installed.version] as const;
  });
  return Object.fromEntries(await Promise.all(versions));
}

/** The package.json of an installed package; undefined when it is not installed. */
async function readInstalled(name: string): Promise<{ version: string } | undefined> {
  const folders = createRequire(projectFile('package.json')).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  return found === undefined ? undefined : readPackage(found);
}

async function readPackage(
  folder: string,
): Promise<{ version: string; dependencies: Record<string, string> }> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Awaited<
    ReturnType<typeof readPackage>
  >;
}
