// What is said to those who hear the page: a sentence every ten seconds at most, and at once what needs them.

import { signal } from '@preact/signals';

const PAUSE_MS = 10_000;

/** Said politely. */
export const said = signal('');
/** Said at once. */
export const alerted = signal('');

let last = Number.NEGATIVE_INFINITY;
let waiting: ReturnType<typeof setTimeout> | undefined;
let next = '';

/** Says a sentence when the last one is ten seconds ago; of those that come meanwhile only the last one. */
export function announce(sentence: string): void {
  next = sentence;
  if (waiting !== undefined) return;
  const rest = last + PAUSE_MS - performance.now();
  const say = () => {
    waiting = undefined;
    last = performance.now();
    said.value = next;
  };
  if (rest <= 0) say();
  else waiting = setTimeout(say, rest);
}

/** Says at once that a decision is wanted, that the session has ended or that the connection is lost. */
export function alertNow(sentence: string): void {
  alerted.value = sentence;
}
