// Builds one folder that deploys as it is, and starts without a network: the bundled services, the dashboard,
// their configuration, the packages of its model providers, and an archive of all of it.

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import { ConfigError } from '../shared/config/configError.ts';
import { readModelProviders } from '../shared/config/configVariables.ts';
import { loadOff } from '../shared/config/switches.ts';
import { unreachableFaults } from '../shared/config/unreachableServers.ts';
import { OFF_VARIABLE } from '../shared/contract/switches.ts';
import { NATIVE_PROVIDER, PROVIDER_PACKAGES } from '../shared/core/contract/modelFacts.ts';
import { IS_CHECKOUT, packageVersion, projectFile, workFile } from '../shared/projectFiles.ts';
import { EXTENSION_NAMES } from '../shared/wiring/extensions.ts';
import { type Archive, writeArchive } from './archive.ts';
import { bundleSizes } from './bundleContents.ts';
import { copyConfig } from './copyConfig.ts';
import { copyPackages } from './copyPackages.ts';
import { deploymentManifest } from './manifestFile.ts';
import { writeSbom } from './sbom.ts';

/** The package's files instead of sources and bundler: `bundleFunctions`, `bundleSizes`. */
export const PREBUILT = { functions: 'bundle/functions', sizes: 'bundle/sizes.txt' } as const;

/** The inputs of a build. */
export interface BuildOptions {
  /** A valid configuration outside the folder. Default: config/. */
  configFolder?: string;
  /** The built dashboard. Default: web/dist. */
  page?: string;
  /** Whether the services run on this machine, so that they reach its MCP servers. Default: false. */
  local?: boolean;
}

/**
 * Builds a complete deployment into `folder`, which is emptied first, from the sources of a checkout.
 * @returns the metafile of esbuild, for `bundleContents`.
 * @throws Error when a module cannot be bundled, there is no dashboard, a package that models.yaml needs is
 *   not installed, or the configuration is below `folder`. No file is written for a missing dashboard and a
 *   configuration below `folder`.
 */
export function buildFunctions(folder: string, options: BuildOptions = {}): Promise<Metafile> {
  return writeFolder(folder, options, async (page) => {
    const { bundleFunctions } = await import('./bundle.ts');
    return bundleFunctions(folder, page, loadOff(options.configFolder ?? projectFile('config')));
  });
}

/**
 * Builds dist/ and its archive with the configuration of `configFolder`. The package copies the services that
 * it contains.
 * @returns readable lines: the size of each service, the configuration and the archive.
 * @throws ConfigError for a server of this machine; the errors of `buildFunctions`.
 */
export async function buildReport(
  configFolder: string,
  { local = false }: Pick<BuildOptions, 'local'> = {},
): Promise<string[]> {
  const faults = local ? [] : unreachableFaults(configFolder, process.env);
  if (faults.length > 0) throw new ConfigError(faults);
  const folder = workFile('dist');
  const sizes = IS_CHECKOUT
    ? bundleSizes(await buildFunctions(folder, { configFolder, local }))
    : await writeFolder(folder, { configFolder, local }, () => copyPrebuilt(folder));
  const archive = await writeArchive(folder);
  return [
    ...sizes,
    `configuration: ${configFolder}`,
    `archive: ${describeArchive(archive)}`,
    'dist/ is ready: INQUEST_SERVICE=NAME node start.js starts a service in it',
  ];
}

function describeArchive({ file, bytes, files }: Archive): string {
  return `${file} (${(bytes / 1_000_000).toFixed(1)} MB, ${files} files)`;
}

async function copyPrebuilt(folder: string): Promise<string[]> {
  await cp(projectFile(PREBUILT.functions), folder, { recursive: true });
  return (await readFile(projectFile(PREBUILT.sizes), 'utf8')).split('\n');
}

/** Empties `folder`, writes services, all that depends on the configuration, and the dashboard. */
async function writeFolder<T>(
  folder: string,
  { configFolder = projectFile('config'), page = projectFile('web/dist'), local = false }: BuildOptions,
  writeServices: (page: string) => Promise<T>,
): Promise<T> {
  if (!relative(folder, configFolder).startsWith('..'))
    throw new Error(
      `${configFolder} is in ${folder}, which is emptied first: keep the configuration elsewhere`,
    );
  if (!existsSync(join(page, '.vite/manifest.json')))
    throw new Error(`there is no dashboard in ${page}: build it with \`npx vite build web\``);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const written = await writeServices(page);
  await writeOff(join(folder, 'start.js'), configFolder);
  // The services are in lib/, so that they find both folders as the sources do.
  await copyConfig(configFolder, join(folder, 'config'));
  await cp(page, join(folder, 'web', 'dist'), { recursive: true });
  const version = packageVersion();
  const packages = await copyPackages(langchainPackages(configFolder), projectFile(''), folder);
  if (packages.length > 0) await writeSbom(folder, version, packages);
  await writeJson(join(folder, 'package.json'), packageJson(version));
  await writeJson(join(folder, 'manifest.json'), deploymentManifest(version, configFolder, local));
  return written;
}

/** Sets the variable of features that are off, before services are loaded. */
async function writeOff(file: string, configFolder: string): Promise<void> {
  const off = [...loadOff(configFolder)].join(',');
  const start = await readFile(file, 'utf8');
  if (off !== '') await writeFile(file, `process.env.${OFF_VARIABLE} = '${off}';\n${start}`);
}

async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

function packageJson(version: string): object {
  return {
    name: 'inquest-services',
    version,
    private: true,
    type: 'module',
    engines: { node: '24' },
    // Already built: an empty script keeps a buildpack from building again.
    scripts: { 'gcp-build': '', start: 'node start.js' },
  };
}

/** LangChain and the packages of the providers that models.yaml names. */
function langchainPackages(configFolder: string): string[] {
  const providers = new Set(readModelProviders(configFolder));
  for (const name of [NATIVE_PROVIDER, ...EXTENSION_NAMES.providers]) providers.delete(name);
  if (providers.size === 0) return [];
  const packages = [...providers].map((name) => PROVIDER_PACKAGES[name] ?? name);
  return [...new Set(['langchain', '@langchain/core', ...packages])];
}
