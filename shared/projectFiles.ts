// Where the files of the project are: in a checkout, in the package, and in the bundle of the deployed
// functions. The last two have compiled modules in lib/.

import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Modules that run as a process or thread of their own, so that their path is needed; in lib/ of the package.
 */
export const STARTED_MODULES = [
  'packages/local-cloud/src/cloudHost.ts',
  'local/functions/functionHost.ts',
  'local/listTools.ts',
  'local/mcp/clusterServer.ts',
  'local/processes/processGuard.ts',
  'shared/masking/maskingWorker.ts',
] as const;

/** Whether the modules are the sources. */
export const IS_CHECKOUT = import.meta.url.endsWith('.ts');

/** The closest folder above this module with a package.json. */
const FOLDER = folderAbove(import.meta.dirname);

function folderAbove(folder: string): string {
  const isFound = existsSync(join(folder, 'package.json')) || folder === dirname(folder);
  return isFound ? folder : folderAbove(dirname(folder));
}

/** The absolute path of a file or a folder of the project: `config`. */
export const projectFile = (path: string): string => join(FOLDER, path);

/** The version in package.json. */
export function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8'));
  return manifest.version;
}

/** The absolute path of a module, compiled outside a checkout. @param source its path in a checkout. */
export function moduleFile(source: (typeof STARTED_MODULES)[number] | `functions/${string}.ts`): string {
  return projectFile(IS_CHECKOUT ? source : compiledPath(source));
}

/** `lib/cli/cli.js` for `cli/cli.ts`. */
export const compiledPath = (source: string): string => `lib/${source.replace(/\.ts$/, '.js')}`;

/** Where commands write, and the base of printed paths: the checkout; with the package the current folder. */
export const workFile = (path: string): string => join(IS_CHECKOUT ? FOLDER : process.cwd(), path);

/**
 * Creates a folder that a user names, with its parents. Node's own recursive call never returns below
 * `/proc`.
 * @param mode the rights of the folders that are created. Default: those of the process.
 * @throws Error of the file system; with the fix for a symbolic link to nothing.
 */
export function createFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder), mode);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `${folder} is a symbolic link to a place that does not exist; create it, or remove the link`,
    );
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // A different process can have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
