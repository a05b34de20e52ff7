// The frame of every page: skip link, bar, status region, and the place of the page itself.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { isSignedOut } from '../api/client.ts';
import type { Connection } from '../api/follow.ts';
import { Slow } from '../parts/Bars.tsx';
import { Icon } from '../parts/Icon.tsx';
import { loadLater } from '../parts/lazyPart.tsx';
import parts from '../parts/parts.module.css';
import { announcement, urgentAnnouncement } from './announce.ts';
import { connection } from './connection.ts';
import { isOff, me } from './currentUser.ts';
import s from './frame.module.css';
import { isNewVersion } from './newVersion.ts';
import { areKeysOn, isForField } from './shortcutSetting.ts';
import { isPartAway, systemPause } from './systemState.ts';
import { useTabTitle } from './tabTitle.ts';
import { toggleTheme } from './theme.ts';

// Only an installation that is paused, or with a part away, has one.
const Health = loadLater('The notice', () => import('./Health.tsx').then((module) => module.Health));

/** Whether the code of a page is being loaded. */
const isLoading = signal(false);

/** Notes that the code of a page is being loaded, or has come. */
export function setLoading(isNow: boolean): void {
  isLoading.value = isNow;
}

const PAGES: { path: string; name: string; feature?: Parameters<typeof isOff>[0] }[] = [
  { path: '/', name: 'Sessions' },
  { path: '/alerts', name: 'Alerts' },
  { path: '/agents', name: 'Agents' },
  { path: '/knowledge', name: 'Knowledge', feature: 'knowledge' },
  { path: '/schedules', name: 'Schedules', feature: 'schedules' },
  { path: '/rejected', name: 'Rejected' },
  { path: '/usage', name: 'Usage' },
  { path: '/system', name: 'System' },
];

// Most visits do without it.
const Palette = loadLater('The palette', () => import('./Palette.tsx').then((module) => module.Palette));
const isPaletteOpen = signal(false);

/** The search of the list. */
const FIND = '/#find';

const WORDS: Record<Connection['kind'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  ended: 'Ended',
  lost: 'Connection lost',
  refused: 'Not live',
};

/** The frame around a page. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { path, route } = useLocation();
  const pages = useRef<HTMLElement>(null);
  useEffect(() => searchByKey(() => route(FIND)), []);
  useEffect(() => showCurrent(pages.current), [path]);
  const shown = PAGES.filter(({ feature }) => feature === undefined || !isOff(feature));
  const isHere = (to: string) => (to === '/' ? path === '/' || path.startsWith('/s/') : path.startsWith(to));
  return (
    <>
      <a class={s.skip} href="#main">
        Skip to the page
      </a>
      <header class={s.bar}>
        <a class={s.brand} href="/">
          <Icon name="logo" />
          <span>Inquest</span>
        </a>
        <nav class={s.nav} aria-label="Pages" ref={pages}>
          {shown.map(({ path: to, name }) => (
            <a key={to} href={to} aria-current={isHere(to) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <Live />
        {me.value?.role === 'viewer' && (
          <span class={s.viewer} title={`${me.value.name}: viewer`}>
            Viewer
          </span>
        )}
        {path !== '/' && (
          <a class={s.find} href={FIND}>
            Find sessions
          </a>
        )}
        <button type="button" class={s.icon} onClick={toggleTheme} aria-label="Light or dark">
          <Icon name="moon" />
        </button>
      </header>
      {isPaletteOpen.value && (
        <Palette
          pages={shown}
          onClose={() => {
            isPaletteOpen.value = false;
          }}
        />
      )}
      <Notices />
      <div class={parts.hidden} role="status" aria-live="polite">
        {announcement.value}
      </div>
      <div class={parts.hidden} role="alert">
        {urgentAnnouncement.value}
      </div>
      {isLoading.value && (
        <div class={s.loading} role="status">
          <Slow />
        </div>
      )}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** A narrow screen shows some pages, and scrolls to the others. */
function showCurrent(pages: HTMLElement | null): void {
  const current = pages?.querySelector<HTMLElement>('[aria-current]');
  // The first one is seen without scrolling: no layout for it.
  if (!pages || !current || current === pages.firstElementChild) return;
  pages.scrollLeft = current.offsetLeft - pages.offsetLeft - (pages.clientWidth - current.offsetWidth) / 2;
}

/** `/` goes to the page's search, `Ctrl-K` opens the palette. @param leave Without a search. */
function searchByKey(leave: () => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    // Escape leaves the search, so that the next key is not typed there.
    if (
      event.key === 'Escape' &&
      event.target instanceof HTMLElement &&
      event.target.matches('[data-search]')
    )
      event.target.blur();
    if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      isPaletteOpen.value = true;
    }
    if (
      event.key !== '/' ||
      isForField(event.target) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !areKeysOn.value
    )
      return;
    event.preventDefault();
    const field = document.querySelector<HTMLElement>('[data-search]');
    if (field) field.focus();
    else leave();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function Live() {
  const kind = connection.value?.kind;
  if (kind === undefined || kind === 'ended') return null;
  return (
    <span class={s.live} data-kind={kind}>
      <span>{WORDS[kind]}</span>
    </span>
  );
}

/** A page's head: its title, focused on entry, and the content below it. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useHeadingFocus();
  useTabTitle(title);
  return (
    <div class={s.head}>
      <div class={s.inner}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
    </div>
  );
}

let isFirstPage = true;

/** Focuses a heading when its page is entered from a different page. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirstPage && !location.hash) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return heading;
}

// Notices for every page: the reader is signed out, the installation is paused, a part of it is away, or a
// new version is available.

/** Bars below the head of the page. */
function Notices() {
  const reload = (name: string) => (
    <button type="button" class={parts.button} onClick={() => location.reload()}>
      {name}
    </button>
  );
  return (
    <>
      {isSignedOut.value && (
        <div class={s.notice} role="alert">
          <span>
            <b>You are signed out.</b> Your text is kept.
          </span>
          {reload('Sign in')}
        </div>
      )}
      {(isPartAway.value || systemPause.value !== null) && <Health />}
      {isNewVersion.value && !isSignedOut.value && (
        <div class={s.notice} role="status">
          <span>A new version is available. Your text is kept.</span>
          {reload('Reload')}
        </div>
      )}
    </>
  );
}
