// Makes the package of the engine as a library: compiled modules with their chunks, and declarations.

import { execFile } from 'node:child_process';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compiledPath, projectFile } from '../shared/projectFiles.ts';
import { bundleModules, compiledEntry } from './bundle.ts';
import { writeManifest } from './packageManifest.ts';

const PKG = projectFile('pkg');
const FOLDER = join(PKG, 'engine');
const ENTRIES = {
  './engine': 'shared/engine/engine.ts',
  './engine/testing': 'shared/engine/testing/testing.ts',
};
const run = promisify(execFile);

/** Makes the package. @returns the path of its tarball. @throws Error when a module cannot be compiled. */
export async function packEngine(): Promise<string> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await cp(projectFile('LICENSE'), join(FOLDER, 'LICENSE'));
  await cp(projectFile('deploy/terraform/engine'), join(FOLDER, 'terraform'), { recursive: true });
  await cp(projectFile('docs/engine.md'), join(FOLDER, 'README.md'));
  const modules = [...Object.values(ENTRIES), 'shared/masking/maskingWorker.ts'].map(compiledEntry);
  const metafile = await bundleModules(modules, join(FOLDER, 'lib'), { packages: 'external' });
  await writeDeclarations();
  await writeManifest(FOLDER, metafile, () => ({
    description: 'Agents that survive crashes and deployments, on Firestore and Pub/Sub, without a server.',
    exports: Object.fromEntries(
      Object.entries(ENTRIES).map(([name, entry]) => [
        name,
        { types: `./types/${entry.replace(/ts$/, 'd.ts')}`, default: `./${compiledPath(entry)}` },
      ]),
    ),
  }));
  const { stdout } = await run('npm', ['pack', '.'], { cwd: FOLDER });
  const tarball = stdout.trim();
  const named = tarball.replace(/^inquest-/, 'inquest-engine-');
  await rename(join(FOLDER, tarball), join(PKG, named));
  return `pkg/${named}`;
}

/** Writes the declarations of the modules and of all that they import. Node strips no types in packages. */
async function writeDeclarations(): Promise<void> {
  const settings = join(FOLDER, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: projectFile(''),
    outDir: join(FOLDER, 'types'),
    typeRoots: [projectFile('node_modules/@types')],
  };
  const config = {
    extends: projectFile('tsconfig.json'),
    compilerOptions,
    include: [],
    files: Object.values(ENTRIES).map(projectFile),
  };
  await writeFile(settings, JSON.stringify(config));
  await run(projectFile('node_modules/.bin/tsc'), ['-p', settings]).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    },
  );
  await rm(settings);
}
