// Saved views: a view is an address with all filters and a name, so that its link shows the same to anyone.
// This browser keeps the addresses that its reader saved.

import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import parts from '../parts/parts.module.css';
import s from './list.module.css';
import { composeListAddress, type Filters } from './rows.ts';

const KEY = 'inquest.views';
const MOST = 20;
const LONGEST = 60;

interface View {
  name: string;
  /** Of the list with its filters, without the name. */
  address: string;
}

/** The address that can be shared. */
const linkTo = ({ name, address }: View) => `${address}&view=${encodeURIComponent(name)}`;

/** The stored views; undefined when they cannot be read. */
function readViews(): View[] | undefined {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(read) ? read.filter(isView).slice(0, MOST) : undefined;
  } catch {
    return undefined;
  }
}

/** Another script of this origin could have stored anything: a link of it stays within the list. */
function isView(one: unknown): one is View {
  const { name, address } = (one ?? {}) as Partial<View>;
  return typeof name === 'string' && typeof address === 'string' && /^\/\?[^\s]*$/.test(address);
}

function writeViews(views: readonly View[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(views));
  } catch {
    // Kept until the page is left.
  }
}

/** Saved views, and a field to save the page's filters, if any. @param props.named The address's view. */
export function SavedViews({ filters, named }: { filters: Filters; named: string }) {
  const { route } = useLocation();
  const views = useSignal(readViews() ?? []);
  const name = useSignal<string | undefined>(undefined);
  const address = composeListAddress(filters);
  const isSaved = views.value.some((view) => view.address === address);
  const canSave = address !== '/' && !isSaved;
  const shared = named.trim().slice(0, LONGEST);
  const change = (changed: (views: View[]) => View[]) => {
    // Another tab can have changed them.
    views.value = changed(readViews() ?? views.peek());
    writeViews(views.peek());
  };
  const save = (event: Event) => {
    event.preventDefault();
    const view = { name: (name.value ?? '').trim().slice(0, LONGEST), address };
    if (view.name === '') return;
    change((known) => [...known.filter((one) => one.name !== view.name), view].slice(-MOST));
    name.value = undefined;
    route(linkTo(view), true);
  };
  if (views.value.length === 0 && !canSave) return null;
  const shown = canSave && shared !== '' ? [...views.value, { name: shared, address }] : views.value;
  return (
    <div class={s.views} role="group" aria-label="Saved views">
      {shown.map((view) => (
        <a
          key={view.address}
          class={parts.chip}
          href={linkTo(view)}
          aria-current={view.address === address ? 'true' : undefined}
        >
          <bdi>{view.name}</bdi>
        </a>
      ))}
      {isSaved && (
        <button
          type="button"
          class={parts.quiet}
          onClick={() => {
            change((known) => known.filter((one) => one.address !== address));
            route(address, true);
          }}
        >
          Remove this view
        </button>
      )}
      {canSave && name.value === undefined && (
        <button
          type="button"
          class={parts.quiet}
          onClick={() => {
            name.value = shared;
          }}
        >
          Save this view
        </button>
      )}
      {canSave && name.value !== undefined && (
        <form class={s.view} onSubmit={save}>
          <input
            class={parts.field}
            aria-label="Name of the view"
            placeholder="Name of the view"
            maxLength={LONGEST}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <button type="submit" class={parts.button}>
            Save
          </button>
        </form>
      )}
      {(isSaved || name.value !== undefined) && (
        <span class={parts.meta}>
          Saved in this browser. The address of this page shows the view to others.
        </span>
      )}
    </div>
  );
}
