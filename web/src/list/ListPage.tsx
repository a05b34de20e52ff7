// The list of sessions: those that need approval, then running ones, then ended ones.

import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { serverNow, tick } from '../api/clock.ts';
import { reloadWhenVisible, useResource } from '../api/useResource.ts';
import { canAct } from '../frame/currentUser.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { withParameter } from '../model/address.ts';
import { costFact, countText } from '../model/format.ts';
import { Bars } from '../parts/Bars.tsx';
import { Icon } from '../parts/Icon.tsx';
import { loadLater } from '../parts/lazyPart.tsx';
import { Problem } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { FilterBar, type SetFilter } from './FilterBar.tsx';
import { COLUMNS, ListItem, TRACKS } from './ListItem.tsx';
import s from './list.module.css';
import { openList } from './listState.ts';
import {
  composeListAddress,
  composeListQuery,
  FILTER_NAMES,
  type Filters,
  filterText,
  findInvalidFilters,
  fitsFilters,
  foldRepeats,
  type InvalidFilter,
  isShown,
  type ListRow,
  readFilters,
} from './rows.ts';
import { SavedViews } from './SavedViews.tsx';

// Only an empty list has it.
const FirstAlert = loadLater('The example alert', () =>
  import('../start/FirstAlert.tsx').then((module) => module.FirstAlert),
);

/** Reviews of the newest sessions of so many days are shown. Without them the list is useful, too. */
const REVIEWED_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** The page of sessions. */
export function ListPage() {
  const list = useMemo(openList, []);
  const { query, route } = useLocation();
  const filters = readFilters(query);
  useEffect(() => list.start(filters), [list]);
  useEffect(() => {
    if (location.hash === '#find') document.querySelector<HTMLElement>('[data-search]')?.focus();
  }, []);
  useEffect(() => list.search(filters), [composeListQuery(filters)]);
  const set: SetFilter = (name, value) => {
    // Other filters are no longer the view that the address names.
    const unnamed = new URL(withParameter(location.href, 'view', ''), location.href).href;
    route(withParameter(unnamed, name, value), true);
  };
  const all = list.shown.value;
  const isFitting = (row: ListRow) => fitsFilters(row, filters, list.found.value.ids, serverNow());
  const rows = foldRepeats(all.filter(isFitting));
  const fresh = list.fresh.value.filter(isFitting).length;
  const { error } = list;
  const people = useResource((left) => api.get('/v1/reviews', { days: REVIEWED_DAYS }, left));
  useEffect(() => reloadWhenVisible(people), [people]);
  const reviews = people.value.value;
  const work = new Map(reviews?.work.map((one) => [one.sessionId, one]));
  const ratings = new Map(reviews?.reviews.map((one) => [one.sessionId, one]));
  return (
    <>
      <PageHead title="Sessions">
        {list.isLoaded.value ? (
          <Counts rows={all.filter((row) => isShown(row, ''))} />
        ) : (
          !error.value && <p class={s.counts}>Loading …</p>
        )}
        {canAct.value && (
          <a class={`${parts.button} ${s.start}`} href="/new">
            New investigation
          </a>
        )}
      </PageHead>
      <div class={frame.page}>
        {error.value && <Problem error={error.value} onRetry={() => void list.load()} />}
        <Invalid filters={findInvalidFilters(query)} set={set} />
        <section class={parts.panel} style={TRACKS} aria-label="Sessions">
          <FilterBar
            filters={filters}
            rows={[...all, ...list.fresh.value]}
            isLoaded={list.isLoaded.value}
            isWhole={list.next.value === null}
            set={set}
          />
          <SavedViews filters={filters} named={query.view ?? ''} />
          <div class={s.columns} aria-hidden="true">
            {COLUMNS.map(({ title, style }) => (
              <span key={title} class={style}>
                {title}
              </span>
            ))}
          </div>
          {!list.isLoaded.value && !error.value && <Bars />}
          {list.isLoaded.value && rows.length === 0 && (
            <Empty filters={filters} count={all.length} set={set} />
          )}
          <ul class={s.rows}>
            {rows.map((row) => (
              <ListItem
                key={row.sessionId}
                row={row}
                ratings={ratings.get(row.sessionId)}
                work={work.get(row.sessionId)}
              />
            ))}
          </ul>
          {list.next.value !== null && (
            <div class={s.more}>
              <button
                type="button"
                class={parts.button}
                onClick={() => void list.load(list.next.value ?? '')}
              >
                Show earlier sessions
              </button>
            </div>
          )}
        </section>
        {fresh > 0 && list.isLoaded.value && (
          <button type="button" class={s.fresh} onClick={list.sort}>
            <Icon name="down" />
            {countText(fresh, 'new session')}
          </button>
        )}
      </div>
    </>
  );
}

function Counts({ rows }: { rows: readonly ListRow[] }) {
  // Counted again every second, because 24 hours move on.
  const now = Math.max(tick.value, serverNow());
  const today = rows.filter(({ createdAt }) => createdAt != null && now - Date.parse(createdAt) < DAY_MS);
  const waits = rows.filter((row) => isShown(row, 'waits')).length;
  const runs = rows.filter((row) => isShown(row, 'running')).length;
  return (
    <p class={s.counts}>
      <span>
        <b>{waits}</b> {waits === 1 ? 'needs approval' : 'need approval'}
      </span>
      <span>
        <b>{runs}</b> running
      </span>
      <span>
        <b>{today.length}</b> in 24 hours{costOfAll(today)}
      </span>
    </p>
  );
}

/** The filters of the address that the list does not use. */
function Invalid({ filters, set }: { filters: readonly InvalidFilter[]; set: SetFilter }) {
  return filters.map(({ name, value, values }) => (
    <p key={name} class={`${parts.box} ${parts.late}`} role="alert">
      The address has an invalid filter, which is not used: {name} <bdi>“{value.slice(0, 60)}”</bdi> is none
      of {values}.{' '}
      <button type="button" class={parts.quiet} onClick={() => set(name, '')}>
        Remove
      </button>
    </p>
  ));
}

function Empty({ filters, count, set }: { filters: Filters; count: number; set: SetFilter }) {
  if (count === 0 && composeListAddress(filters) === '/')
    return (
      <div class={s.empty}>
        <p>No sessions yet. Each alert opens one; its row appears here.</p>
        {canAct.value && <FirstAlert />}
      </div>
    );
  const named = Object.entries(filters) as [keyof Filters, string][];
  const set1 = named.filter(([, value]) => value !== '');
  return (
    <div class={s.empty}>
      <p>No session matches these filters.</p>
      <p class={parts.actions}>
        {set1.map(([name, value]) => (
          <button key={name} type="button" class={parts.chip} onClick={() => set(name, '')}>
            {FILTER_NAMES[name]}: <bdi>{filterText(name, value)}</bdi> <span>remove</span>
          </button>
        ))}
      </p>
    </div>
  );
}

/** The sum after a comma, with `at least` for unknown parts; nothing without a price. */
function costOfAll(rows: readonly ListRow[]): string {
  const usd = rows.reduce((sum, { cost }) => sum + (cost?.usd ?? 0), 0);
  const unknown = rows.filter(({ cost }) => cost?.usd == null || cost.unpricedCalls !== 0).length;
  if (usd === 0 && unknown === 0) return '';
  const text = costFact({ usd, unpricedCalls: unknown });
  return usd > 0 && unknown > 0 ? `, ${text} (${unknown} unknown)` : `, ${text}`;
}
