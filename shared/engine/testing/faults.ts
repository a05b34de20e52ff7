// The faults of queue, process and store, and what a simulated world offers to the parts that inject them.
// Both the simulation of Inquest and `simulate` of the engine have such a world.

import type { Random } from './random.ts';
import type { VirtualTime } from './virtualTime.ts';

/** The faults, with the highest probability that a seed of `simulate` draws for each opportunity. */
export const ENGINE_FAULTS = {
  /** A message is delivered a second time, at the same moment or later. */
  message_duplicated: 0.5,
  /** A delivery does not arrive; the message is redelivered later. */
  delivery_dropped: 0.2,
  /** A delivery arrives late and out of order. */
  delivery_delayed: 0.5,
  /** The function has finished and the queue does not receive the ack. */
  ack_lost: 0.2,
  /** An acked message is delivered once more, up to eight hours later. */
  acked_again: 0.1,
  /** Many copies of a message are delivered at the same moment. */
  message_burst: 0.05,
  /** A message is lost. */
  message_lost: 0.1,
  /** A message is lost after a delivery that failed. */
  redelivery_lost: 0.05,
  /** A process dies at one of the steps of the protocol. */
  process_killed_at_crash_point: 0.3,
  process_killed_anywhere: 0.03,
  /** A process stalls for up to two minutes while its leases expire. */
  process_stalled: 0.04,
  /** The clock of a process is ahead or behind. */
  clock_skewed: 0.3,
  /** The clock of a process is corrected while it works. */
  clock_jumped: 0.02,
  read_failed: 0.03,
  read_slow: 0.1,
  /** The commit is lost. */
  commit_failed: 0.05,
  /** The commit is written, and the writer gets an error. */
  commit_answer_lost: 0.05,
  /** The client repeats the commit after a lost answer, and is refused because of its own first write. */
  commit_repeated: 0.05,
  /** The commit is written after its writer timed out. */
  commit_late: 0.05,
  /** The commit is written half an hour after its writer timed out. */
  commit_very_late: 0.02,
  commit_slow: 0.1,
  /** Another program rewrites a document right before a commit that replaces it, which is refused. */
  document_rewritten: 0.03,
  publish_failed: 0.2,
  /** The message is published, and the publisher gets an error. */
  publish_answer_lost: 0.1,
  /** The client publishes the message twice, because the first answer was lost. */
  publish_doubled: 0.1,
  publish_slow: 0.1,
} as const;
/** The name of a fault. */
export type EngineFault = keyof typeof ENGINE_FAULTS;

/** What the parts that inject faults need of a world. */
export interface FaultWorld {
  time: VirtualTime;
  random: Random;
  plan: {
    /** The largest deviation of a clock, in milliseconds. */
    maxSkewMs: number;
    /** Bytes of the messages that a process keeps. */
    cacheBytes: number;
    /** `burst`: five deliveries at one moment. `late`: four more copies within half a minute. */
    storm: 'burst' | 'late' | null;
    maxDeliveryAttempts: number;
  };
  /** Draws whether a fault occurs now, and counts it if so. `calls` is the kind of call it would hit. */
  drawFault(fault: EngineFault, calls?: string): boolean;
  /** Draws a duration in milliseconds. */
  drawMs(min: number, max: number): number;
  /** Adds a line to the trace. */
  traceLine(line: string): void;
  /** Called when a process dies. */
  noteDeath(): void;
}

/** Draws and counts faults, and writes the trace. */
export interface FaultDraws<F extends string> {
  /** How often each fault has occurred. */
  faults: Map<F, number>;
  /** One readable line for everything that happened. */
  trace: string[];
  drawFault(fault: F, calls?: string): boolean;
  /** Counts a fault that occurs. */
  countFault(fault: F): void;
  traceLine(line: string): void;
}

/**
 * The faults of a world.
 * @param until when they end, in epoch milliseconds.
 */
export function createFaultDraws<F extends string>(
  { time, random }: Pick<FaultWorld, 'time' | 'random'>,
  findProbability: (fault: F, calls: string | undefined) => number,
  until: () => number,
): FaultDraws<F> {
  const start = time.now();
  const faults = new Map<F, number>();
  const trace: string[] = [];
  const draws: FaultDraws<F> = {
    faults,
    trace,
    drawFault(fault, calls) {
      if (time.now() > until() || !random.chance(findProbability(fault, calls))) return false;
      draws.countFault(fault);
      return true;
    },
    countFault(fault) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      draws.traceLine(`! ${fault.replaceAll('_', ' ')}`);
    },
    traceLine(line) {
      trace.push(`${((time.now() - start) / 1000).toFixed(3).padStart(10)} ${line}`);
    },
  };
  return draws;
}
