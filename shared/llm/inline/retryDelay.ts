// How long to wait between two attempts of a model call, and when not to wait at all.

import { setTimeout as delay } from 'node:timers/promises';
import type { GenerateOptions } from '../../core/contract/llm.ts';
import { RetryableError, type TerminalError } from '../../core/errors.ts';
import { backOffMs } from '../../text/backOff.ts';

const BACK_OFF = { firstMs: 1_000, mostMs: 20_000 };
/** The longest wait of a call without a deadline; a longer one is left to the caller. */
const MAX_WAIT_MS = 60_000;

/** Time and chance, for tests to replace. */
export interface BackoffOptions {
  /** Waits; rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 up to 1, for jitter. */
  random?: () => number;
  /** Epoch milliseconds. */
  now?: () => number;
}

/**
 * Waits after the given number of failures (1 and up): as long as the provider requests, plus full jitter of
 * at most 1 s, 2 s, … 20 s.
 * @throws `error` at once when the wait would pass the call's deadline (without one: 60 s); the signal's
 * reason on abort.
 */
export async function waitBeforeRetry(
  failures: number,
  error: TerminalError | RetryableError,
  call: GenerateOptions,
  options: BackoffOptions = {},
): Promise<void> {
  const { random = Math.random, now = Date.now } = options;
  const sleep = options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal }));
  const backoff = random() * backOffMs(BACK_OFF, failures);
  const requestedMs = error instanceof RetryableError ? (error.retryAfterMs ?? 0) : 0;
  const ms = Math.ceil(requestedMs + backoff);
  const available = call.deadline === undefined ? MAX_WAIT_MS : call.deadline - now();
  if (ms > available) throw error;
  try {
    await sleep(ms, call.signal);
  } catch (interruption) {
    call.signal.throwIfAborted();
    throw interruption;
  }
}
