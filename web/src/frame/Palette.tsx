// The command palette: pages, acts and sessions by their words. It offers nothing that the page lacks.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { Dialog } from '../parts/Dialog.tsx';
import parts from '../parts/parts.module.css';
import { Untrusted } from '../parts/Untrusted.tsx';
import { canAct } from './currentUser.ts';
import s from './palette.module.css';
import { toggleTheme } from './theme.ts';

/** Sessions that are shown. */
const MOST = 8;
/** Sessions that are looked through for words. */
const READ = 50;
/** The API is asked this long after the last key. */
const TYPED_MS = 200;
const HAS_WORD = /[\p{L}\p{N}]/u;

interface Entry {
  kind: 'Page' | 'Act' | 'Session';
  name: string;
  run: () => void;
}

/** The palette. @param pages of the bar. */
export function Palette({
  pages,
  onClose,
}: {
  pages: readonly { path: string; name: string }[];
  onClose: () => void;
}) {
  const { route } = useLocation();
  const words = useSignal('');
  const chosen = useSignal(0);
  const found = useFound(words.value, route);
  const typed = words.value.trim().toLowerCase();
  const entries = [
    ...fixedEntries(pages, route).filter(({ name }) => name.toLowerCase().includes(typed)),
    ...found,
  ];
  const at = Math.min(chosen.value, entries.length - 1);
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    // The dialog gives the focus back first.
    setTimeout(entry.run);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = Math.max(0, Math.min(at + step, entries.length - 1));
    else if (event.key === 'Enter') run(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class={`${parts.field} ${s.field}`}
        aria-label="Page, act or session"
        placeholder="Page, act or session"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={at < 0 ? undefined : `palette-${at}`}
        value={words.value}
        onInput={({ currentTarget: { value } }) => {
          words.value = value;
          chosen.value = 0;
        }}
        onKeyDown={onKey}
      />
      {entries.length === 0 && <p class={parts.meta}>Nothing has these words.</p>}
      <div id="palette" class={s.entries} role="listbox" aria-label="Results" tabIndex={-1}>
        {entries.map((entry, index) => (
          <button
            type="button"
            tabIndex={-1}
            key={`${entry.kind}-${index}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(entry)}
          >
            <Untrusted text={entry.name} /> <span class={parts.meta}>{entry.kind}</span>
          </button>
        ))}
      </div>
    </Dialog>
  );
}

/** Pages, acts of every page, and the enabled buttons of the head of a session. */
function fixedEntries(
  pages: readonly { path: string; name: string }[],
  route: (to: string) => void,
): Entry[] {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-acts] button:enabled')];
  return [
    ...buttons.map((button): Entry => ({ kind: 'Act', name: button.innerText, run: () => button.click() })),
    ...(canAct.value ? [{ kind: 'Act' as const, name: 'New investigation', run: () => route('/new') }] : []),
    { kind: 'Act', name: 'Light or dark', run: toggleTheme },
    ...pages.map(({ path, name }): Entry => ({ kind: 'Page', name, run: () => route(path) })),
  ];
}

/** The sessions that the API finds, a moment after the last key. A failure finds none. */
function useFound(text: string, route: (to: string) => void): Entry[] {
  const found = useSignal<Entry[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const q = HAS_WORD.test(text) ? text.trim().slice(0, 200) : undefined;
    const timer = setTimeout(() => {
      api.get('/v1/sessions', { limit: q === undefined ? MOST : READ, q }, left.signal).then(
        ({ sessions }) => {
          found.value = sessions.slice(0, MOST).map(({ sessionId, title }) => ({
            kind: 'Session',
            name: title ?? sessionId,
            run: () => route(`/s/${sessionId}`),
          }));
        },
        () => undefined,
      );
    }, TYPED_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [text]);
  return found.value;
}
