// Follows a running session, and keeps the rows on the screen in their place while a reader looks elsewhere.

import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { SessionState } from './state/sessionState.ts';

/** Whether the page follows, and how many steps came since it does not. */
export type Following = ReturnType<typeof useFollowing>;

const BAR_PX = 48;
const NEAR_PX = 80;

/** Places across the steps where rows of one, two or three lanes stand. */
const ACROSS = [0.25, 0.5, 0.75, 0.15, 0.85];

/** The row in focus or under the pointer, else the topmost visible one. Other rows are not measured. */
function firstRow(): { element: Element; top: number } | undefined {
  const looked =
    document.querySelector('[data-row]:focus-within') ?? document.querySelector('[data-row]:hover');
  if (looked !== null) {
    const { top, bottom } = looked.getBoundingClientRect();
    if (bottom > BAR_PX && top < innerHeight) return { element: looked, top };
  }
  const steps = document.getElementById('steps')?.getBoundingClientRect();
  if (steps === undefined) return undefined;
  for (let y = BAR_PX + 2; y < innerHeight; y += 24)
    for (const part of ACROSS) {
      const element = document.elementFromPoint(steps.left + part * steps.width, y)?.closest('[data-row]');
      if (element) return { element, top: element.getBoundingClientRect().top };
    }
  return undefined;
}

/** Keeps the first visible row in its place during a render. The correction comes before the next frame. */
function keepPlace(change: () => void): void {
  const before = firstRow();
  change();
  if (before === undefined) return;
  const correct = () => {
    if (!before.element.isConnected) return;
    const moved = before.element.getBoundingClientRect().top - before.top;
    if (Math.abs(moved) > 0.4) scrollBy({ top: moved, behavior: 'instant' });
  };
  // The change renders in a microtask; the correction runs after it.
  void Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => Promise.resolve())
    .then(correct);
}

/** Follows while the end is on screen; scrolling up, selecting and unfolding end it. */
export function useFollowing(session: SessionState, isRunning: boolean) {
  const following = useMemo(() => {
    const isOn = signal(isRunning && location.hash === '' && !location.pathname.endsWith('/ask'));
    const fresh = signal(0);
    const end = () => document.getElementById('steps-end');
    const isEndSeen = () => {
      const place = end()?.getBoundingClientRect();
      return place !== undefined && place.top < innerHeight + NEAR_PX && place.bottom > 0;
    };
    const go = () => {
      isOn.value = true;
      fresh.value = 0;
      end()?.scrollIntoView({ block: 'end', behavior: 'instant' });
    };
    const leave = () => {
      isOn.value = false;
    };
    return { isOn, fresh, go, leave, end, isEndSeen };
  }, [session]);

  useEffect(() => {
    const { isOn, fresh, end, leave, isEndSeen } = following;
    let lastTop = scrollY;
    const onScroll = () => {
      if (scrollY < lastTop - 4 && !isEndSeen()) leave();
      else if (isEndSeen() && fresh.value > 0) fresh.value = 0;
      lastTop = scrollY;
    };
    const onSelect = () => {
      if (getSelection()?.isCollapsed === false) leave();
    };
    session.aroundChange.current = (change) => {
      if (isOn.value && isEndSeen()) change();
      else keepPlace(change);
    };
    session.onAdded.current = (count) => {
      if (!isOn.value || !isEndSeen()) {
        if (!isEndSeen()) fresh.value += count;
        return;
      }
      // Nothing moves as long as the end is on the screen.
      requestAnimationFrame(() => {
        if (isOn.value) end()?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      });
    };
    addEventListener('scroll', onScroll, { passive: true });
    document.addEventListener('selectionchange', onSelect);
    return () => {
      removeEventListener('scroll', onScroll);
      document.removeEventListener('selectionchange', onSelect);
      session.aroundChange.current = (change) => change();
      session.onAdded.current = () => {};
    };
  }, [following, session]);
  return following;
}
