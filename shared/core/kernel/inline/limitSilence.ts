// The time limits of a model that is silent: before its answer, and within it.

import type { CallReport, GenerateOptions } from '../../contract/llm.ts';
import { RetryableError } from '../../errors.ts';
import type { Limits } from '../../schema/agent.ts';
import type { Clock } from '../deps.ts';

/** The longest silence within an answer where no limit is stored, in milliseconds. */
const STALL_MS = 60_000;

/**
 * The signal of a call: also aborts if its answer has not started after `firstChunkTimeoutMs`, or is silent
 * for `stallTimeoutMs` after that.
 */
export function limitSilence(
  { firstChunkTimeoutMs, stallTimeoutMs = STALL_MS }: Partial<Limits>,
  signal: AbortSignal,
  report: CallReport,
  clock: Pick<Clock, 'after'>,
): { signal: AbortSignal; onBytes: NonNullable<GenerateOptions['onBytes']>; stop(): void } {
  const silent = new AbortController();
  const abort = (message: string) => silent.abort(new RetryableError('MODEL_TIMEOUT', message));
  let cancelStall: (() => void) | undefined;
  const cancelFirst =
    firstChunkTimeoutMs &&
    clock.after(firstChunkTimeoutMs, () => {
      if (report.answerStarted !== true) abort(`no answer started within ${firstChunkTimeoutMs / 1000} s.`);
    });
  const stopStall = () => {
    cancelStall?.();
    cancelStall = undefined;
  };
  return {
    signal: AbortSignal.any([signal, silent.signal]),
    onBytes(isOpen) {
      stopStall();
      if (!isOpen) return;
      const message = `the answer started, and then nothing arrived for ${stallTimeoutMs / 1000} s.`;
      cancelStall = clock.after(stallTimeoutMs, () => abort(message));
    },
    stop() {
      if (cancelFirst) cancelFirst();
      stopStall();
    },
  };
}
