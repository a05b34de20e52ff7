// Announcements for screen readers: at most one every ten seconds, urgent ones at once.

import { signal } from '@preact/signals';

const PAUSE_MS = 10_000;

/** The last announcement. */
export const announcement = signal('');
/** The last urgent announcement. */
export const urgentAnnouncement = signal('');

let last = Number.NEGATIVE_INFINITY;
let waiting: ReturnType<typeof setTimeout> | undefined;
let next = '';

/** Announces a sentence ten seconds after the last one; only the latest of several waiting ones. */
export function announce(sentence: string): void {
  next = sentence;
  if (waiting !== undefined) return;
  const rest = last + PAUSE_MS - performance.now();
  const publish = () => {
    waiting = undefined;
    last = performance.now();
    announcement.value = next;
  };
  if (rest <= 0) publish();
  else waiting = setTimeout(publish, rest);
}

/** Announces at once: a required approval, the end of a session, a lost connection. */
export function alertNow(sentence: string): void {
  urgentAnnouncement.value = sentence;
}
