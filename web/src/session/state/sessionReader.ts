// Reads a session, its timeline and its model calls from the API.

import { batch } from '@preact/signals';
import { RESULT_BYTES } from '../../../../shared/api/pages/sessionReads.ts';
import type { ModelCall, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { setServerNow } from '../../api/clock.ts';
import { readEarly } from '../../api/earlyReads.ts';
import { readSteps, type TimelinePage } from '../../api/readSteps.ts';
import { alertNow } from '../../frame/announce.ts';
import { notifyOfApproval } from '../../frame/notify.ts';
import { hasEnded } from '../../model/status.ts';
import type { IterationPlace } from '../../model/timeline.ts';
import { statusShown } from '../../parts/statusDisplay.ts';
import { isOpenInAddress } from './folding.ts';
import { foldsLane, laneLetters } from './lanes.ts';
import { listExecutions } from './sentences.ts';
import type { SessionModel } from './sessionModel.ts';

/** Shortest time between two refreshes. */
const REFRESH_MS = 700;
/** Ended executions with more iterations are folded at first. */
const UNFOLDED = 12;

/** Reads a session into its model. */
export interface SessionReader {
  /**
   * Reads the session, then its steps page by page, each of which is shown at once. A failure goes into the
   * model: `error` of the session, `reading` of the steps.
   * @returns the session, and the position in its stream; undefined after a failure.
   */
  readAll(): Promise<{ view: SessionView; position: string } | undefined>;
  /**
   * Reads results of which only the start was read, up to 8 kB of each. Concurrent calls share a read. A
   * failure leaves their start. @throws ApiError
   */
  readTexts(): Promise<void>;
  /** Reads session and new model calls after a pause; further calls within the pause change nothing. */
  refresh(): void;
  /** Reads session and new model calls. A failure changes nothing. */
  refreshNow(): Promise<void>;
  /** Ends a pending refresh. */
  stop(): void;
}

/** The reader of a session. */
export function createReader(model: SessionModel): SessionReader {
  const { sessionId, timeline, view, reading, aroundChange } = model;
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  /** Sum of iterations at the last read of model calls. */
  let iterationsRead = 0;
  /** The read of results that is under way. */
  let readingTexts: Promise<void> | undefined;

  /** @param also Changed together with it, in one rendering. */
  const showView = (read: SessionView, also = () => {}): void => {
    setServerNow(read.now);
    const before = view.peek();
    aroundChange.current(() =>
      batch(() => {
        view.value = read;
        also();
      }),
    );
    announceChange(before, read);
  };

  const readNewCalls = async (read: SessionView): Promise<void> => {
    const iterations = countIterations(read);
    if (iterations === iterationsRead && !hasEnded(read.status)) return;
    const calls = await readCalls(sessionId);
    iterationsRead = iterations;
    aroundChange.current(() => timeline.setModelCalls(calls));
  };

  const refreshNow = async (): Promise<void> => {
    try {
      const read = await readEarly('view', sessionId);
      showView(read);
      await readNewCalls(read);
    } catch {
      // The next refresh reads again.
    }
  };

  const readAll: SessionReader['readAll'] = async () => {
    const pages = readListPages(
      (cursor) => readSteps({ sessionId, resultBytes: RESULT_BYTES, ...cursor }),
      readEarly('steps', sessionId),
    );
    const firstPage = pages.next();
    // The failure is thrown when the page is awaited.
    firstPage.catch(() => {});
    const calls = readCalls(sessionId);
    try {
      const read = await readEarly('view', sessionId);
      const steps = createStepReader(model, read);
      // What was read beside the session is drawn with it.
      const [early, earlyCalls] = await Promise.all([soon(firstPage), soon(calls)]);
      showView(read, () => {
        model.error.value = undefined;
        steps.start();
        if (earlyCalls !== undefined) timeline.setModelCalls(earlyCalls);
        if (early?.done === false) steps.add(early.value);
      });
      const setCalls = calls.then((known) => aroundChange.current(() => timeline.setModelCalls(known)));
      iterationsRead = countIterations(read);
      if (early === undefined) await firstPage.then(({ done, value }) => done || steps.addAround(value));
      for await (const page of pages) steps.addAround(page);
      await setCalls;
      const position = steps.end();
      return { view: read, position };
    } catch (cause) {
      const error = asError(cause);
      if (view.peek() === undefined) model.error.value = error;
      else reading.value = { steps: timeline.size.peek(), error };
      return undefined;
    }
  };

  return {
    readAll,
    readTexts() {
      readingTexts ??= readTexts(model).finally(() => {
        readingTexts = undefined;
      });
      return readingTexts;
    },
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

/** The result of a read that has ended; undefined for others and after a failure. */
function soon<T>(read: Promise<T>): Promise<T | undefined> {
  const later = new Promise<undefined>((resolve) => setTimeout(resolve));
  return Promise.race([read.catch(() => undefined), later]);
}

/** Adds the pages of the steps, and counts them while they are read for the first time. */
function createStepReader({ timeline, reading, isRead, aroundChange }: SessionModel, view: SessionView) {
  const isFirst = timeline.size.peek() === 0;
  let position = '';
  const add = (page: TimelinePage) => {
    position = page.position;
    timeline.add(page.events);
    reading.value = isFirst && page.next !== null ? { steps: timeline.size.peek() } : undefined;
    if (page.next === null) isRead.value = true;
  };
  return {
    start() {
      if (!isFirst) return;
      reading.value = { steps: 0 };
      timeline.opens = (iteration) => isOpenInAddress(iteration, isOpenAtFirst(view, iteration));
    },
    add,
    /** Adds a page, and the rows on the screen keep their place. */
    addAround: (page: TimelinePage) => aroundChange.current(() => batch(() => add(page))),
    /** @returns the position in the stream after the steps. */
    end() {
      timeline.opens = () => true;
      return position;
    },
  };
}

/** Reads the timeline again if only the start of some result was read. @throws ApiError */
async function readTexts({ sessionId, timeline, isReadingTexts, aroundChange }: SessionModel): Promise<void> {
  if (!timeline.hasResultStarts(RESULT_BYTES)) return;
  isReadingTexts.value = true;
  try {
    for await (const { events } of readListPages((cursor) => readSteps({ sessionId, ...cursor })))
      aroundChange.current(() => timeline.add(events));
  } finally {
    isReadingTexts.value = false;
  }
}

/** Whether an iteration starts open: not those of long agents, or of folded parallel ones. */
function isOpenAtFirst(view: SessionView, { executionId }: IterationPlace): boolean {
  const execution = listExecutions(view).find((one) => one.executionId === executionId);
  if (execution && laneLetters(view).has(executionId) && foldsLane(view, execution)) return false;
  if (!hasEnded(view.status)) return true;
  return (execution?.iteration ?? 0) <= UNFOLDED;
}

function countIterations(view: SessionView): number {
  return listExecutions(view).reduce((sum, { iteration }) => sum + iteration, 0);
}

/** Announces what changed in one announcement: a second one would replace the first. */
function announceChange(before: SessionView | undefined, after: SessionView): void {
  if (before === undefined) return;
  const pending = (view: SessionView) => view.approvals.filter(({ status }) => status === 'pending').length;
  const isAsked = pending(after) > pending(before);
  const hasAnalysis = (view: SessionView) => (view.finalAnalysis ?? '') !== '';
  const sentences = [
    ...(isAsked ? ['Approval required: an agent requests to run a tool.'] : []),
    ...(!hasAnalysis(before) && hasAnalysis(after) ? ['Analysis ready. Press g, then a.'] : []),
    ...(!hasEnded(before.status) && hasEnded(after.status)
      ? [`The session has ended: ${statusShown(after.status).word}.`]
      : []),
  ];
  if (sentences.length > 0) alertNow(sentences.join(' '));
  if (isAsked) notifyOfApproval(after.sessionId, `/s/${after.sessionId}`);
}

/** Model calls with their times; empty when they cannot be read, because the page is useful without them. */
async function readCalls(sessionId: string): Promise<ModelCall[]> {
  const calls: ModelCall[] = [];
  try {
    const read = (cursor: Cursor) =>
      api.get('/v1/sessions/{sessionId}/interactions', { sessionId, ...cursor });
    for await (const { interactions } of readListPages(read, readEarly('calls', sessionId)))
      calls.push(...interactions);
    return calls;
  } catch {
    return [];
  }
}

/** Where a page starts. */
interface Cursor {
  after?: string;
  position?: string;
}

/** A list's pages, each requested while the one before is handled. @param first The first one. */
async function* readListPages<Page extends { next: string | null; position?: string }>(
  read: (cursor: Cursor) => Promise<Page>,
  first = read({}),
): AsyncGenerator<Page> {
  for (let coming: Promise<Page> | undefined = first; coming !== undefined; ) {
    const page: Page = await coming;
    const { next, position } = page;
    coming = next === null ? undefined : read({ after: next, ...(position !== undefined && { position }) });
    // The failure is thrown when the page is awaited.
    coming?.catch(() => {});
    yield page;
  }
}
