// A session as it is and as it goes on: what the API says of it, its events, and what a reader looks at.

import { batch, computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Guidance, ModelCall, SessionView, TimelineEvent } from '../../../../shared/api/types.ts';
import { getJson } from '../../api/client.ts';
import { setServerNow } from '../../api/clock.ts';
import { type Connection, follow } from '../../api/follow.ts';
import { alertNow, announce } from '../../frame/announce.ts';
import { connection } from '../../frame/Frame.tsx';
import { lookForNewVersion } from '../../frame/newVersion.ts';
import { hasEnded } from '../../model/status.ts';
import { Timeline } from '../../model/timeline.ts';
import { statusShown } from '../../parts/statusDisplay.ts';
import { applyFolding } from './folding.ts';
import { laneLetters } from './lanes.ts';
import { executionsOf, sentenceOf } from './sentences.ts';
import { type Speech, speechEvents, speechIds } from './speech.ts';

/** Everything the parts of the page share. */
export type SessionState = ReturnType<typeof openSession>;

/** Read again at most so often while events come. */
const REFRESH_MS = 700;

/** Opens a session: reads it, and follows it while it runs. */
export function openSession(sessionId: string) {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
  const view = signal<SessionView | undefined>(undefined);
  /** What rows need of it: those are not drawn anew whenever something else of it changes. */
  const began = computed(() => view.value?.createdAt);
  const atTop = computed(() => view.value?.finalAnalysis ?? '');
  const summary = computed(() => view.value?.executiveSummary ?? '');
  const guidance = signal<readonly { guidance: Guidance; state: string; readBy: string[] }[]>([]);
  const error = signal<Error | undefined>(undefined);
  /** When what is shown was true, while the connection is lost. */
  const asOf = signal<string | undefined>(undefined);
  const link = signal<Connection | undefined>(undefined);
  /** What became of the approvals that a reader acted on here, by approvalId; '' while that is open. Their cards stay. */
  const answered = signal<ReadonlyMap<string, string>>(new Map());
  const timeline = new Timeline();
  /** Called around changes, so that what a reader looks at stays in its place. */
  const aroundChange = { current: (change: () => void) => change() };
  const onAdded = { current: (_count: number) => {} };

  let stop = () => {};
  let isOpen = true;
  let isRunning = false;
  let refreshing: ReturnType<typeof setTimeout> | undefined;

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

  const readTimeline = () =>
    readPages<{ events: TimelineEvent[] }, TimelineEvent>(`${path}/timeline`, ({ events }) => events);

  /** Reads when and for how long models were asked. The rest is shown without it. */
  const readCalls = () =>
    readPages<{ interactions: ModelCall[] }, ModelCall>(
      `${path}/interactions`,
      ({ interactions }) => interactions,
    ).catch(() => []);

  /** Iterations whose calls of models were read. */
  let iterationsRead = 0;
  /** Reads them again where an iteration was added. */
  const readNewCalls = async (read: SessionView): Promise<void> => {
    const iterations = iterationsOf(read);
    if (iterations === iterationsRead && !hasEnded(read.status)) return;
    const calls = await readCalls();
    iterationsRead = iterations;
    aroundChange.current(() => timeline.setModelCalls(calls));
  };

  const readGuidance = () =>
    getJson<{ guidance: { guidance: Guidance; state: string; readBy: string[] }[] }>(`${path}/guidance`).then(
      (read) => {
        guidance.value = read.guidance;
      },
      () => undefined,
    );

  const refresh = () => {
    refreshing ??= setTimeout(() => {
      refreshing = undefined;
      void readView()
        .then(readNewCalls)
        .catch(() => undefined);
      void readGuidance();
    }, REFRESH_MS);
  };

  const onEvent = (event: string, data: unknown) => {
    const { now } = data as { now?: string };
    if (now !== undefined) setServerNow(now);
    if (event === 'timeline') take([data as TimelineEvent]);
    if (event === 'live') speak(data as Speech);
    if (event === 'end')
      void readView()
        .then(readNewCalls)
        .catch(() => undefined);
    if (event === 'session' || event === 'unreadable') refresh();
  };

  /** Shows what a model says; it is no news that would be counted or read out. */
  const speak = (speech: Speech) => {
    aroundChange.current(() => {
      const events = speech.ended ? [] : speechEvents(sessionId, speech);
      const kept = new Set(events.map(({ eventId }) => eventId));
      timeline.remove(speechIds(speech.executionId).filter((id) => !kept.has(id)));
      timeline.add(events);
    });
  };

  const take = (events: TimelineEvent[]) => {
    const news = events.filter(({ eventId }) => timeline.get(eventId) === undefined);
    let added = 0;
    aroundChange.current(() => {
      added = timeline.add(events);
    });
    if (added === 0) return;
    const last = news.at(-1);
    if (last !== undefined) announce(sentenceOf(last, view.peek()));
    onAdded.current(added);
    refresh();
  };

  const setLink = (state: Connection) => {
    if (state.kind === 'lost' && link.value?.kind !== 'lost') {
      timeline.remove(timeline.executionIds().flatMap(speechIds));
      asOf.value = view.peek()?.now;
      announceLoss();
    }
    if (state.kind === 'live' && link.value?.kind === 'lost') {
      refresh();
      // A server that was away may have come back as another one.
      lookForNewVersion();
    }
    link.value = state;
    connection.value = state;
  };

  let losing: ReturnType<typeof setTimeout> | undefined;
  /** A loss is said when it lasts. */
  const announceLoss = () => {
    clearTimeout(losing);
    losing = setTimeout(() => {
      if (link.value?.kind === 'lost') alertNow('The connection is lost. It is tried again.');
    }, 10_000);
  };

  const followOn = () => {
    if (isRunning || !isOpen) return;
    isRunning = true;
    stop = follow({
      path: `${path}/events`,
      onEvent,
      onConnection: (state) => {
        if (state.kind === 'ended' || state.kind === 'refused') isRunning = false;
        setLink(state);
      },
      onStale: () => void load(),
    });
  };

  const load = async (): Promise<void> => {
    try {
      const [read, events, calls] = await Promise.all([
        readView(),
        readTimeline(),
        readCalls(),
        readGuidance(),
      ]);
      iterationsRead = iterationsOf(read);
      // What is read again stays as the reader folded it.
      const isFirst = timeline.size.peek() === 0;
      batch(() => {
        error.value = undefined;
        timeline.setModelCalls(calls);
        timeline.add(events);
        // Before anything of it is drawn.
        if (isFirst && hasEnded(read.status)) {
          timeline.foldLong();
          foldLanes(read, timeline);
        }
        if (isFirst) applyFolding(timeline);
      });
      if (goesOn(read)) followOn();
    } catch (cause) {
      if (isOpen) error.value = cause as Error;
    }
  };

  const start = () => {
    void load();
    return () => {
      isOpen = false;
      stop();
      clearTimeout(refreshing);
      clearTimeout(losing);
      connection.value = undefined;
    };
  };
  const state = {
    sessionId,
    path,
    ...{ view, began, atTop, summary },
    guidance,
    answered,
    error,
    asOf,
    link,
    timeline,
    aroundChange,
    onAdded,
  };
  return { ...state, start, load, readView, refresh, followOn, take };
}

function iterationsOf(view: SessionView): number {
  return executionsOf(view).reduce((sum, { iteration }) => sum + iteration, 0);
}

/** Reads a list that comes in pages. */
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

/** What agents did side by side is folded to what they found, once there is an analysis of it. */
function foldLanes(view: SessionView, timeline: Timeline): void {
  if (view.finalAnalysis === null) return;
  for (const executionId of laneLetters(view).keys())
    for (const { isOpen } of timeline.iterationsOf(executionId).peek()) isOpen.value = false;
}

/** Whether something may still happen by itself. */
function goesOn({ status, stages }: SessionView): boolean {
  return !hasEnded(status) || stages.some((stage) => !hasEnded(stage.status));
}

function announceChange(before: SessionView | undefined, after: SessionView): void {
  if (before === undefined) return;
  const asked = (view: SessionView) => view.approvals.filter(({ status }) => status === 'pending').length;
  if (asked(after) > asked(before)) alertNow('A decision is wanted: an agent asks to run a tool.');
  if (!hasEnded(before.status) && hasEnded(after.status))
    alertNow(`The session has ended: ${statusShown(after.status).word}.`);
}

/** The session around a part of the page. */
export const SessionContext = createContext<SessionState | undefined>(undefined);

/** The session that a part belongs to. */
export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a part of a session page stands outside of one');
  return session;
}
