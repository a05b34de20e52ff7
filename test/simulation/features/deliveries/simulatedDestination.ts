// A destination in virtual time: loses answers, is slow, pauses, fails, shows messages late.

import type {
  Destination,
  OutgoingMessage,
  ProbeResult,
  SendResult,
} from '../../../../shared/contract/destination.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import type { VirtualTime } from '../../../../shared/engine/testing/virtualTime.ts';

/** How a destination lets a lost answer be resolved. */
type Resolution = 'probe' | 'key' | 'repeatSafe' | 'none';

/** What goes wrong beside single requests, from a time to another. */
export interface Trouble {
  /**
   * `revoked`: the credential is refused. `removed`: the configuration does not have the destination.
   * `deleted`: people have deleted the messages before that time.
   */
  kind: 'none' | 'revoked' | 'removed' | 'deleted';
  /** Epoch milliseconds. */
  from: number;
  to: number;
}

/** A message that was accepted. */
interface AcceptedPost {
  id: string;
  ref: string;
  thread: string | null;
  /** Whether it is marked "possibly repeated". */
  isRepeated: boolean;
  postedAt: number;
  /** When a probe can see it. */
  visibleAt: number;
  /** The contents over time: the first one, then each edit in the order in which it was applied. */
  revisions: string[];
}

/** The settings of one run. */
export interface DestinationPlan {
  resolution: Resolution;
  /** The chance that a request meets a fault. */
  faults: number;
  timeoutMs: number;
  /** What counts sessions instead of showing them, or rejected alerts, and how many there are. */
  grouping: 'none' | 'storm' | 'digest' | 'rejected';
  sessions: number;
  onDoubt: 'repeat' | 'hold';
  trouble: Trouble;
}

/** What happened at a destination. */
export interface DestinationLog {
  posts: AcceptedPost[];
  /** The requests of each message whose answer was lost. */
  lost: Map<string, number>;
  /** The requests of each message. */
  requests: Map<string, number>;
  /** Counts of the faults, by name. */
  faults: Map<string, number>;
}

/** The process that sends, which can die during a request. */
export interface Sender {
  /** Ends the process with some chance; then the promise never settles. */
  dieAtSomeTime(): Promise<void>;
  /** Called at the start of each request. */
  onRequest(): void;
}

/** An accepted message is visible after at most this time, in milliseconds. */
const MAX_VISIBLE_LATE_MS = 120_000;
/** A lost edit takes effect after at most this time beyond its time-out, in milliseconds. */
const MAX_EDIT_LATE_MS = 55_000;

const REVOKED = { code: 'token_revoked', message: 'The token was revoked.' };
const GONE: SendResult = {
  outcome: 'gone',
  failure: { code: 'message_not_found', message: 'It was deleted.' },
};
const LOST: SendResult = { outcome: 'unknown', failure: { code: 'timeout', message: 'No answer.' } };

/** Makes the state that all processes of a run share. */
export function createDestinationLog(): DestinationLog {
  return { posts: [], lost: new Map(), requests: new Map(), faults: new Map() };
}

/** The destination as one process sees it. */
export function simulatedDestination(
  { resolution, faults, timeoutMs, trouble }: DestinationPlan,
  log: DestinationLog,
  { random, time, sender }: { random: Random; time: VirtualTime; sender: Sender },
): Destination {
  const pause = (ms: number) => new Promise<void>((resolve) => time.after(ms, resolve));
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const isRevoked = () => trouble.kind === 'revoked' && time.now() >= trouble.from && time.now() < trouble.to;
  const lose = async (id: string, after: number): Promise<SendResult> => {
    count(log.lost, id);
    await pause(after);
    return LOST;
  };

  /** One request whose effect is `accept`. @param lateMs how late the effect of a slow request can be. */
  const request = async (id: string, accept: () => SendResult, lateMs: number): Promise<SendResult> => {
    sender.onRequest();
    count(log.requests, id);
    const fault = random.chance(faults)
      ? random.pick(['accept_and_cut', 'cut', 'slow', 'pause', 'error', 'error_after_effect', 'death'])
      : 'none';
    count(log.faults, fault);
    const latency = random.int(20, 3_000);
    switch (fault) {
      case 'accept_and_cut':
        await pause(latency);
        accept();
        return lose(id, random.int(0, timeoutMs - latency));
      case 'cut':
        return lose(id, latency);
      case 'slow':
        time.after(random.int(latency, timeoutMs + lateMs), accept);
        return lose(id, timeoutMs);
      case 'pause': {
        await pause(latency);
        const failure = { code: 'ratelimited', message: 'Wait.' };
        return { outcome: 'retry', failure, retryAfterMs: random.int(1, 90) * 1_000 };
      }
      case 'error':
      case 'error_after_effect':
        await pause(latency);
        if (fault === 'error_after_effect') accept();
        count(log.lost, id);
        return { outcome: 'unknown', failure: { code: 'http_500', message: 'Error.' } };
      case 'death':
        if (random.chance(0.5)) time.after(random.int(latency, timeoutMs), accept);
        count(log.lost, id);
        await sender.dieAtSomeTime();
        return LOST;
      default:
        await pause(latency);
        return accept();
    }
  };

  const post = (outgoing: OutgoingMessage): SendResult => {
    if (isRevoked()) return { outcome: 'refused', failure: REVOKED };
    const known = log.posts.find(({ id }) => id === outgoing.id);
    if (known !== undefined && resolution === 'key') return { outcome: 'sent', ref: known.ref };
    const ref = `m${log.posts.length + 1}`;
    const visibleAt = time.now() + random.int(0, MAX_VISIBLE_LATE_MS);
    const { id, thread, message } = outgoing;
    const { isRepeated, title } = message;
    log.posts.push({ id, ref, thread, isRepeated, postedAt: time.now(), visibleAt, revisions: [title] });
    return { outcome: 'sent', ref };
  };

  const edit = (ref: string, { message }: OutgoingMessage): SendResult => {
    if (isRevoked()) return { outcome: 'refused', failure: REVOKED };
    const found = log.posts.find((one) => one.ref === ref);
    const isDeleted = trouble.kind === 'deleted' && time.now() >= trouble.from;
    if (found === undefined || (isDeleted && found.postedAt < trouble.from)) return GONE;
    found.revisions.push(message.title);
    return { outcome: 'sent', ref };
  };

  const search = async (outgoing: OutgoingMessage): Promise<ProbeResult> => {
    await pause(random.int(20, 1_000));
    if (isRevoked()) return { outcome: 'failed', failure: REVOKED, retryAfterMs: null };
    if (random.chance(faults / 2))
      return { outcome: 'failed', failure: { code: 'timeout', message: 'No answer.' }, retryAfterMs: null };
    const found = log.posts.find(({ id, visibleAt }) => id === outgoing.id && visibleAt <= time.now());
    return found === undefined ? { outcome: 'absent' } : { outcome: 'found', ref: found.ref };
  };

  return {
    kind: 'slack',
    capabilities: {
      update: true,
      thread: true,
      buttons: false,
      probe: resolution === 'probe',
      key: resolution === 'key',
      isRepeatSafe: resolution === 'repeatSafe',
    },
    timeoutMs,
    send: (outgoing) => request(outgoing.id, () => post(outgoing), 0),
    update: (ref, outgoing) => request(`edit ${outgoing.id}`, () => edit(ref, outgoing), MAX_EDIT_LATE_MS),
    ...(resolution === 'probe' && { probe: search }),
  };
}
