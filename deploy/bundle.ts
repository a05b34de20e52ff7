// Bundles modules with esbuild: the functions that are deployed, with all that does not depend on a configuration.

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { API_NAME, FRAMEWORK, FUNCTION_NAMES } from '../functions/manifest.ts';
import { compiledPath, projectFile } from '../shared/projectFiles.ts';
import { noticeText } from './notice.ts';

/** Bundled CommonJS packages expect these names in an ES module too. */
const COMMONJS_NAMES = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/**
 * Writes the bundled functions, LICENSE and NOTICE into `folder`.
 * @param page the folder of the built dashboard, whose licenses belong into NOTICE. It can be missing.
 * @throws Error when a module cannot be bundled.
 */
export async function bundleFunctions(folder: string, page: string): Promise<Metafile> {
  await mkdir(folder, { recursive: true });
  const sources = [...FUNCTION_NAMES, API_NAME].map((name) => ({
    in: projectFile(`functions/${name}.ts`),
    out: name,
  }));
  const metafile = await bundle(
    [...sources, compiled('shared/runtime/kernel/maskingWorker.ts')],
    join(folder, 'lib'),
  );
  await writeFile(join(folder, 'index.js'), indexModule());
  await writeFile(
    join(folder, 'api.js'),
    `const { listen } = await import('./lib/${API_NAME}.js');\nlisten();\n`,
  );
  await cp(projectFile('LICENSE'), join(folder, 'LICENSE'));
  await writeFile(
    join(folder, 'NOTICE'),
    await noticeText(metafile, projectFile(''), join(page, '.vite', 'license.md')),
  );
  return metafile;
}

/** The entry point of a module whose output is where `moduleFile` expects it, in a folder with `lib/` as the output folder. */
export function compiled(source: string): { in: string; out: string } {
  return { in: projectFile(source), out: compiledPath(source).replace(/^lib\/|\.js$/g, '') };
}

/**
 * Bundles the modules `entryPoints` into `outdir`. Shared code becomes chunks beside them.
 * @param entryPoints paths, or paths with the names of their outputs without `.js`.
 * @param options esbuild's own. Default: packages are bundled, except the framework and LangChain.
 */
export async function bundle(
  entryPoints: string[] | { in: string; out: string }[],
  outdir: string,
  options: Pick<BuildOptions, 'packages' | 'external'> = {},
): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: projectFile(''),
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: [FRAMEWORK, 'langchain', '@langchain/*'],
    ...options,
    banner: { js: COMMONJS_NAMES },
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** The module the framework loads: it imports the one function this service was deployed for. */
function indexModule(): string {
  return `const target = process.env.FUNCTION_TARGET;
const functions = ${JSON.stringify(FUNCTION_NAMES)};
if (!functions.includes(target)) {
  throw new Error(\`FUNCTION_TARGET is \${JSON.stringify(target)}; deploy with --entry-point set to one of: \${functions.join(', ')}\`);
}
await import(\`./lib/\${target}.js\`);
`;
}
