// Reads a session, its timeline and its model calls from the API.

import { batch } from '@preact/signals';
import type { ModelCall, SessionView, TimelineEvent } from '../../../../shared/api/types.ts';
import { asError, getJson } from '../../api/client.ts';
import { setServerNow } from '../../api/clock.ts';
import { alertNow } from '../../frame/announce.ts';
import { hasEnded } from '../../model/status.ts';
import type { Timeline } from '../../model/timeline.ts';
import { statusShown } from '../../parts/statusDisplay.ts';
import { applyFolding } from './folding.ts';
import { laneLetters } from './lanes.ts';
import { executionsOf } from './sentences.ts';
import type { SessionModel } from './sessionModel.ts';

/** Shortest time between two refreshes. */
const REFRESH_MS = 700;

/** Reads a session into its model. */
export interface SessionReader {
  /** Reads everything. A failure goes into `error` of the model. @returns the session; undefined after a failure. */
  readAll(): Promise<SessionView | undefined>;
  /** Reads session and new model calls after a pause; further calls within the pause change nothing. */
  refresh(): void;
  /** Reads session and new model calls. A failure changes nothing. */
  refreshNow(): Promise<void>;
  /** Ends a pending refresh. */
  stop(): void;
}

/** The reader of a session. */
export function createReader(model: SessionModel): SessionReader {
  const { path, timeline, view, aroundChange } = model;
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  /** Sum of iterations at the last read of model calls. */
  let iterationsRead = 0;

  const readView = async (): Promise<SessionView> => {
    const read = await getJson<SessionView>(path);
    setServerNow(read.now);
    const before = view.peek();
    aroundChange.current(() => {
      view.value = read;
    });
    announceChange(before, read);
    return read;
  };

  const readNewCalls = async (read: SessionView): Promise<void> => {
    const iterations = iterationsOf(read);
    if (iterations === iterationsRead && !hasEnded(read.status)) return;
    const calls = await readCalls(path);
    iterationsRead = iterations;
    aroundChange.current(() => timeline.setModelCalls(calls));
  };

  const refreshNow = () =>
    readView()
      .then(readNewCalls)
      .catch(() => undefined);

  const readAll = async (): Promise<SessionView | undefined> => {
    try {
      const [read, events, calls] = await Promise.all([readView(), readTimeline(path), readCalls(path)]);
      iterationsRead = iterationsOf(read);
      batch(() => {
        model.error.value = undefined;
        addRead(timeline, read, events, calls);
      });
      return read;
    } catch (cause) {
      model.error.value = asError(cause);
      return undefined;
    }
  };

  return {
    readAll,
    refreshNow,
    refresh() {
      refreshing ??= setTimeout(() => {
        refreshing = undefined;
        void refreshNow();
      }, REFRESH_MS);
    },
    stop: () => clearTimeout(refreshing),
  };
}

/** Adds events and calls. Only the first read folds iterations: later ones keep the folding of the reader. */
function addRead(
  timeline: Timeline,
  view: SessionView,
  events: readonly TimelineEvent[],
  calls: readonly ModelCall[],
): void {
  const isFirst = timeline.size.peek() === 0;
  timeline.setModelCalls(calls);
  timeline.add(events);
  if (!isFirst) return;
  if (hasEnded(view.status)) {
    timeline.foldLong();
    foldLanes(view, timeline);
  }
  applyFolding(timeline);
}

/** Folds the iterations of parallel agents once there is an analysis. */
function foldLanes(view: SessionView, timeline: Timeline): void {
  if (view.finalAnalysis === null) return;
  for (const executionId of laneLetters(view).keys())
    for (const { isOpen } of timeline.iterationsOf(executionId).peek()) isOpen.value = false;
}

function iterationsOf(view: SessionView): number {
  return executionsOf(view).reduce((sum, { iteration }) => sum + iteration, 0);
}

function announceChange(before: SessionView | undefined, after: SessionView): void {
  if (before === undefined) return;
  const pending = (view: SessionView) => view.approvals.filter(({ status }) => status === 'pending').length;
  if (pending(after) > pending(before)) alertNow('Approval required: an agent requests to run a tool.');
  if (!hasEnded(before.status) && hasEnded(after.status))
    alertNow(`The session has ended: ${statusShown(after.status).word}.`);
}

function readTimeline(path: string): Promise<TimelineEvent[]> {
  return readPages<{ events: TimelineEvent[] }, TimelineEvent>(`${path}/timeline`, ({ events }) => events);
}

/** Model calls with their times; empty when they cannot be read, because the page is useful without them. */
function readCalls(path: string): Promise<ModelCall[]> {
  return readPages<{ interactions: ModelCall[] }, ModelCall>(
    `${path}/interactions`,
    ({ interactions }) => interactions,
  ).catch(() => []);
}

/** Reads all pages of a list. */
async function readPages<Page, Item>(path: string, itemsOf: (page: Page) => Item[]): Promise<Item[]> {
  const items: Item[] = [];
  let query = '';
  do {
    const page = await getJson<Page & { next: string | null }>(`${path}${query}`);
    items.push(...itemsOf(page));
    query = page.next === null ? '' : `?after=${encodeURIComponent(page.next)}`;
  } while (query !== '');
  return items;
}
