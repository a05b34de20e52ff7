// The server's clock, running on this machine's monotonic one.

import { signal } from '@preact/signals';

let server = Date.now();
let measured = performance.now();

/** Whether this machine's clock differs from the server's by more than two minutes. */
export const isClockWrong = signal(false);
/** The server's time, updated once a second, for elapsed times. */
export const tick = signal(Date.now());

const WRONG_MS = 120_000;

/** Takes the time that an answer of the server names. */
export function setServerNow(iso: string): void {
  server = Date.parse(iso);
  measured = performance.now();
  isClockWrong.value = Math.abs(Date.now() - server) > WRONG_MS;
  tick.value = server;
}

/** The server's time in milliseconds. */
export function serverNow(): number {
  return server + performance.now() - measured;
}

setInterval(() => {
  // Tests of functions have no page.
  if (!globalThis.document?.hidden) tick.value = serverNow();
}, 1_000);
