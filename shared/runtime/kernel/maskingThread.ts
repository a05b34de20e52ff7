// Masks a long text in a thread of its own, whose heap is limited and ends with it: the event loop goes on, and what
// masking allocates does not add to the heap of the process.

import { Worker } from 'node:worker_threads';
import type { Masked, MaskingRules } from '../../masking/masker.ts';

/** What the masker of a session is made of. */
export interface MaskerSetup {
  known: readonly string[];
  learned: readonly string[];
  rules: MaskingRules;
  sessionKey: string;
}

/** What the thread is given. */
export interface ThreadWork extends MaskerSetup {
  text: string;
}

/** Where the thread starts, and how large its heap can become, in MB. */
export interface ThreadOptions {
  url?: URL;
  heapMb?: number;
}

/** Six million characters that are nothing but secrets take about half of it. */
const HEAP_MB = 192;
/** Objects that die young: a large space for them would only wait longer until it is cleared. */
const YOUNG_MB = 12;
/** In the bundle of a function it stands beside the function, else beside this file. */
const URL_OF_THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './maskingWorker.ts' : './maskingWorker.js',
  import.meta.url,
);

/**
 * Masks a text as a masker of the same setup does; `'too large'` if the heap of the thread is not enough for it.
 * @throws Error if there can be no thread.
 */
export async function maskInThread(
  text: string,
  setup: MaskerSetup,
  { url = URL_OF_THREAD, heapMb = HEAP_MB }: ThreadOptions = {},
): Promise<Masked | 'too large'> {
  const thread = new Worker(url, {
    // It needs neither the secrets of the process nor its options.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  try {
    const work: ThreadWork = { text, ...setup };
    return await new Promise<Masked>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('the thread ended without an answer')));
      thread.postMessage(work);
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'too large';
    throw error;
  } finally {
    await thread.terminate();
  }
}
