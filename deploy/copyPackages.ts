// Copies installed packages with all that they depend on: the packages of model providers, which a bundle
// cannot contain, because LangChain imports them by a name that it computes.

import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type BundledPackage, readPackage } from './notice.ts';

/** Types and source maps, which nothing reads at run time. */
const UNUSED = /\.(?:map|d\.[cm]?ts)$/;

interface Dependencies {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/**
 * Copies the packages `names` and everything that they depend on into `target/node_modules`, in the versions
 * installed for `source`. A second version of a package is put below the package that needs it, as npm does.
 * @returns the packages, in the order of copying.
 * @throws Error for a dependency that is neither installed nor optional.
 */
export async function copyPackages(
  names: readonly string[],
  source: string,
  target: string,
): Promise<BundledPackage[]> {
  /** The folder that each copy comes from, by its own folder. */
  const copied = new Map<string, string>();
  const pending = names.map((name) => ({ name, from: source, to: target, isOptional: false }));
  for (const { name, from, to, isOptional } of pending) {
    const installed = findPackage(name, from, existsSync);
    if (installed === undefined && isOptional) continue;
    if (installed === undefined) throw new Error(`${name} is not installed: npm install ${name}`);
    const found = findPackage(name, to, (folder) => copied.has(folder));
    if (found !== undefined && copied.get(found) === installed) continue;
    const folder = join(found === undefined ? target : to, 'node_modules', name);
    copied.set(folder, installed);
    await copyFiles(installed, folder);
    const needed = await readDependencies(installed);
    pending.push(...needed.map((one) => ({ ...one, from: installed, to: folder })));
  }
  return Promise.all([...copied.keys()].map(readPackage));
}

/** The folder of a package as Node finds it: in the closest `node_modules`. */
function findPackage(name: string, from: string, isThere: (folder: string) => boolean): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (isThere(folder)) return folder;
  return from === dirname(from) ? undefined : findPackage(name, dirname(from), isThere);
}

function copyFiles(installed: string, folder: string): Promise<void> {
  return cp(installed, folder, {
    recursive: true,
    dereference: true,
    filter: (path) => {
      const parts = relative(installed, path).split(sep);
      return !parts.includes('node_modules') && !UNUSED.test(path);
    },
  });
}

async function readDependencies(folder: string): Promise<{ name: string; isOptional: boolean }[]> {
  const json = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Dependencies;
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = json;
  const peers = Object.keys(peerDependencies).filter(
    (name) => json.peerDependenciesMeta?.[name]?.optional !== true,
  );
  const optional = Object.keys(optionalDependencies);
  const required = [...Object.keys(dependencies), ...peers].filter((name) => !optional.includes(name));
  return [
    ...required.map((name) => ({ name, isOptional: false })),
    ...optional.map((name) => ({ name, isOptional: true })),
  ];
}
