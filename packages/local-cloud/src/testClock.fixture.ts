// Time that stands still unless a test moves it.

import type { Clock } from './protocol/clock.ts';

/** A clock that starts at the real time. `advance` lets milliseconds pass; due timers fire in order. */
export function createTestClock(): Clock & { advance(ms: number): void } {
  const timers = new Set<{ due: number; action: () => void }>();
  let now = Date.now();
  return {
    now: () => new Date(now),
    after(ms, action) {
      const timer = { due: now + ms, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.due);
        next.action();
      }
      now = end;
    },
  };
}
