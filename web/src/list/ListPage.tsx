// The list of sessions: those that need approval, then running ones, then ended ones.

import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { serverNow, tick } from '../api/clock.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { withParameter } from '../model/address.ts';
import { countText } from '../model/format.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Problem } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { costOfAll } from './costOfAll.ts';
import { ListItem } from './ListItem.tsx';
import s from './list.module.css';
import { openList } from './listState.ts';
import { type Filters, fits, foldRepeats, isShown, type ListRow, queryOf, SHOWS } from './rows.ts';

const DAY_MS = 24 * 3_600_000;
const EXAMPLE = `npm run publish-alert -- examples/crashloop/alert.json --url ${location.origin}`;

/** The page of sessions. */
export function ListPage() {
  const list = useMemo(openList, []);
  const { query, route } = useLocation();
  const filters: Filters = {
    show: query.show ?? '',
    source: query.source ?? '',
    severity: query.severity ?? '',
    chain: query.chain ?? '',
    q: query.q ?? '',
  };
  useEffect(() => list.start(filters), [list]);
  useEffect(() => list.search(filters), [queryOf(filters)]);
  const set = (name: string, value: string) => route(withParameter(location.href, name, value), true);
  const all = list.shown.value;
  const rows = foldRepeats(all.filter((row) => fits(row, filters, list.found.value.ids)));
  const { error } = list;
  return (
    <>
      <PageHead title="Sessions">
        <Counts rows={all} />
      </PageHead>
      <div class={frame.page}>
        {error.value && <Problem error={error.value} onRetry={() => void list.load()} />}
        <section class={parts.panel} aria-label="Sessions">
          <FilterBar filters={filters} rows={all} set={set} />
          <div class={s.columns} aria-hidden="true">
            <span>Status</span>
            <span>Alert and finding</span>
            <span>Duration</span>
            <span>Cost</span>
            <span>Started</span>
          </div>
          {!list.isLoaded.value && !error.value && <Bars />}
          {list.isLoaded.value && rows.length === 0 && (
            <Empty filters={filters} count={all.length} set={set} />
          )}
          <ul class={s.rows}>
            {rows.map((row) => (
              <ListItem key={row.sessionId} row={row} />
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
        {list.fresh.value > 0 && list.isLoaded.value && (
          <button type="button" class={s.fresh} onClick={list.sort}>
            <Icon name="down" />
            {countText(list.fresh.value, 'new session')}
          </button>
        )}
      </div>
    </>
  );
}

function Counts({ rows }: { rows: readonly ListRow[] }) {
  // Counted again every second, because 24 hours move on.
  const now = Math.max(tick.value, serverNow());
  const today = rows.filter(({ createdAt }) => createdAt !== null && now - Date.parse(createdAt) < DAY_MS);
  const waits = rows.filter((row) => isShown(row, 'waits')).length;
  const runs = rows.filter((row) => isShown(row, 'running')).length - waits;
  return (
    <p class={s.counts}>
      <span>
        <b>{waits}</b> {waits === 1 ? 'needs approval' : 'need approval'}
      </span>
      <span>
        <b>{runs}</b> running
      </span>
      <span>
        <b>{today.length}</b> in 24 hours, {costOfAll(today)}
      </span>
    </p>
  );
}

interface BarProps {
  filters: Filters;
  rows: readonly ListRow[];
  set: (name: string, value: string) => void;
}

function FilterBar({ filters, rows, set }: BarProps) {
  const choices = (name: 'source' | 'severity' | 'chain') =>
    [...new Set(rows.flatMap((row) => row[name] ?? []).concat(filters[name] || []))].sort();
  return (
    <div class={s.filters} role="search">
      <div class={s.shows}>
        {SHOWS.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class={parts.chip}
            aria-pressed={filters.show === id}
            onClick={() => set('show', id)}
          >
            {name} <b>{rows.filter((row) => isShown(row, id)).length}</b>
          </button>
        ))}
      </div>
      {(['source', 'severity', 'chain'] as const).map((name) => (
        <select
          key={name}
          class={`${parts.select} ${s.select}`}
          aria-label={`By ${name}`}
          value={filters[name]}
          onChange={(event) => set(name, event.currentTarget.value)}
        >
          <option value="">Any {name}</option>
          {choices(name).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ))}
      <input
        class={`${parts.field} ${s.find}`}
        type="search"
        placeholder="Find sessions"
        aria-label="Find sessions"
        data-search
        value={filters.q}
        onInput={(event) => set('q', event.currentTarget.value)}
      />
    </div>
  );
}

function Empty({ filters, count, set }: { filters: Filters; count: number; set: BarProps['set'] }) {
  if (count === 0)
    return (
      <div class={s.empty}>
        <p>No sessions yet. Publish an alert to open one:</p>
        <p>
          <code>{EXAMPLE}</code> <CopyButton text={EXAMPLE} what="the command" />
        </p>
      </div>
    );
  const set1 = Object.entries(filters).filter(([, value]) => value !== '');
  return (
    <div class={s.empty}>
      <p>No session matches these filters; {count} without them.</p>
      <p class={parts.actions}>
        {set1.map(([name, value]) => (
          <button key={name} type="button" class={parts.chip} onClick={() => set(name, '')}>
            {name}: <bdi>{value}</bdi> <span>remove</span>
          </button>
        ))}
      </p>
    </div>
  );
}

function Bars() {
  return (
    <div class={s.bars} role="status" aria-label="Loading">
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}
