// Bundles modules with esbuild: deployed services, without anything of a configuration.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { API_NAME, FUNCTION_NAMES, isDeployed } from '../functions/manifest.ts';
import { ALL_ON, type Off, type Switchable } from '../shared/contract/switches.ts';
import { compiledPath, packageVersion, projectFile } from '../shared/projectFiles.ts';
import { bundledPackages, noticeText } from './notice.ts';
import { pagePackages, writeSbom } from './sbom.ts';

const IMPORT = /import\{[^}]*\}from"[^"]*";/y;
const HASHED = /[^/]+-[0-9A-Z]{8}\.js$/;

/** Bundled CommonJS packages expect these names in an ES module too. */
const COMMONJS_NAMES = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/**
 * Leaves out the generated message classes that the clients of Google only export: their requests use
 * protos.json. The client of Firestore reads one namespace of its classes while it loads, and calls classes
 * only for data bundles, which no service makes.
 */
const UNUSED_MESSAGE_CLASSES: Plugin = {
  name: 'unused-message-classes',
  setup: ({ onLoad }) =>
    onLoad(
      {
        filter:
          /(@google-cloud[\\/](pubsub|pubsub-api|firestore-api)[\\/]build[\\/]protos[\\/]protos|google-gax[\\/]build[\\/]protos[\\/](iam_service|locations))\.js$/,
      },
      () => ({ contents: 'module.exports = { google: { firestore: { v1: {} } } };' }),
    ),
};

/** Leaves out the transports of the logger, which start threads: services write their log themselves. */
const UNUSED_TRANSPORTS: Plugin = {
  name: 'unused-transports',
  setup: ({ onLoad }) =>
    onLoad({ filter: /pino[\\/]lib[\\/]transport\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('the bundle has no transports of pino'); };",
    })),
};

/** The modules of features that can be off, below `shared/`. Only lists and functions import them. */
const MODULES: Readonly<Record<Switchable, readonly string[]>> = {
  deliveries: ['features/deliveries/'],
  changes: ['features/changes/'],
  knowledge: ['features/knowledge/'],
  schedules: ['features/checks/'],
  telemetry: ['features/telemetry/', 'wiring/openTelemetry.ts'],
  chat: ['features/chat/', 'features/openai/'],
  outcomes: ['features/outcomes/'],
  topology: ['features/topology/'],
};

/** Leaves out features: their modules export nothing, so that lists find undefined. */
const withoutFeatures = (off: Off): Plugin => ({
  name: 'without-features',
  setup({ onResolve, onLoad }) {
    const leftOut = [...off].flatMap((feature) => MODULES[feature]);
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      const file = relative(projectFile('shared'), resolve(dirname(importer), path)).replaceAll('\\', '/');
      const isLeftOut = leftOut.some((start) => file.startsWith(start));
      return isLeftOut ? { path: file, namespace: 'left-out', sideEffects: false } : undefined;
    });
    onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
});

/** Read at run time, in the package too. */
export const DATA_FILES = [
  'shared/evidence/fields/kubernetes.yaml',
  'shared/evidence/fields/prometheus.yaml',
  'shared/evidence/mechanisms.yaml',
] as const;

/** Its own bundle: shared, it has four times as many chunks, each slow at a cold start. */
const APART = 'runIteration';
/** The start of each bundle. The framework registers functions in the bundle that it is part of. */
const STARTS = { apart: 'startIteration', others: 'start' } as const;

/**
 * First in both bundles: modules are numbered in the order of the entries, and with the same numbers both
 * bundles write the same chunks of these packages, so that they are stored once.
 */
const SDKS = ['firestore/firestoreSdk', 'pubsub/pubsubSdk'];

/** The command that starts a service in the folder. Nothing is loaded before the environment is moved. */
const START = `const { moveEnvironment } = await import('./lib/moveEnvironment.js');
moveEnvironment();
const { listen } = await (process.env.INQUEST_SERVICE === '${APART}'
  ? import('./lib/${STARTS.apart}.js')
  : import('./lib/${STARTS.others}.js'));
await listen();
`;

/** Leaves the imports of these modules of functions as they are, for the outputs of another bundle. */
const otherBundle = (names: readonly string[]): Plugin => ({
  name: 'other-bundle',
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^\\./(${names.join('|')})\\.ts$`) }, ({ path, importer }) =>
      importer === projectFile('functions/start.ts')
        ? { path: path.replace(/ts$/, 'js'), external: true }
        : undefined,
    ),
});

/**
 * Writes the bundled services, LICENSE, NOTICE and the list of packages into `folder`.
 * @param page the folder of the built dashboard, whose packages belong into NOTICE and the list. It can be
 * missing.
 * @param off the features that are left out. Default: none.
 * @throws Error when a module cannot be bundled.
 */
export async function bundleFunctions(folder: string, page: string, off: Off = ALL_ON): Promise<Metafile> {
  await mkdir(folder, { recursive: true });
  const lib = join(folder, 'lib');
  const entry = (source: string, out = source) => ({ in: projectFile(`functions/${source}.ts`), out });
  const sdks = SDKS.map((path) => compiledEntry(`shared/store/${path}.ts`));
  const names = [...FUNCTION_NAMES, API_NAME] as const;
  const others = names.filter((name) => name !== APART && isDeployed(name, off));
  const first = await bundleModules([entry('moveEnvironment')], lib);
  const apart = await bundleModules(
    [...sdks, entry(APART), entry('start', STARTS.apart)],
    lib,
    {},
    otherBundle(names.filter((name) => name !== APART)),
    withoutFeatures(off),
  );
  // One after the other: both write the SDKs' modules, and the same one has to be the last.
  const rest = await bundleModules(
    [
      ...sdks,
      ...others.map((name) => entry(name)),
      entry('start', STARTS.others),
      compiledEntry('shared/masking/maskingWorker.ts'),
    ],
    lib,
    {},
    otherBundle(names.filter((name) => name === APART || !isDeployed(name, off))),
    withoutFeatures(off),
  );
  const metafile: Metafile = {
    inputs: { ...first.inputs, ...apart.inputs, ...rest.inputs },
    outputs: { ...first.outputs, ...apart.outputs, ...storeOnce(apart.outputs, rest.outputs) },
  };
  await writeFile(join(folder, 'start.js'), START);
  for (const file of ['LICENSE', ...DATA_FILES]) await cp(projectFile(file), join(folder, file));
  const licenses = join(page, '.vite', 'license.md');
  await writeFile(join(folder, 'NOTICE'), await noticeText(metafile, projectFile(''), licenses));
  const packages = [
    ...(await bundledPackages(metafile, projectFile(''))),
    ...(existsSync(licenses) ? pagePackages(await readFile(licenses, 'utf8')) : []),
  ];
  await writeSbom(folder, await readVersion(), packages);
  return metafile;
}

/** The entry point of a module whose output is where `moduleFile` expects it, below `lib/`. */
export function compiledEntry(source: string): { in: string; out: string } {
  return { in: projectFile(source), out: compiledPath(source).replace(/^lib\/|\.js$/g, '') };
}

/**
 * Bundles the modules `entryPoints` into `outdir`. Shared code becomes chunks beside them.
 * @param entryPoints paths, or paths with the names of their outputs without `.js`.
 * @param options esbuild's own. Default: packages are bundled, except LangChain.
 * @param plugins further plugins of esbuild.
 */
export async function bundleModules(
  entryPoints: string[] | { in: string; out: string }[],
  outdir: string,
  options: Pick<BuildOptions, 'packages' | 'external'> = {},
  ...plugins: Plugin[]
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
    external: ['langchain', '@langchain/*'],
    plugins: [UNUSED_MESSAGE_CLASSES, UNUSED_TRANSPORTS, ...plugins],
    ...options,
    banner: { js: COMMONJS_NAMES },
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

async function readVersion(): Promise<string> {
  const version = packageVersion();
  return version;
}

type Outputs = Metafile['outputs'];

/** The text of a module with its imports in the order of the alphabet. */
function sortImports(text: string): string {
  const start = Math.max(0, text.indexOf('import{'));
  const imports: string[] = [];
  IMPORT.lastIndex = start;
  for (let found = IMPORT.exec(text); found; found = IMPORT.exec(text)) imports.push(found[0]);
  const end = start + imports.join('').length;
  return `${text.slice(0, start)}${imports.sort().join('')}${text.slice(end)}`;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Puts modules of the first bundle in the place of those of the second that differ in the order of their
 * imports alone: esbuild orders them by how many entries of a bundle share them.
 * @param kept the outputs of the first bundle, on the disk.
 * @param outputs those of the second, in the same folder.
 * @returns the outputs of the second bundle without the modules that the first has.
 */
function storeOnce(kept: Outputs, outputs: Outputs): Outputs {
  const read = (path: string) => readFileSync(projectFile(path), 'utf8');
  const known = new Map(
    Object.keys(kept)
      .filter((path) => HASHED.test(path))
      .map((path) => [sortImports(read(path)), path]),
  );
  const texts = new Map(
    Object.keys(outputs)
      .filter((path) => path.endsWith('.js') && !(HASHED.test(path) && kept[path]))
      .map((path) => [path, read(path)]),
  );
  const replaced = new Map<string, string>();
  // A module becomes equal to another one when a module that it imports has been replaced.
  for (let before = -1; before < replaced.size; ) {
    before = replaced.size;
    for (const [path, text] of texts) {
      const same = HASHED.test(path) ? known.get(sortImports(text)) : undefined;
      if (same === undefined) continue;
      replaced.set(path, same);
      texts.delete(path);
      for (const [other, content] of texts)
        texts.set(other, content.replaceAll(fileName(path), fileName(same)));
    }
  }
  for (const [path, text] of texts) writeFileSync(projectFile(path), text);
  for (const path of replaced.keys()) rmSync(projectFile(path));
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([path]) => !replaced.has(path))
      .map(([path, output]) => [
        path,
        {
          ...output,
          imports: output.imports.map((one) => ({ ...one, path: replaced.get(one.path) ?? one.path })),
        },
      ]),
  );
}
