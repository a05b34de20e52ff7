// A program with one changed line, as its own module: proves that tests notice.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';

const ROOT = new URL('../../', import.meta.url);
/** Rooms below `shared/` that import only these: mutants share them, compiled once. */
const SHARED_ROOMS = new Set([
  'core/contract',
  'core/controllers',
  'core/errors.ts',
  'core/prompts',
  'core/schema',
  'contract',
  'schema',
  'text',
  'environment.ts',
  'projectFiles.ts',
  'agents',
  'alerts',
  'config',
  'masking',
  'prompt',
  'store',
  'wording',
]);

/** One text of one file, and what stands there instead. */
export interface TextChange {
  /** Below `shared/`. */
  file: string;
  /** Stands in the file once. */
  text: string;
  by: string;
  /** What another file changes as well, where two of them prevent the same. */
  and?: TextChange;
}

/**
 * What the module exports when the change is made, with its own copy of the modules of the project that could
 * notice. Unlike an imported module it can be collected: a hundred copies' regular expressions fill what V8
 * has for code.
 * @throws Error when the text does not stand in the file exactly once.
 */
export async function loadMutant<M>(module: URL, change: TextChange): Promise<M> {
  const changes = change.and === undefined ? [change] : [change, change.and];
  const isShared = changes.some(({ file }) => SHARED_ROOMS.has(roomOf(file)));
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(module)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    // A function compiled by hand imports nothing; Node requires modules of both kinds.
    supported: { 'dynamic-import': false },
    define: {
      'import.meta.url': JSON.stringify(module.href),
      'import.meta.dirname': JSON.stringify(fileURLToPath(new URL('.', module))),
      'import.meta.main': 'false',
    },
    logLevel: 'error',
    plugins: [...changes.map(replaceText), ...(isShared ? [] : [shareRooms])],
  });
  const evaluate = compileFunction(outputFiles[0]?.text ?? '', ['require', 'module', 'exports']);
  const loaded = { exports: {} };
  evaluate(createRequire(ROOT), loaded, loaded.exports);
  return loaded.exports as M;
}

/** The first part of a path below `shared/`, two of one below `shared/core/`. */
function roomOf(file: string): string {
  const [room = '', part = ''] = file.split('/');
  return room === 'core' ? `${room}/${part}` : room;
}

const shareRooms: Plugin = {
  name: 'shared rooms',
  setup({ onResolve }) {
    const shared = fileURLToPath(new URL('shared/', ROOT));
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      const resolved = fileURLToPath(new URL(path, pathToFileURL(importer)));
      const isShared = resolved.startsWith(shared) && SHARED_ROOMS.has(roomOf(resolved.slice(shared.length)));
      return isShared ? { path: resolved, external: true } : undefined;
    });
  },
};

function replaceText({ file, text, by }: TextChange): Plugin {
  const path = fileURLToPath(new URL(`shared/${file}`, ROOT));
  return {
    name: 'mutant',
    setup({ onLoad, onEnd }) {
      let found = 0;
      onLoad({ filter: /\.ts$/ }, async (loading) => {
        if (loading.path !== path) return undefined;
        const parts = (await readFile(path, 'utf8')).split(text);
        found = parts.length - 1;
        return { contents: parts.join(by), loader: 'ts' };
      });
      onEnd(() => {
        if (found !== 1) throw new Error(`${file} has ${found} times: ${text}`);
      });
    },
  };
}
