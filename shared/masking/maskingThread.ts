// Masks a long text in a separate thread with a limited heap: the event loop is not blocked, and the
// allocations do not grow the heap of the process.

import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Masked } from '../core/contract/guard.ts';
import { moduleFile } from '../projectFiles.ts';
import type { MaskingRules } from './masker.ts';

interface MaskerSetup {
  /** Secrets of the process, such as keys in its environment. */
  known: readonly string[];
  /** Secrets that the masker found in earlier texts. */
  learned: readonly string[];
  /** The rules of masking.yaml. */
  rules: MaskingRules;
  /** The mask key of the session, 32 hexadecimal digits. */
  sessionKey: string;
}

/** The input of the thread. */
export interface ThreadWork extends MaskerSetup {
  /** The whole text to mask. */
  text: string;
}

/** The entry file of the thread, and its maximum heap size in MB. */
interface ThreadOptions {
  /** Default: the compiled masking worker. */
  url?: URL;
  /** Default: 192. */
  heapMb?: number;
}

/** A text of six million characters that is made entirely of secrets takes about half of it. */
const HEAP_MB = 192;
/** Size of the space for short-lived objects: a larger one would only be cleared less often. */
const YOUNG_MB = 12;
const THREAD_MODULE = pathToFileURL(moduleFile('shared/masking/maskingWorker.ts'));

/**
 * Masks a text like a masker with the same setup; returns `'too large'` if the heap of the thread is not
 * large enough.
 * @throws Error if the thread cannot start.
 */
export async function maskInThread(
  text: string,
  setup: MaskerSetup,
  { url = THREAD_MODULE, heapMb = HEAP_MB }: ThreadOptions = {},
): Promise<Masked | 'too large'> {
  const thread = new Worker(url, {
    // The thread needs neither the secrets nor the options of the process.
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
