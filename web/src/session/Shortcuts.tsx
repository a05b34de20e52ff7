// Keys of the session page. None cancels, approves, asks or reruns; none works in fields.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { areKeysOn, isForField } from '../frame/shortcutSetting.ts';
import { loadLater } from '../parts/lazyPart.tsx';
import type { Following } from './followSession.ts';
import s from './session.module.css';
import { moveAmong, moveToFault } from './state/keyboardMoves.ts';
import { expire } from './state/useControl.ts';

const Table = loadLater('The keys', () =>
  import('./ShortcutTable.tsx').then((module) => module.ShortcutTable),
);

const click = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();
const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

/** Listens for keys, and shows their table. */
export function Shortcuts({ following, sessionId }: { following: Following; sessionId: string }) {
  const isShown = useSignal(false);
  const said = useSignal('');
  const { route } = useLocation();
  useEffect(() => {
    const say = (words: string) => {
      said.value = words;
      expire(said);
    };
    const toFault = (by: 1 | -1) => {
      if (!moveToFault(by)) say('No errors');
    };
    let wasG = false;
    const acts: Record<string, () => void> = {
      j: () => moveAmong('[data-row]', 1),
      k: () => moveAmong('[data-row]', -1),
      i: () => moveAmong('[data-iteration]', 1),
      I: () => moveAmong('[data-iteration]', -1),
      e: () => toFault(1),
      E: () => toFault(-1),
      '[': () => moveAmong('article', -1),
      ']': () => moveAmong('article', 1),
      o: unfoldHere,
      O: () => click('[data-fold-all]'),
      f: () => focusOn('#steps [aria-pressed]'),
      '.': () => (following.isOn.value ? following.leave() : following.go()),
      l: () => copyLink(sessionId, say),
      '?': () => {
        isShown.value = true;
      },
      'g a': following.goToAnalysis,
      'g s': () => document.getElementById('steps')?.scrollIntoView({ block: 'start' }),
      'g l': () => route('/'),
    };
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      if (isForField(target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'End') {
        // The browser would scroll to the end of the page: on a narrow screen, past the steps.
        event.preventDefault();
        following.go();
      }
      if (!areKeysOn.value && event.key !== '?') return;
      if (event.key === 'Enter' && target instanceof HTMLElement && target.dataset.row !== undefined)
        unfoldHere();
      const name = wasG ? `g ${event.key}` : event.key;
      wasG = event.key === 'g' && !wasG;
      const act = acts[name];
      if (act === undefined) return;
      event.preventDefault();
      if (name === 'j' || name === 'k' || name === 'o') following.leave();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [following, route, sessionId, isShown, said]);
  return (
    <>
      <p class={s.said} role="status">
        {said.value}
      </p>
      {isShown.value && <Table onClose={() => (isShown.value = false)} />}
    </>
  );
}

function unfoldHere(): void {
  const row = document.activeElement?.closest<HTMLElement>('[data-row], [data-iteration]');
  const button = row?.matches('button') ? row : row?.querySelector<HTMLElement>('button[aria-expanded]');
  button?.click();
}

function copyLink(sessionId: string, say: (words: string) => void): void {
  const row = document.activeElement?.closest('[data-row]');
  const hash = row === null || row === undefined ? '' : `#${row.id}`;
  navigator.clipboard.writeText(`${location.origin}/s/${sessionId}${hash}`).then(
    () => say('Link copied'),
    () => say('The link could not be copied'),
  );
}
