// The package.json of packages that this project makes: with the packages that compiled modules import.

import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { projectFile } from '../shared/projectFiles.ts';

/** Installed by users who configure another provider of models. */
const OPTIONAL = /^(langchain$|@langchain\/)/;
/** The name of a package at the start of an import specifier. */
const PACKAGE_NAME = /^(?:@[^/]+\/)?[^/]+/;
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

/**
 * Writes package.json into `folder`, with the packages that compiled modules import, and their Node.
 * @param own fields beside those that all packages share.
 */
export async function writeManifest(
  folder: string,
  metafile: Metafile,
  own: (project: Manifest) => object,
): Promise<void> {
  const project = JSON.parse(await readFile(projectFile('package.json'), 'utf8')) as Manifest;
  const { name, version, license } = project;
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
    license,
    type: 'module',
    ...own(project),
    engines: { node: `>=${major}` },
    dependencies: Object.fromEntries(dependencies),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
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
