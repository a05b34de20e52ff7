// The release that is deployed: built from this code and a configuration, or built before.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWeb } from '../../deploy/buildWeb.ts';
import type { DeploymentManifest } from '../../deploy/manifestFile.ts';
import { loadAccess, loadSessionConfig } from '../../shared/config/load.ts';
import { workFile } from '../../shared/projectFiles.ts';
import { parseJson } from '../../shared/text/json.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { beforeAbort } from '../process/interrupt.ts';
import { UsageError } from '../process/usageError.ts';
import type { Deployable } from './deployment.ts';

/** How a release is built. */
interface BuildOptions {
  /** Whether the services run on this machine, so that they reach servers of this machine. Default: false. */
  local?: boolean;
  /** Receives progress. */
  onLine: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Builds the dashboard, and dist/ with the configuration in `configFolder`.
 * @returns the lines of `buildReport`.
 * @throws ConfigError for an invalid configuration; the errors of `buildWeb` and `buildReport`.
 */
export async function buildDist(
  configFolder: string,
  { local = false, onLine, signal }: BuildOptions,
): Promise<string[]> {
  loadSessionConfig(configFolder, EXTENSION_NAMES);
  loadAccess(configFolder);
  await buildWeb(onLine, signal);
  // Only `build` and `deploy` need the bundler.
  const { buildReport } = await import('../../deploy/build.ts');
  return await beforeAbort(buildReport(configFolder, { local }), signal);
}

/** Builds the release of this code with the configuration in `configFolder`. Throws as `buildDist`. */
export async function buildRelease(configFolder: string, options: BuildOptions): Promise<Deployable> {
  await buildDist(configFolder, options);
  return readBuilt(workFile('dist'));
}

/**
 * Reads the output of `inquest build` in `folder`: manifest.json, and the archive beside it.
 * @throws UsageError when one of the two is missing, and for a build with `--local`.
 */
export async function readBuilt(folder: string): Promise<Deployable> {
  const file = join(folder, 'manifest.json');
  const archives = existsSync(folder)
    ? (await readdir(folder)).filter((name) => name.endsWith('.tar.gz'))
    : [];
  const [name] = archives;
  if (!existsSync(file) || name === undefined || archives.length > 1)
    throw new UsageError(
      `${folder} is no folder that \`inquest build\` wrote: it needs manifest.json and one archive, ….tar.gz`,
    );
  const manifest = parseJson(await readFile(file, 'utf8')) as DeploymentManifest | undefined;
  if (manifest === undefined) throw new UsageError(`${file} is no JSON: build it again`);
  if (manifest.local)
    throw new UsageError(
      `${folder} was built with \`--local\`: its MCP servers can be those of this machine, which a deployed service cannot reach. Build it without --local`,
    );
  const archive = join(folder, name);
  const digest = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  return { version: manifest.version, digest, manifest, archive };
}
