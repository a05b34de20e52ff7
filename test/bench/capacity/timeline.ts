// Simulated time, which advances from event to event.

import { Heap } from 'heap-js';

/** Work that takes time: it yields how many seconds it waits. */
export type Process<T> = Generator<number, T, void>;

/** A limit that let something wait too long, and when it first did. */
export interface Reached {
  name: string;
  atSeconds: number;
  /** Open investigations at that time. */
  open: number;
}

/** Ours: the longest wait that no limit is blamed for. */
const UNBLAMED_SECONDS = 1;

/** The time of one simulation. */
export class Timeline {
  now = 0;
  /** When measuring starts. */
  readonly from: number;
  /** Open investigations. */
  open = 0;
  readonly reached = new Map<string, Reached>();
  #order = 0;
  readonly #events = new Heap<{ at: number; order: number; action: () => void }>(
    (one, other) => one.at - other.at || one.order - other.order,
  );

  constructor(from: number) {
    this.from = from;
  }

  get isMeasured(): boolean {
    return this.now >= this.from;
  }

  /** Calls `action` after some seconds. Actions of one time keep their order. */
  after(seconds: number, action: () => void): void {
    this.#events.push({ at: this.now + seconds, order: this.#order++, action });
  }

  /** Starts a process; `end` is called with its result. */
  start<T>(process: Process<T>, end: (result: T) => void): void {
    const { value, done } = process.next();
    if (done) end(value);
    else this.after(value, () => this.start(process, end));
  }

  /** Runs events until a time, or until none is left. */
  runUntil(seconds: number): void {
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      if (event.at > seconds) break;
      this.now = event.at;
      event.action();
    }
    if (Number.isFinite(seconds)) this.now = seconds;
  }

  /** Notes the limit that something waited for. */
  blame(name: string, waited: number): void {
    if (waited <= UNBLAMED_SECONDS || this.reached.has(name)) return;
    this.reached.set(name, { name, atSeconds: this.now, open: this.open });
  }
}
