// Memory of masking large results, each kind in a process with a small heap.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LARGE_RESULTS, RESULT_LENGTH, RESULTS_AT_ONCE } from './largeResults.ts';

const CHILD = fileURLToPath(new URL('./maskingMemoryChild.ts', import.meta.url));
const HEAP_MB = 320;

/**
 * Prints for each kind the peak of the resident memory and what the process had before, the longest stop of
 * the event loop in milliseconds and its processor time, and the processor time of all.
 * @param only part of the names of the kinds that are measured. Default: all of them.
 */
export async function measureMaskingMemory(only = process.env.BENCH_KIND ?? ''): Promise<void> {
  console.log(
    `\n${RESULTS_AT_ONCE} results of ${RESULT_LENGTH / 1_000_000} million characters at once, heap of ${HEAP_MB} MB:`,
  );
  console.log('  MB at most / before; longest stop ms / processor ms; processor s in all; marks');
  for (const [kind, make] of Object.entries(LARGE_RESULTS)) {
    if (!kind.includes(only)) continue;
    const { peakMb, baselineMb, longestMs, longestCpuMs, cpuMs, marks } = await measureKind(make);
    const memory = `${peakMb.toFixed(0)} / ${baselineMb.toFixed(0)}`;
    const stops = `${longestMs.toFixed(0)} / ${longestCpuMs.toFixed(0)}`;
    console.log(
      `  ${kind.padEnd(56)} ${memory.padEnd(10)} ${stops.padEnd(10)} ${(cpuMs / 1000).toFixed(1).padEnd(6)} ${marks}`,
    );
  }
}

/** What the child prints: megabytes, milliseconds, and how many marks all results have. */
export interface MaskingMemory {
  peakMb: number;
  baselineMb: number;
  longestMs: number;
  longestCpuMs: number;
  cpuMs: number;
  marks: number;
}

/** The texts are written to files: making them in the child would count as memory of masking. */
async function measureKind(make: (length: number, name: string) => string): Promise<MaskingMemory> {
  const folder = await mkdtemp(join(tmpdir(), 'inquest-memory-'));
  try {
    const files = Array.from({ length: RESULTS_AT_ONCE }, (_, index) => join(folder, `${index}.txt`));
    for (const [index, file] of files.entries()) await writeFile(file, make(RESULT_LENGTH, `call ${index}`));
    const { stdout } = await promisify(execFile)(process.execPath, [
      `--max-old-space-size=${HEAP_MB}`,
      CHILD,
      ...files,
    ]);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
