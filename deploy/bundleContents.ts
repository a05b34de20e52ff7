// What a bundled function consists of, read from esbuild's own account of the build.

import type { Metafile } from 'esbuild';

/** Files that are loaded together. */
interface BundlePart {
  /** Bytes of all outputs, as deployed. */
  bytes: number;
  /** Source files with code in them, as paths from the project's root, sorted. */
  inputs: string[];
}

/** A function's bundle. */
export interface BundleContents {
  /** What every instance loads before its first call. */
  atStart: BundlePart;
  /** What is loaded when it is needed, and not at the start. */
  later: BundlePart;
}

/**
 * What the bundle of the function `name` holds, chunks that it shares with others included.
 * @throws Error when there is no such entry.
 */
export function bundleContents(metafile: Metafile, name: string): BundleContents {
  const entry = Object.keys(metafile.outputs).find((path) => path.endsWith(`/${name}.js`));
  if (entry === undefined) throw new Error(`the build has no entry ${name}.js`);
  const atStart = reachable(metafile, entry, ['import-statement']);
  const all = reachable(metafile, entry, ['import-statement', 'dynamic-import']);
  const later = [...all].filter((path) => !atStart.has(path));
  return { atStart: partOf(metafile, [...atStart]), later: partOf(metafile, later) };
}

/** The outputs that are reached from `entry` by imports of these kinds, itself included. */
function reachable(metafile: Metafile, entry: string, kinds: string[]): Set<string> {
  const found = new Set([entry]);
  for (const path of found) {
    for (const imported of metafile.outputs[path]?.imports ?? []) {
      if (!imported.external && kinds.includes(imported.kind)) found.add(imported.path);
    }
  }
  return found;
}

function partOf(metafile: Metafile, paths: string[]): BundlePart {
  const outputs = paths.flatMap((path) => metafile.outputs[path] ?? []);
  const inputs = outputs.flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  return {
    bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
    inputs: [...new Set(inputs)].sort(),
  };
}
