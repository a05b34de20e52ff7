// `npm run build`: one folder that deploys as it is: the bundled functions, their configuration, a small package.json.

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROVIDER_PACKAGES } from '../shared/llm/langchain/packages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The functions this project deploys; each has a file of its name in functions/. */
const FUNCTIONS = ['ingestAlert', 'runIteration', 'buryIteration', 'sweep'];
/** Keeps the registry that the framework's own command reads: it must not be bundled a second time. */
const FRAMEWORK = '@google-cloud/functions-framework';
/** Bundled CommonJS packages expect these names in an ES module too. */
const COMMONJS_NAMES = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** Bundles the functions into `folder`, which is emptied first. */
export async function buildFunctions(folder: string): Promise<Metafile> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const sources = FUNCTIONS.map((name) => join(ROOT, 'functions', `${name}.ts`));
  // One level down, so that the configuration is found at ../config, as in the source.
  const metafile = await bundle(sources, join(folder, 'lib'));
  await cp(join(ROOT, 'config'), join(folder, 'config'), { recursive: true });
  await writeFile(join(folder, 'index.js'), indexModule());
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

/** The module the framework loads: it imports the one function this service was deployed for. */
function indexModule(): string {
  return `const target = process.env.FUNCTION_TARGET;
const functions = ${JSON.stringify(FUNCTIONS)};
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
    // Already built: an empty script keeps the buildpack from building again.
    scripts: { 'gcp-build': '' },
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
  providers.delete('google');
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

if (import.meta.main) {
  const folder = resolve(ROOT, 'dist');
  const metafile = await buildFunctions(folder);
  for (const name of FUNCTIONS) {
    const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`/${name}.js`));
    console.log(`${name}: ${staticKilobytes(metafile, output?.[0])} kB loaded at start`);
  }
  console.log(
    'dist/ is ready: gcloud functions deploy NAME --gen2 --runtime=nodejs24 --source=dist --entry-point=NAME …',
  );
}

/** Size of a bundle and of what it imports statically; the rest is loaded when it is needed. */
function staticKilobytes(metafile: Metafile, entry: string | undefined, seen = new Set<string>()): number {
  const output = entry === undefined ? undefined : metafile.outputs[entry];
  if (entry === undefined || output === undefined || seen.has(entry)) return 0;
  seen.add(entry);
  const imported = output.imports.filter(({ kind }) => kind === 'import-statement');
  return imported.reduce(
    (sum, { path }) => sum + staticKilobytes(metafile, path, seen),
    Math.round(output.bytes / 1000),
  );
}
