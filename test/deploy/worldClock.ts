// One time for the local cloud and all services, which a test moves: back-offs take no time.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../shared/core/kernel/deps.ts';

/** Milliseconds between two looks at timers. */
const TICK_MS = 10;

/** The clock of a deployment. */
export interface WorldClock extends Clock {
  /** Lets `ms` milliseconds pass for everyone. */
  advance(ms: number): void;
  /** The file with the milliseconds by which the time of services differs from that of the machine. */
  file: string;
  /** Ends its timers and deletes the file. */
  stop(): void;
}

/** A clock that starts at the real time and goes on with it. */
export function createWorldClock(): WorldClock {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-clock-'));
  const file = join(folder, 'offset');
  let offset = 0;
  const timers = new Map<symbol, { due: number; everyMs: number | undefined; action: () => void }>();
  const now = () => Date.now() + offset;
  const start = (ms: number, everyMs: number | undefined, action: () => void) => {
    const key = Symbol('timer');
    timers.set(key, { due: now() + ms, everyMs, action });
    return () => void timers.delete(key);
  };
  const run = (key: symbol) => {
    const timer = timers.get(key);
    if (timer === undefined) return;
    if (timer.everyMs === undefined) timers.delete(key);
    else timer.due = now() + timer.everyMs;
    timer.action();
  };
  const tick = setInterval(() => {
    for (const [key, { due }] of timers) if (due <= now()) run(key);
  }, TICK_MS);
  const setOffset = (ms: number) => {
    offset = ms;
    // A service never reads a half-written file.
    writeFileSync(`${file}.new`, String(offset));
    renameSync(`${file}.new`, file);
  };
  /** Timers that are due by then run in order, each at its time. */
  const advance = (ms: number) => {
    const end = now() + ms;
    for (;;) {
      const [next] = [...timers].filter(([, { due }]) => due <= end).sort(([, a], [, b]) => a.due - b.due);
      if (next === undefined) break;
      offset += Math.max(0, next[1].due - now());
      run(next[0]);
    }
    setOffset(offset + Math.max(0, end - now()));
  };
  setOffset(0);
  return {
    now: () => new Date(now()),
    after: (ms, action) => start(ms, undefined, action),
    every: (ms, action) => start(ms, ms, action),
    advance,
    file,
    stop() {
      clearInterval(tick);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
