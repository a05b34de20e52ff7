// Reads runs: their results, and their events in the order of their commits.

import type * as z from 'zod';
import type { Store, Stored } from '../core/contract/store.ts';
import { RetryableError, TerminalError } from '../core/errors.ts';
import { structuredAnswer } from '../core/kernel/execution/structuredAnswer.ts';
import { type Failure, isTerminal, type TerminalStatus } from '../core/schema/common.ts';
import {
  composeExecutionId,
  executionType,
  paths,
  sessionType,
  timelineEventType,
} from '../core/schema/coreDocuments.ts';
import { readPart } from '../core/schema/parts.ts';
import type { Session } from '../core/schema/session.ts';
import type { TimelineEvent } from '../core/schema/timelineEvent.ts';
import { runLabelsPart } from '../schema/runLabels.ts';
import { compareCommits } from '../store/commitOrder.ts';
import { parseJson } from '../text/json.ts';

/** Milliseconds between two reads that a watch does not cause. They also keep the process alive. */
const READ_AGAIN_MS = 30_000;

/** An event of a run, with its number. */
export type RunEvent = TimelineEvent & {
  /** Counts the events of the run from 1, in the order in which they were stored. */
  number: number;
};

/** A run as it is stored. */
export interface RunState {
  id: string;
  /** The registered name of its agent or chain. */
  agent: string;
  tenant: string;
  /** As they were started with; empty for none. */
  labels: Readonly<Record<string, string>>;
  status: Session['status'];
  createdAt: Date;
  endedAt: Date | null;
}

/** How a run ended. */
export interface RunResult<T = unknown> extends RunState {
  status: TerminalStatus;
  /** The answer as text; null for a run without one. */
  text: string | null;
  /** The result in a few lines; null without a `summaryModel`. */
  summary: string | null;
  /** The answer in the form that the agent declares; undefined without a form, or without an answer. */
  answer: T | undefined;
  /** Why it did not complete; null for a completed run. */
  failure: Failure | null;
  /** Why the answer is limited; empty if it is not. */
  caveats: string[];
  /** Tokens of all model calls. */
  tokens: Session['tokens'];
  /** The price of all model calls, where the prices of the models are known. */
  cost: Session['cost'];
}

/** The state of a run. */
export function toRunState(session: Session): RunState {
  const { sessionId, chain, tenantId, status, createdAt, endedAt } = session;
  const labels = readPart(runLabelsPart, session) ?? {};
  return { id: sessionId, agent: chain.name, tenant: tenantId, labels, status, createdAt, endedAt };
}

/** The session of a run. @throws TerminalError `SESSION_UNKNOWN`; RetryableError when the store fails. */
export async function readRun(id: string, { store }: { store: Store }): Promise<Session> {
  const found = await store.get(paths.session(id), sessionType);
  if (found === undefined) throw new TerminalError('SESSION_UNKNOWN', `there is no run ${id}`);
  return found.value;
}

/**
 * Waits for the end of a run.
 * @throws the signal's reason; TerminalError `SESSION_UNKNOWN`; RetryableError when the store fails.
 */
export async function awaitRun(
  id: string,
  signal: AbortSignal | undefined,
  deps: { store: Store },
): Promise<Session> {
  const changes = watchChanges(id, signal, deps);
  try {
    for (;;) {
      const session = await readRun(id, deps);
      if (isTerminal(session.status)) return session;
      await changes.next();
    }
  } finally {
    changes.stop();
  }
}

/**
 * The answer of a run in the form that its last agent declares; undefined without a form, or if the answer
 * does not fit it.
 * @throws RetryableError when the store fails.
 */
export async function readAnswer<T>(
  { sessionId, chain: { stages } }: Session,
  form: z.ZodType<T> | undefined,
  deps: { store: Store },
): Promise<T | undefined> {
  if (form === undefined) return undefined;
  const last = stages.at(-1);
  const [agent, ...others] = last?.synthesis ? [last.synthesis] : (last?.agents ?? []);
  if (agent === undefined || others.length > 0) return undefined;
  const executionId = composeExecutionId(stages.length, agent.name);
  const execution = await deps.store.get(paths.execution(sessionId, executionId), executionType);
  const found = execution && (await structuredAnswer(execution.value, deps));
  return found && form.safeParse(parseJson(found.json)).data;
}

/**
 * Yields each event of a run once, in order, until the run has ended.
 * @param after the number of the last event that the caller has; 0 for none.
 * @throws as `awaitRun`.
 */
export async function* followEvents(
  id: string,
  { after, signal }: { after: number; signal: AbortSignal | undefined },
  deps: { store: Store },
): AsyncGenerator<RunEvent, void> {
  const events = new Map<string, Stored<TimelineEvent>>();
  const keep = (stored: readonly Stored<TimelineEvent>[]): void => {
    for (const one of stored) events.set(one.id, one);
  };
  const changes = watchChanges(id, signal, deps, keep);
  let last = after;
  try {
    for (;;) {
      const isOver = isTerminal((await readRun(id, deps)).status);
      // The watch can lag behind the end of the run, which is stored with its last events.
      if (isOver) keep(await deps.store.list({ collection: paths.timeline(id) }, timelineEventType));
      const ordered = [...events.values()].sort(compareEvents);
      for (const { value } of ordered.slice(last)) yield { ...value, number: ++last };
      if (isOver) return;
      await changes.next();
    }
  } finally {
    changes.stop();
  }
}

/** Events of one batch by their execution and their number there. */
function compareEvents(one: Stored<TimelineEvent>, other: Stored<TimelineEvent>): number {
  return compareCommits(one, other) || (one.id < other.id ? -1 : 1);
}

interface Changes {
  /** Resolves after a change since the last call, or after `READ_AGAIN_MS`. @throws the signal's reason. */
  next(): Promise<void>;
  stop(): void;
}

/** @param keep gets the events; by default they are not watched. */
function watchChanges(
  id: string,
  signal: AbortSignal | undefined,
  { store }: { store: Store },
  keep?: (events: readonly Stored<TimelineEvent>[]) => void,
): Changes {
  signal?.throwIfAborted();
  let isChanged = false;
  let failure: unknown;
  let wake = (): void => {};
  const note = (): void => {
    isChanged = true;
    wake();
  };
  const fail = (cause: unknown): void => {
    failure ??= new RetryableError('STORE_UNAVAILABLE', 'the database stopped sending changes', { cause });
    wake();
  };
  const abort = (): void => {
    failure = signal?.reason;
    wake();
  };
  const watchEvents = (found: NonNullable<typeof keep>): (() => void) =>
    store.watch(
      { collection: paths.timeline(id) },
      timelineEventType,
      (events) => {
        found(events);
        note();
      },
      fail,
    );
  const stops = [
    store.watch({ collection: paths.sessions, idRange: { from: id, to: id } }, sessionType, note, fail),
    ...(keep === undefined ? [] : [watchEvents(keep)]),
  ];
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setInterval(note, READ_AGAIN_MS);
  return {
    async next() {
      if (!isChanged && failure === undefined) await new Promise<void>((resolve) => (wake = resolve));
      isChanged = false;
      if (failure !== undefined) throw failure;
    },
    stop() {
      clearInterval(timer);
      signal?.removeEventListener('abort', abort);
      for (const stop of stops) stop();
    },
  };
}
