// Follows a running session, and keeps the rows on the screen in their place while a reader looks elsewhere.

import { effect, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { createScrollAnchor, removeAddedSpace } from './scrollAnchor.ts';
import type { SessionState } from './state/sessionState.ts';

/** Whether the page follows, new steps since it does not, and a new analysis off screen. */
export type Following = ReturnType<typeof createFollowing>;

const NEAR_PX = 80;
/** A scroll so long after an input is by the reader. */
const INPUT_MS = 1_000;
const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

function isSeen(id: string, margin: number): boolean {
  const place = document.getElementById(id)?.getBoundingClientRect();
  return place !== undefined && place.top < innerHeight + margin && place.bottom > 0;
}

function createFollowing(isRunning: boolean) {
  const isOn = signal(isRunning && location.hash === '' && !location.pathname.endsWith('/ask'));
  const fresh = signal(0);
  const isAnalysisReady = signal(false);
  const end = () => document.getElementById('steps-end');
  return {
    isOn,
    fresh,
    isAnalysisReady,
    isEndSeen: () => isSeen('steps-end', NEAR_PX),
    go() {
      isOn.value = true;
      fresh.value = 0;
      end()?.scrollIntoView({ block: 'end', behavior: 'instant' });
    },
    leave() {
      isOn.value = false;
    },
    goToAnalysis() {
      isOn.value = false;
      isAnalysisReady.value = false;
      // After the rows of a change that has just come are put back in their place.
      requestAnimationFrame(() =>
        document.getElementById('analysis')?.scrollIntoView({ block: 'start', behavior: 'instant' }),
      );
    },
    /** Scrolls to the end, if it is not on the screen. A session that has ended moves no more. */
    stick() {
      if (document.querySelector('[data-now-row]') === null) return;
      end()?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    },
  };
}

/** Follows while the end is on screen; scrolling up, selecting and unfolding end it. */
export function useFollowSession(session: SessionState, isRunning: boolean): Following {
  const following = useMemo(() => createFollowing(isRunning), [session]);

  useEffect(() => {
    const { isOn, fresh, isAnalysisReady, leave, isEndSeen, stick } = following;
    const places = createScrollAnchor(leave);
    let lastTop = scrollY;
    let inputAt = Number.NEGATIVE_INFINITY;
    const onInput = () => {
      inputAt = performance.now();
    };
    const onScroll = () => {
      // A page that becomes shorter scrolls, too.
      const isByReader = performance.now() - inputAt < INPUT_MS;
      if (isByReader && scrollY < lastTop - 4 && !isEndSeen()) leave();
      else if (isEndSeen() && fresh.value > 0) fresh.value = 0;
      if (isAnalysisReady.value && isSeen('analysis-title', -NEAR_PX)) isAnalysisReady.value = false;
      lastTop = scrollY;
    };
    const onSelect = () => {
      if (getSelection()?.isCollapsed === false) leave();
    };
    session.aroundChange.current = (change) => {
      const follows = isOn.value && isEndSeen();
      places.keep(change, follows);
      // After the correction, in the same frame: nothing moves as long as the end is on the screen.
      if (follows) requestAnimationFrame(() => isOn.value && stick());
    };
    session.onAdded.current = (count) => {
      if (!isEndSeen()) fresh.value += count;
    };
    let before = session.finalAnalysis.peek();
    const stopWatching = effect(() => {
      const { value } = session.finalAnalysis;
      if (before === '' && value !== '' && session.view.peek() !== undefined && isRunning) {
        requestAnimationFrame(() => {
          isAnalysisReady.value = !isSeen('analysis-title', -NEAR_PX);
        });
      }
      before = value;
    });
    for (const name of INPUTS) addEventListener(name, onInput, { passive: true });
    addEventListener('scroll', onScroll, { passive: true });
    document.addEventListener('selectionchange', onSelect);
    return () => {
      stopWatching();
      for (const name of INPUTS) removeEventListener(name, onInput);
      removeEventListener('scroll', onScroll);
      document.removeEventListener('selectionchange', onSelect);
      removeAddedSpace();
      session.aroundChange.current = (change) => change();
      session.onAdded.current = () => {};
    };
  }, [following, session]);
  return following;
}
