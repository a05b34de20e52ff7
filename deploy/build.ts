// Builds one folder that deploys as it is: the bundled functions, their configuration, a small package.json.

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { parse } from 'yaml';
import * as z from 'zod';
import { API_NAME, FUNCTION_NAMES } from '../functions/manifest.ts';
import { NATIVE_PROVIDER, PROVIDER_PACKAGES } from '../shared/contract/modelFacts.ts';
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

/** What can be deployed from the folder. */
const NAMES = [...FUNCTION_NAMES, API_NAME];

/**
 * Bundles the functions into `folder`, which is emptied first.
 * @returns esbuild's account of the build, which `bundleContents` reads.
 * @throws Error when a module cannot be bundled, or config/models.yaml names a provider whose package is not installed.
 */
export async function buildFunctions(folder: string): Promise<Metafile> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const sources = NAMES.map((name) => join(ROOT, 'functions', `${name}.ts`));
  // One level down, so that the configuration is found at ../config, as in the source.
  const metafile = await bundle(sources, join(folder, 'lib'));
  await cp(join(ROOT, 'config'), join(folder, 'config'), { recursive: true });
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
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await packageJson(), null, 2)}\n`);
  return metafile;
}

/** Bundles each of the modules `entryPoints` into `outdir`; what they share becomes chunks beside them. */
export async function bundle(entryPoints: string[], outdir: string): Promise<Metafile> {
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

/** Builds dist/, with the dashboard where it was built; returns lines for people: the size of each function, and how it is deployed. */
export async function buildReport(): Promise<string[]> {
  const metafile = await buildFunctions(join(ROOT, 'dist'));
  if (existsSync(PAGE)) await cp(PAGE, join(ROOT, 'dist', 'web', 'dist'), { recursive: true });
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
  const sizes = NAMES.map((name) => {
    const { atStart, later } = bundleContents(metafile, name);
    return `${name}: ${kilobytes(atStart.bytes)} loaded at start, ${kilobytes(later.bytes)} when needed`;
  });
  const deploy = 'gcloud functions deploy NAME --gen2 --runtime=nodejs24 --source=dist --entry-point=NAME …';
  return [...sizes, `dist/ is ready: ${deploy}`];
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

async function packageJson(): Promise<object> {
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
    dependencies: { [FRAMEWORK]: dependencies[FRAMEWORK], ...(await langchainPackages()) },
  };
}

/** LangChain and the packages of the providers that models.yaml names, at the versions installed here. */
async function langchainPackages(): Promise<Record<string, string>> {
  const text = await readFile(join(ROOT, 'config', 'models.yaml'), 'utf8');
  const { models } = z
    .object({ models: z.record(z.string(), z.object({ provider: z.string() })) })
    .parse(parse(text));
  const providers = new Set(Object.values(models).map(({ provider }) => provider));
  providers.delete(NATIVE_PROVIDER);
  if (providers.size === 0) return {};
  const names = [
    'langchain',
    '@langchain/core',
    ...[...providers].map((name) => PROVIDER_PACKAGES[name] ?? name),
  ];
  const versions = names.map(async (name) => {
    const installed = await readPackage(join(ROOT, 'node_modules', name)).catch(() => undefined);
    if (installed === undefined) throw new Error(`config/models.yaml needs ${name}: npm install ${name}`);
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
