import { describe, expect, it } from 'vitest';
import type { GenerateOptions } from '../../core/contract/llm.ts';
import { RetryableError } from '../../core/errors.ts';
import { waitBeforeRetry } from './retryDelay.ts';

const ERROR = new RetryableError('MODEL_UNAVAILABLE', 'oops');
const ASKED = new RetryableError('MODEL_QUOTA', 'slow down', { retryAfterMs: 30_000 });

function call(options: Partial<GenerateOptions> = {}): GenerateOptions {
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  return { signal: new AbortController().signal, report, ...options };
}

/** The waits for the given failures, or what was thrown in place of them. */
async function waits(
  failures: number,
  error: RetryableError,
  options: { random?: number; deadline?: number } = {},
) {
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const { random = 1, deadline } = options;
  await waitBeforeRetry(failures, error, call(deadline === undefined ? {} : { deadline }), {
    sleep,
    random: () => random,
    now: () => 0,
  });
  return slept;
}

describe('the wait before another attempt', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [9, 20_000],
  ])('after %i failures is %i ms at most', async (failures, ms) => {
    expect(await waits(failures, ERROR)).toEqual([ms]);
  });

  it('is anything down to nothing', async () => {
    expect(await waits(2, ERROR, { random: 0 })).toEqual([0]);
  });

  it('comes on top of the wait that the provider asks for', async () => {
    expect(await waits(1, ASKED)).toEqual([31_000]);
  });

  it('can end with the deadline, not after it', async () => {
    expect(await waits(1, ASKED, { deadline: 31_000 })).toEqual([31_000]);
    await expect(waits(1, ASKED, { deadline: 30_999 })).rejects.toBe(ASKED);
  });

  it('without a deadline is one minute at most', async () => {
    const long = new RetryableError('MODEL_QUOTA', 'slow down', { retryAfterMs: 59_500 });
    await expect(waits(1, long)).rejects.toBe(long);
  });

  it('ends with the reason of an abort', async () => {
    const controller = new AbortController();
    const waiting = waitBeforeRetry(1, ASKED, call({ signal: controller.signal }), {});
    const reason = new Error('cancelled');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
