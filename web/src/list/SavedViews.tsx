// Saved views: filters under a name, in this browser. A view is a link, so that it can be shared as well.

import { useSignal } from '@preact/signals';
import parts from '../parts/parts.module.css';
import s from './list.module.css';
import { addressOf, type Filters } from './rows.ts';

const KEY = 'inquest.views';
const MOST = 20;
const LONGEST = 60;

interface View {
  name: string;
  address: string;
}

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

/** The saved views, and a field to save the filters of the page. Nothing while there is neither. */
export function SavedViews({ filters }: { filters: Filters }) {
  const views = useSignal(readViews() ?? []);
  const name = useSignal<string | undefined>(undefined);
  const address = addressOf(filters);
  const isSaved = views.value.some((view) => view.address === address);
  const change = (changed: (views: View[]) => View[]) => {
    // Another tab can have changed them.
    views.value = changed(readViews() ?? views.peek());
    writeViews(views.peek());
  };
  const save = (event: Event) => {
    event.preventDefault();
    const text = (name.value ?? '').trim().slice(0, LONGEST);
    if (text === '') return;
    change((known) => [...known.filter((view) => view.name !== text), { name: text, address }].slice(-MOST));
    name.value = undefined;
  };
  const canSave = address !== '/' && !isSaved;
  if (views.value.length === 0 && !canSave) return null;
  return (
    <div class={s.views} role="group" aria-label="Saved views">
      {views.value.map((view) => (
        <span key={view.name} class={s.view}>
          <a
            class={parts.chip}
            href={view.address}
            aria-current={view.address === address ? 'true' : undefined}
          >
            <bdi>{view.name}</bdi>
          </a>
          {view.address === address && (
            <button
              type="button"
              class={parts.quiet}
              onClick={() => change((known) => known.filter((one) => one.name !== view.name))}
            >
              Remove this view
            </button>
          )}
        </span>
      ))}
      {canSave && name.value === undefined && (
        <button
          type="button"
          class={parts.quiet}
          onClick={() => {
            name.value = '';
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
    </div>
  );
}
