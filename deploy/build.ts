// Builds one folder that deploys as it is: the bundled functions, their configuration, a small package.json.

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { parse } from 'yaml';
import * as z from 'zod';
import { API_NAME, FUNCTION_NAMES } from '../functions/manifest.ts';
import { NATIVE_PROVIDER, PROVIDER_PACKAGES } from '../shared/contract/modelFacts.ts';
import { EXTENSION_NAMES } from '../shared/wiring/extensions.ts';
import { bundleContents } from './bundleContents.ts';
import { noticeText } from './notice.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The dashboard, where it was built. */
const PAGE = join(ROOT, 'web', 'dist');
/** Keeps the registry that the framework's own command reads: it must not be bundled a second time. */
const FRAMEWORK = '@google-cloud/functions-framework';
/** Bundled CommonJS packages expect these names in an ES module too. */
const COMMONJS_NAMES = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** The deployable functions. */
const NAMES = [...FUNCTION_NAMES, API_NAME];

/**
 * Bundles the functions into `folder`, which is emptied first.
 * @param configFolder a valid configuration outside `folder`. Default: config/.
 * @returns the metafile of esbuild, for `bundleContents`.
 * @throws Error when a module cannot be bundled, models.yaml names a provider whose package is not installed, or the
 *   configuration is below `folder`. No file is written then.
 */
export async function buildFunctions(folder: string, configFolder = join(ROOT, 'config')): Promise<Metafile> {
  if (!relative(folder, configFolder).startsWith('..'))
    throw new Error(
      `${configFolder} is in ${folder}, which is emptied first: keep the configuration elsewhere`,
    );
  const packages = await packageJson(configFolder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const sources = NAMES.map((name) => ({ in: join(ROOT, 'functions', `${name}.ts`), out: name }));
  const thread = { in: join(ROOT, 'shared', 'runtime', 'kernel', 'maskingWorker.ts'), out: 'maskingWorker' };
  // One level down, so that the configuration is found at ../config, as in the source.
  const metafile = await bundle([...sources, thread], join(folder, 'lib'));
  await cp(configFolder, join(folder, 'config'), { recursive: true });
  await writeFile(join(folder, 'index.js'), indexModule());
  await writeFile(
    join(folder, 'api.js'),
    `const { listen } = await import('./lib/${API_NAME}.js');\nlisten();\n`,
  );
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(
    join(folder, 'NOTICE'),
    await noticeText(metafile, ROOT, join(PAGE, '.vite', 'license.md')),
  );
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packages, null, 2)}\n`);
  return metafile;
}

/**
 * Bundles the modules `entryPoints` into `outdir`. Shared code becomes chunks beside them.
 * @param entryPoints paths, or paths with the names of their outputs without `.js`.
 */
export async function bundle(
  entryPoints: string[] | { in: string; out: string }[],
  outdir: string,
): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: [FRAMEWORK, 'langchain', '@langchain/*'],
    banner: { js: COMMONJS_NAMES },
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/**
 * Builds dist/ with the configuration of `configFolder`, and with the dashboard if it is built.
 * @returns readable lines: the size of each function, the configuration, and the command to deploy.
 * @throws the errors of `buildFunctions`.
 */
export async function buildReport(configFolder: string): Promise<string[]> {
  const metafile = await buildFunctions(join(ROOT, 'dist'), configFolder);
  if (existsSync(PAGE)) await cp(PAGE, join(ROOT, 'dist', 'web', 'dist'), { recursive: true });
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
  const sizes = NAMES.map((name) => {
    const { atStart, later } = bundleContents(metafile, name);
    return `${name}: ${kilobytes(atStart.bytes)} loaded at start, ${kilobytes(later.bytes)} when needed`;
  });
  const deploy = 'gcloud functions deploy NAME --gen2 --runtime=nodejs24 --source=dist --entry-point=NAME …';
  return [...sizes, `configuration: ${configFolder}`, `dist/ is ready: ${deploy}`];
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

async function packageJson(configFolder: string): Promise<object> {
  const { version, dependencies } = await readPackage(ROOT);
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
    const installed = await readPackage(join(ROOT, 'node_modules', name)).catch(() => undefined);
    if (installed === undefined) throw new Error(`${file} needs ${name}: npm install ${name}`);
    return [name, installed.version] as const;
  });
  return Object.fromEntries(await Promise.all(versions));
}

async function readPackage(
  folder: string,
): Promise<{ version: string; dependencies: Record<string, string> }> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Awaited<
    ReturnType<typeof readPackage>
  >;
}
