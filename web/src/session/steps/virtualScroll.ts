// Iterations near the screen: long sessions draw only these, others leave a gap.

import { batch, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Iteration } from '../../model/timeline.ts';
import { type SessionState, useSession } from '../state/sessionState.ts';

/** So far from the screen rows are drawn: the next rows for keys, and a fast scroll. */
const MARGIN = '1500px 0px';
/** Height of a row that was never drawn, in pixels. */
const ROW_PX = 50;

interface Watched extends Pick<SessionState, 'timeline' | 'aroundChange'> {
  iteration: Iteration;
}

const watched = new WeakMap<Element, Watched>();
const heights = new WeakMap<Iteration, number>();

/** A printed page has all rows. */
const isPrinting = signal(false);
addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});

const observer = new IntersectionObserver(
  (entries) => {
    const changes = entries.flatMap(({ target, isIntersecting }) => {
      const one = watched.get(target);
      const isSame = one === undefined || one.iteration.isNear.peek() === isIntersecting;
      if (isSame || (!isIntersecting && isInUse(target))) return [];
      const rows = target.querySelector(':scope > ol');
      if (!isIntersecting && rows !== null) heights.set(one.iteration, rows.getBoundingClientRect().height);
      return { ...one, isNear: isIntersecting };
    });
    const [first] = changes;
    const change = () =>
      batch(() => {
        for (const { iteration, isNear } of changes) iteration.isNear.value = isNear;
      });
    // In a short session all rows are drawn: nothing moves.
    if (first?.timeline.isLong.peek()) first.aroundChange.current(change);
    else change();
  },
  { rootMargin: MARGIN },
);

/** Whether an element has the focus or a part of the selection, which would be lost with its rows. */
function isInUse(element: Element): boolean {
  const selection = getSelection();
  return (
    element.contains(document.activeElement) ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(element, true))
  );
}

/**
 * Whether the rows of an iteration are drawn, and else the height of the gap in pixels.
 * @param block The element of the iteration.
 */
export function useNear(
  iteration: Iteration,
  block: { readonly current: HTMLElement | null },
): { isDrawn: boolean; gapOf(rows: number): number } {
  const { timeline, aroundChange } = useSession();
  const isLong = timeline.isLong.value;
  useEffect(() => {
    const element = block.current;
    if (element === null) return undefined;
    // Also in a short session: when it becomes long, the rows on the screen stay.
    watched.set(element, { iteration, timeline, aroundChange });
    observer.observe(element);
    return () => observer.unobserve(element);
  }, [iteration, block.current]);
  return {
    isDrawn: !isLong || isPrinting.value || iteration.isNear.value,
    gapOf: (rows) => heights.get(iteration) ?? rows * ROW_PX,
  };
}
