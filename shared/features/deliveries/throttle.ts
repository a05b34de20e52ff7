// Paces a process's messages to a place: Slack refuses more than one a second and channel.

import type { Clock } from '../../core/kernel/deps.ts';

/** The longest wait within a call. A message that is later waits in the store. */
const MAX_WAIT_MS = 60_000;

/**
 * Waits for the turn of a message.
 * @param place the destination and the place within it.
 * @returns null for now; else when the turn is, without a wait.
 */
export type Throttle = (place: string, gapMs: number) => Promise<Date | null>;

/** Each process paces alone; the service refuses messages of others, which follow after its pause. */
export function createThrottle({ now, after }: Pick<Clock, 'now' | 'after'>): Throttle {
  const turns = new Map<string, number>();
  return async (place, gapMs) => {
    const time = now().getTime();
    const turn = Math.max(time, turns.get(place) ?? 0);
    if (turn - time > MAX_WAIT_MS) return new Date(turn);
    turns.set(place, turn + gapMs);
    if (turn > time) await new Promise<void>((resolve) => after(turn - time, resolve));
    return null;
  };
}
