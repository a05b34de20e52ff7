// The sessions of the list: read in pages, and updated by the stream of all sessions.

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { StreamMessage } from '../../../shared/client/routes.ts';
import type { Approval, SessionRow } from '../../../shared/lists/apiTypes.ts';
import { api, asError } from '../api/client.ts';
import { serverNow, setServerNow } from '../api/clock.ts';
import { follow } from '../api/follow.ts';
import { readApprovals } from '../api/readApprovals.ts';
import { connection } from '../frame/connection.ts';
import { notifyOfApproval, staysWhenHidden } from '../frame/notify.ts';
import {
  byNeed,
  composeListQuery,
  type Filters,
  type KnownRow,
  type ListRow,
  listRow,
  parametersAt,
  type SessionState,
} from './rows.ts';

const PAGE = 100;
/** Shortest time between two refreshes. */
const REFRESH_MS = 700;
/** The API is asked this long after the last key. */
const TYPED_MS = 300;

/** The sessions that the API found for the filters. */
interface Found {
  query: string;
  ids: ReadonlySet<string>;
}

interface ListState {
  /** Rows in their order. */
  shown: ReadonlySignal<ListRow[]>;
  /** Rows that have no place yet. */
  fresh: ReadonlySignal<ListRow[]>;
  /** The cursor of the next page; null after the last one. */
  next: Signal<string | null>;
  found: Signal<Found>;
  error: Signal<Error | undefined>;
  isLoaded: Signal<boolean>;
  /** Sorts all rows. Rows keep their places until then. */
  sort(): void;
  /** Reads a page of filtered sessions. @param after The page's cursor. Default: the first. */
  load(after?: string): Promise<void>;
  /** Reads the first page for changed filters, after a pause. */
  search(filters: Filters): void;
  /** Reads the first page and follows the stream. @returns stops both. */
  start(filters: Filters): () => void;
}

/** The signals of the list. */
function createModel() {
  const rows = signal<ReadonlyMap<string, KnownRow>>(new Map());
  const states = signal<ReadonlyMap<string, SessionState>>(new Map());
  const approvals = signal<readonly Approval[]>([]);
  /** Session ids in the order of their rows. */
  const order = signal<readonly string[]>([]);
  const all = computed<ReadonlyMap<string, ListRow>>(() => {
    const pending = approvals.value.filter(({ status }) => status === 'pending');
    return new Map([...rows.value].map(([id, row]) => [id, listRow(row, states.value.get(id), pending)]));
  });
  return {
    rows,
    states,
    approvals,
    order,
    next: signal<string | null>(null),
    found: signal<Found>({ query: '', ids: new Set() }),
    error: signal<Error | undefined>(undefined),
    isLoaded: signal(false),
    shown: computed(() => order.value.flatMap((id) => all.value.get(id) ?? [])),
    fresh: computed(() =>
      [...all.value.values()].filter(({ sessionId }) => !order.value.includes(sessionId)),
    ),
    sort() {
      order.value = [...all.value.values()].sort(byNeed).map(({ sessionId }) => sessionId);
    },
  };
}

type Model = ReturnType<typeof createModel>;

/** Opens the list. Nothing is read before `start`. */
export function openList(): ListState {
  const model = createModel();
  const { found, isLoaded } = model;
  let typing: ReturnType<typeof setTimeout> | undefined;
  let refreshing: ReturnType<typeof setTimeout> | undefined;

  const load = (after?: string) => loadPage(model, after);
  /** Reads rows and approvals after a pause. Rows keep their places. */
  const refresh = () => {
    refreshing ??= setTimeout(() => {
      refreshing = undefined;
      void refreshRows(model);
    }, REFRESH_MS);
  };
  const search = (filters: Filters) => {
    const query = composeListQuery(filters);
    if (query === found.peek().query) return;
    found.value = { query, ids: new Set() };
    clearTimeout(typing);
    typing = setTimeout(() => void load(), isLoaded.peek() ? TYPED_MS : 0);
  };
  const start = (filters: Filters) => {
    found.value = { query: composeListQuery(filters), ids: new Set() };
    void load();
    const stop = follow({
      path: '/v1/sessions/events',
      parameters: {},
      onEvent: (message) => takeMessage(model, message, refresh),
      onConnection: (state) => {
        connection.value = state;
      },
      onStale: () => undefined,
      staysWhenHidden,
    });
    return () => {
      stop();
      clearTimeout(refreshing);
      clearTimeout(typing);
      connection.value = undefined;
    };
  };
  return { ...model, load, search, start };
}

async function loadPage(model: Model, after?: string): Promise<void> {
  const { found, rows, states, approvals, next, error, isLoaded, sort } = model;
  const { query } = found.peek();
  try {
    const [page, pending] = await Promise.all([
      api.get('/v1/sessions', { ...parametersAt(query, serverNow()), limit: PAGE, after }),
      readApprovals(),
    ]);
    setServerNow(page.now);
    // The filters have changed since the request.
    if (found.peek().query !== query) return;
    batch(() => {
      const ids = page.sessions.map(({ sessionId }) => sessionId);
      found.value = { query, ids: new Set([...found.peek().ids, ...ids]) };
      // The stream names sessions before the first page arrives, and sessions that the filters exclude.
      rows.value = new Map([...states.peek(), ...rows.value, ...byId(page.sessions)]);
      approvals.value = pending.approvals;
      next.value = page.next;
      error.value = undefined;
      isLoaded.value = true;
      sort();
    });
  } catch (cause) {
    error.value = asError(cause);
  }
}

/** Reads costs and pending approvals. A failure changes nothing: the next message refreshes again. */
async function refreshRows({ rows, approvals, found }: Model): Promise<void> {
  try {
    const [page, pending] = await Promise.all([
      api.get('/v1/sessions', { ...parametersAt(found.peek().query, serverNow()), limit: PAGE }),
      readApprovals(),
    ]);
    const known = new Set(approvals.peek().map(({ approvalId }) => approvalId));
    batch(() => {
      rows.value = new Map([...rows.value, ...byId(page.sessions)]);
      approvals.value = pending.approvals;
    });
    for (const { approvalId, sessionId } of pending.approvals)
      if (!known.has(approvalId)) notifyOfApproval(sessionId, `/s/${sessionId}`);
  } catch {
    // Shown as it was.
  }
}

function takeMessage(model: Model, message: StreamMessage<'/v1/sessions/events'>, refresh: () => void): void {
  setServerNow(message.data.now);
  if (message.event === 'heartbeat') refresh();
  if (message.event !== 'session') return;
  const { states, rows, order, isLoaded, sort } = model;
  const state = message.data;
  batch(() => {
    states.value = new Map([...states.value, [state.sessionId, state]]);
    if (isLoaded.value && !rows.value.has(state.sessionId))
      rows.value = new Map([...rows.value, [state.sessionId, state]]);
    // An empty list has no row that could move.
    if (isLoaded.value && order.value.length === 0) sort();
  });
  if (isLoaded.value) refresh();
}

function byId(rows: readonly SessionRow[]) {
  return rows.map((row) => [row.sessionId, row] as const);
}
