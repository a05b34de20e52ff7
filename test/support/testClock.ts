// Time that stands still unless a test moves it: how fast the machine is decides nothing.

import { expect } from 'vitest';
import type { Store, Stored } from '../../shared/core/contract/store.ts';
import type { Clock } from '../../shared/core/kernel/deps.ts';

/** A clock that shows the same moment until the test lets time pass. */
export interface TestClock extends Clock {
  /** Lets `ms` milliseconds pass; timers that are due by then fire in order. */
  advance(ms: number): void;
  /** Waits until something waits for exactly `ms` milliseconds, then lets them pass. */
  passWaitOf(ms: number): Promise<void>;
}

interface Timer {
  /** Epoch milliseconds. */
  due: number;
  ms: number;
  repeats: boolean;
  action: () => void;
}

/** A clock that starts at the real time. */
export function createTestClock(): TestClock {
  const timers = new Set<Timer>();
  let now = Date.now();

  const start = (ms: number, repeats: boolean, action: () => void): (() => void) => {
    const timer = { due: now + ms, ms, repeats, action };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const nextUntil = (end: number): Timer | undefined =>
    [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
  const advance = (ms: number): void => {
    const end = now + ms;
    for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
      now = Math.max(now, timer.due);
      if (timer.repeats) timer.due = now + timer.ms;
      else timers.delete(timer);
      timer.action();
    }
    now = end;
  };

  return {
    now: () => new Date(now),
    every: (ms, action) => start(ms, true, action),
    after: (ms, action) => start(ms, false, action),
    advance,
    async passWaitOf(ms) {
      const waits = () => [...timers].map((timer) => timer.ms);
      await expect.poll(waits, { message: 'what is waited for' }).toContain(ms);
      advance(ms);
    },
  };
}

const HOUR_MS = 3_600_000;

/** Moves a clock to the next day of UTC where this one ends within an hour, for a test of counts of a day. */
export function skipDayEnd({ now, advance }: TestClock): void {
  const leftMs = 24 * HOUR_MS - (now().getTime() % (24 * HOUR_MS));
  if (leftMs < HOUR_MS) advance(leftMs);
}

/**
 * A store whose documents changed when `clock` says so, not when the database does: the sweep compares the
 * two. What others wrote counts as changed when it is first seen.
 */
export function onClock(store: Store, clock: Clock): Store {
  const changes = new Map<string, Date>();
  const changedAt = (path: string, version: string): Date => {
    const key = `${path} ${version}`;
    const known = changes.get(key) ?? clock.now();
    changes.set(key, known);
    return known;
  };
  const shown = <T>(stored: Stored<T>): Stored<T> => ({
    ...stored,
    updatedAt: changedAt(stored.path, stored.version),
  });
  return {
    ...store,
    async get(path, type) {
      const stored = await store.get(path, type);
      return stored && shown(stored);
    },
    async list(query, type) {
      return (await store.list(query, type)).map(shown);
    },
    async commit(writes) {
      const result = await store.commit(writes);
      if (result.ok) {
        for (const [index, version] of result.versions.entries()) {
          const path = writes[index]?.path;
          if (path !== undefined) changedAt(path, version);
        }
      }
      return result;
    },
  };
}
