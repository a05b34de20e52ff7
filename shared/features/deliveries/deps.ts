// The dependencies of sending messages.

import type { FindDestination } from '../../contract/destination.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { Throttle } from './throttle.ts';

/** Where tests and simulation end the process: between points nothing outside it changes. */
export const DELIVERY_CRASH_POINTS = {
  /** The message is pending: another process must send it. */
  beforeSending: 'before-sending',
  /** `sending` is stored and nothing was sent, which cannot be distinguished from a sent message. */
  afterSending: 'after-sending',
  /** The destination's answer is only in this process: the message must not be sent again. */
  afterRequest: 'after-request',
} as const;
type DeliveryCrashPoint = (typeof DELIVERY_CRASH_POINTS)[keyof typeof DELIVERY_CRASH_POINTS];

/** The dependencies of sending messages: stored state and the destinations. */
export interface DeliverDeps extends Omit<StateDeps, 'failpoint'> {
  /** The configured destinations. */
  destinations: FindDestination;
  /** Address of the dashboard for links, without a slash at its end; null without one. */
  publicUrl: string | null;
  /** A unique id, for holders of threads. */
  newId(): string;
  /** Waits between messages of a place. Absent: they are not paced. */
  pace?: Throttle | undefined;
  /** Called at every crash point. Absent in production. */
  failpoint?: ((point: DeliveryCrashPoint) => Promise<void>) | undefined;
}
