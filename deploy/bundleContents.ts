// Reads the contents of a bundled function from the metafile of esbuild.

import type { Metafile } from 'esbuild';
import { API_NAME, FUNCTION_NAMES } from '../functions/manifest.ts';

/** Files that are loaded together. */
interface BundlePart {
  /** Bytes of all outputs, as deployed. */
  bytes: number;
  /** Number of outputs. */
  files: number;
  /** Source files with code in the outputs, sorted, as paths from the root of the project. */
  inputs: string[];
}

/** The bundle of a function. */
export interface BundleContents {
  /** The code that every instance loads before its first call. */
  atStart: BundlePart;
  /** The code that is loaded on demand. */
  later: BundlePart;
}

/**
 * The contents of the bundle of a function, including shared chunks.
 * @throws Error when the build has no entry `name`.
 */
export function bundleContents(metafile: Metafile, name: string): BundleContents {
  const entry = Object.keys(metafile.outputs).find((path) => path.endsWith(`/${name}.js`));
  if (entry === undefined) throw new Error(`the build has no entry ${name}.js`);
  const atStart = reachableOutputs(metafile, entry, ['import-statement']);
  const all = reachableOutputs(metafile, entry, ['import-statement', 'dynamic-import']);
  const later = [...all].filter((path) => !atStart.has(path));
  return { atStart: measureBundlePart(metafile, [...atStart]), later: measureBundlePart(metafile, later) };
}

/** The size of each function of a build and the API, one readable line each. */
export function bundleSizes(metafile: Metafile): string[] {
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
  const isBuilt = (name: string) =>
    Object.keys(metafile.outputs).some((path) => path.endsWith(`/${name}.js`));
  return [...FUNCTION_NAMES, API_NAME].filter(isBuilt).map((name) => {
    const { atStart, later } = bundleContents(metafile, name);
    return `${name}: ${kilobytes(atStart.bytes)} loaded at start, ${kilobytes(later.bytes)} when needed`;
  });
}

/** The outputs that `entry` reaches by imports of these kinds, including itself. */
function reachableOutputs(metafile: Metafile, entry: string, kinds: string[]): Set<string> {
  const found = new Set([entry]);
  for (const path of found) {
    for (const imported of metafile.outputs[path]?.imports ?? []) {
      if (!imported.external && kinds.includes(imported.kind)) found.add(imported.path);
    }
  }
  return found;
}

function measureBundlePart(metafile: Metafile, paths: string[]): BundlePart {
  const outputs = paths.flatMap((path) => metafile.outputs[path] ?? []);
  const inputs = outputs.flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  return {
    bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
    files: paths.length,
    inputs: [...new Set(inputs)].sort(),
  };
}
