// How much memory large results of tools take while they are masked, each kind in a process of its own with a small heap.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LARGE_RESULTS, RESULT_LENGTH, RESULTS_AT_ONCE } from './largeResults.ts';

const CHILD = fileURLToPath(new URL('./maskingMemoryChild.ts', import.meta.url));
const HEAP_MB = 320;

/** Prints peak and start of the resident memory, the longest stop of the event loop and the processor time of each kind. */
export async function measureMaskingMemory(): Promise<void> {
  console.log(
    `\n${RESULTS_AT_ONCE} results of ${RESULT_LENGTH / 1_000_000} MB at once, heap of ${HEAP_MB} MB: MB at most / before, longest stop of the event loop, processor ms, marks`,
  );
  for (const kind of Object.keys(LARGE_RESULTS)) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      `--max-old-space-size=${HEAP_MB}`,
      CHILD,
      kind,
    ]);
    const measured: Record<string, number> = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    const shown = ['peakMb', 'baselineMb', 'longestMs', 'cpuMs', 'marks'].map((name) =>
      measured[name]?.toFixed(0),
    );
    console.log(`  ${kind.padEnd(48)} ${shown.join(' / ')}`);
  }
}
