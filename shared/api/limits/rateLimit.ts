// Counts requests within a minute, for limits of all kinds.

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../http/problem.ts';

const SECONDS = 60;

/** Limits requests per minute for each key in this instance. Its timers do not keep the process alive. */
export function perMinute(points: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: SECONDS });
}

/** The problem for too many requests. @param ms milliseconds until the next request can succeed. */
export function tooMany(detail: string, ms: number): Problem {
  return new Problem('RATE_LIMITED', detail, { retryAfter: Math.max(1, Math.ceil(ms / 1000)) });
}

/** Counts a request. @throws Problem `RATE_LIMITED` with `detail` and the seconds to wait. */
export async function countRequest(limiter: RateLimiterMemory, key: string, detail: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) throw tooMany(detail, rejection.msBeforeNext);
    throw rejection;
  }
}
