// The sessions of the list as they are, and as they change.

import { batch, computed, signal } from '@preact/signals';
import type { Approval, SessionRow } from '../../../shared/api/types.ts';
import { getJson } from '../api/client.ts';
import { setServerNow } from '../api/clock.ts';
import { follow } from '../api/follow.ts';
import { connection } from '../frame/Frame.tsx';
import { byNeed, type Filters, type ListRow, listRow, queryOf, type SessionState } from './rows.ts';

const PAGE = 100;
/** Read again at most so often while sessions change. */
const REFRESH_MS = 700;
/** After so long without another key, what is looked for is asked of the API. */
const TYPED_MS = 300;

/** Opens the list: reads the first page, and follows. */
export function openList() {
  const rows = signal<ReadonlyMap<string, SessionRow>>(new Map());
  const states = signal<ReadonlyMap<string, SessionState>>(new Map());
  const approvals = signal<readonly Approval[]>([]);
  /** The order in which rows stand. It changes only when a reader asks for it. */
  const order = signal<readonly string[]>([]);
  const next = signal<string | null>(null);
  /** What the API found for the filters, also among sessions that were not loaded. */
  const found = signal<{ query: string; ids: ReadonlySet<string> }>({ query: '', ids: new Set() });
  const error = signal<Error | undefined>(undefined);
  const isLoaded = signal(false);

  const all = computed<ReadonlyMap<string, ListRow>>(() => {
    const open = approvals.value.filter(({ status }) => status === 'pending');
    return new Map([...rows.value].map(([id, row]) => [id, listRow(row, states.value.get(id), open)]));
  });
  const shown = computed(() => order.value.flatMap((id) => all.value.get(id) ?? []));
  const fresh = computed(() => [...all.value.keys()].filter((id) => !order.value.includes(id)).length);

  const sort = () => {
    order.value = [...all.value.values()].sort(byNeed).map(({ sessionId }) => sessionId);
  };

  /** Reads a page of the sessions that fit the filters. @param after Where the page before ended. */
  const load = async (after?: string): Promise<void> => {
    const { query } = found.peek();
    try {
      const cursor = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
      const [page, asked] = await Promise.all([
        getJson<{ sessions: SessionRow[]; next: string | null; now: string }>(
          `/v1/sessions?limit=${PAGE}${query}${cursor}`,
        ),
        getJson<{ approvals: Approval[] }>('/v1/approvals'),
      ]);
      setServerNow(page.now);
      // Meanwhile something else was looked for.
      if (found.peek().query !== query) return;
      batch(() => {
        const ids = page.sessions.map(({ sessionId }) => sessionId);
        found.value = { query, ids: new Set([...found.peek().ids, ...ids]) };
        // The stream may have told of sessions before there was a list, or of some that the filters leave out.
        const told = [...states.peek().values()].map((state) => [state.sessionId, rowOf(state)] as const);
        const read = page.sessions.map((row) => [row.sessionId, row] as const);
        rows.value = new Map([...told, ...rows.value, ...read]);
        approvals.value = asked.approvals;
        next.value = page.next;
        error.value = undefined;
        isLoaded.value = true;
        sort();
      });
    } catch (cause) {
      error.value = cause as Error;
    }
  };

  let typing: ReturnType<typeof setTimeout> | undefined;
  /** Asks the API for what fits the filters, a moment after they were changed. */
  const look = (filters: Filters) => {
    const query = queryOf(filters);
    if (query === found.peek().query) return;
    found.value = { query, ids: new Set() };
    clearTimeout(typing);
    typing = setTimeout(() => void load(), isLoaded.peek() ? TYPED_MS : 0);
  };

  let asking: ReturnType<typeof setTimeout> | undefined;
  /** Who waits, and what sessions cost, is asked again a moment after a session changed. Nothing changes its place. */
  const askAgain = () => {
    asking ??= setTimeout(() => {
      asking = undefined;
      Promise.all([
        getJson<{ sessions: SessionRow[] }>(`/v1/sessions?limit=${PAGE}`),
        getJson<{ approvals: Approval[] }>('/v1/approvals'),
      ]).then(
        ([page, asked]) =>
          batch(() => {
            const read = page.sessions.map((row) => [row.sessionId, row] as const);
            rows.value = new Map([...rows.value, ...read]);
            approvals.value = asked.approvals;
          }),
        () => undefined,
      );
    }, REFRESH_MS);
  };

  const onEvent = (event: string, data: unknown) => {
    setServerNow((data as { now: string }).now);
    if (event !== 'session') {
      if (event === 'heartbeat') askAgain();
      return;
    }
    const state = data as SessionState;
    batch(() => {
      states.value = new Map([...states.value, [state.sessionId, state]]);
      if (isLoaded.value && !rows.value.has(state.sessionId))
        rows.value = new Map([...rows.value, [state.sessionId, rowOf(state)]]);
      // Where nothing stands nothing can move.
      if (isLoaded.value && order.value.length === 0) sort();
    });
    if (isLoaded.value) askAgain();
  };

  let stop = () => {};
  const start = (filters: Filters) => {
    found.value = { query: queryOf(filters), ids: new Set() };
    void load();
    stop = follow({
      path: '/v1/sessions/events',
      onEvent,
      onConnection: (state) => {
        connection.value = state;
      },
      onStale: () => undefined,
    });
    return () => {
      stop();
      clearTimeout(asking);
      clearTimeout(typing);
      connection.value = undefined;
    };
  };
  return { shown, fresh, next, found, error, isLoaded, sort, load, look, start };
}

/** A session that only the stream has told of. What it does not say is not known. */
function rowOf(state: SessionState): SessionRow {
  return {
    ...{ title: null, severity: null, source: null, reports: null, chain: null, createdAt: null },
    ...{ endedAt: null, durationMs: null, executiveSummary: null, failure: null, rerunOf: null, kind: null },
    cost: { usd: null, unpricedCalls: null },
    ...state,
  };
}
