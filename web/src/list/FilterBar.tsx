// The filters of the list, behind one button. Each is a parameter of the address, and a chip while it is set.

import { useSignal } from '@preact/signals';
import { isNotifying, notifyFault, toggleNotifying } from '../frame/notify.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import s from './list.module.css';
import {
  FILTER_NAMES,
  type Filters,
  filterText,
  findRange,
  isShown,
  type ListRow,
  OUTCOMES,
  RANGES,
  SHOWS,
  toIsoTime,
} from './rows.ts';

/** Sets a filter; an empty value removes it. */
export type SetFilter = (name: keyof Filters, value: string) => void;

interface BarProps {
  filters: Filters;
  rows: readonly ListRow[];
  /** Whether the rows can be counted. */
  isLoaded: boolean;
  /** Whether no page is left of the sessions that fit the filters. */
  isWhole: boolean;
  set: SetFilter;
}

/** The filters behind the button. */
const FOLDED = ['since', 'until', 'place', 'outcome', 'source', 'severity', 'chain'] as const;

/** The stream has all sessions of these. */
const IS_LOADED = new Set(['waits', 'running']);

/** The bar above the rows. */
export function FilterBar({ filters, rows, isLoaded, isWhole, set }: BarProps) {
  const isOpen = useSignal(false);
  const used = FOLDED.filter((name) => filters[name] !== '');
  const valuesOf = (name: 'source' | 'severity' | 'chain') => rows.flatMap((row) => row[name] ?? []);
  const countOf = (id: string) => {
    const count = rows.filter((row) => isShown(row, id)).length;
    return isWhole || IS_LOADED.has(id) ? count : `${count}+`;
  };
  const places = rows.flatMap(({ place }) => (place ? [place.cluster, place.namespace, place.project] : []));
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
            {name} <b>{isLoaded ? countOf(id) : '…'}</b>
          </button>
        ))}
      </div>
      <input
        class={`${parts.field} ${s.find}`}
        type="search"
        placeholder="Find sessions"
        aria-label="Find sessions"
        data-search
        value={filters.q}
        onInput={(event) => set('q', event.currentTarget.value)}
      />
      <button
        type="button"
        class={`${parts.button} ${s.bell}`}
        aria-label="Notify me of approvals"
        aria-pressed={isNotifying.value}
        disabled={notifyFault.value !== ''}
        title={notifyFault.value || 'A notification of the browser, while you look elsewhere'}
        onClick={() => void toggleNotifying()}
      >
        <Icon name="bell" /> <span>Notify me</span>
      </button>
      <button
        type="button"
        class={parts.button}
        aria-expanded={isOpen.value}
        aria-controls="filters"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        Filters{used.length > 0 && ` (${used.length})`}
      </button>
      {used.length > 0 && (
        <div class={s.used} role="group" aria-label="Active filters">
          {used.map((name) => (
            <button key={name} type="button" class={parts.chip} onClick={() => set(name, '')}>
              {FILTER_NAMES[name]}: <bdi>{filterText(name, filters[name])}</bdi> <span>remove</span>
            </button>
          ))}
        </div>
      )}
      <div id="filters" class={isOpen.value ? `${s.choices} ${s.open}` : s.choices}>
        <TimeRange filters={filters} set={set} />
        <Choice name="place" values={places} filters={filters} set={set} />
        <Choice name="outcome" values={OUTCOMES} filters={filters} set={set} />
        {(['source', 'severity', 'chain'] as const).map((name) => (
          <Choice key={name} name={name} values={valuesOf(name)} filters={filters} set={set} />
        ))}
      </div>
    </div>
  );
}

interface ChoiceProps {
  name: 'place' | 'outcome' | 'source' | 'severity' | 'chain';
  values: readonly (string | null)[];
  filters: Filters;
  set: SetFilter;
}

function Choice({ name, values, filters, set }: ChoiceProps) {
  const chosen = filters[name];
  const all = [chosen, ...values].flatMap((one) => one || []);
  // Sources write the same severity in several ways.
  const names = [...new Map(all.toReversed().map((one) => [filterText(name, one), one])).values()].sort();
  return (
    <select
      class={`${parts.select} ${s.select}`}
      aria-label={`By ${name}`}
      value={chosen}
      onChange={(event) => set(name, event.currentTarget.value)}
    >
      <option value="">Any {name}</option>
      {names.map((value) => (
        <option key={value} value={value}>
          {filterText(name, value)}
        </option>
      ))}
    </select>
  );
}

const CUSTOM = 'custom';

/** The time at which sessions were opened: a range up to now, or two days of the reader's time zone. */
function TimeRange({ filters: { since, until }, set }: Pick<BarProps, 'filters' | 'set'>) {
  // The fields stay while a day is cleared or typed.
  const isChosen = useSignal(false);
  const hasDays = isChosen.value || until !== '' || (since !== '' && findRange(since) === undefined);
  const choose = (value: string) => {
    isChosen.value = value === CUSTOM;
    if (value !== CUSTOM && until !== '') set('until', '');
    set('since', value === CUSTOM ? startOfDay(localDay(new Date())) : value);
  };
  return (
    <>
      <select
        class={`${parts.select} ${s.select}`}
        aria-label="By time"
        value={hasDays ? CUSTOM : since}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">Any time</option>
        {Object.entries(RANGES).map(([value, { name }]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        <option value={CUSTOM}>Days …</option>
      </select>
      {hasDays && (
        <span class={s.days}>
          <input
            class={parts.field}
            type="date"
            aria-label="From the day"
            value={since === '' || findRange(since) ? '' : localDay(new Date(since))}
            onChange={({ currentTarget: { value } }) => set('since', startOfDay(value))}
          />
          <input
            class={parts.field}
            type="date"
            aria-label="To the day"
            value={until === '' ? '' : localDay(new Date(until))}
            onChange={({ currentTarget: { value } }) => set('until', endOfDay(value))}
          />
        </span>
      )}
    </>
  );
}

/** A day of the reader's time zone: `2026-11-24`. */
function localDay(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

// '' for no day, and for a year of more than four digits.
const startOfDay = (day: string) => toIsoTime(`${day}T00:00:00`);
const endOfDay = (day: string) => toIsoTime(`${day}T23:59:59.999`);
