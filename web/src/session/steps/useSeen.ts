// Which iterations are on the screen, for the waterfall, which marks them.

import { useEffect, useRef } from 'preact/hooks';
import { seenIterations } from '../state/stepFilter.ts';

const keys = new WeakMap<Element, string>();
const BAR = '-48px 0px 0px 0px';

const observer = new IntersectionObserver(
  (entries) => {
    const seen = new Set(seenIterations.peek());
    for (const { target, isIntersecting } of entries) {
      const key = keys.get(target);
      if (key === undefined) continue;
      if (isIntersecting) seen.add(key);
      else seen.delete(key);
    }
    seenIterations.value = seen;
  },
  { rootMargin: BAR },
);

/** Notes whether the element of an iteration is on the screen. @returns the element's ref. */
export function useSeen(key: string) {
  const element = useRef<HTMLLIElement>(null);
  const drawn = useRef<HTMLLIElement | null>(null);
  const leave = () => {
    if (drawn.current === null) return;
    observer.unobserve(drawn.current);
    drawn.current = null;
    const seen = new Set(seenIterations.peek());
    if (seen.delete(key)) seenIterations.value = seen;
  };
  // A filter removes the element and creates it again.
  useEffect(() => {
    if (drawn.current === element.current) return;
    leave();
    drawn.current = element.current;
    if (element.current === null) return;
    keys.set(element.current, key);
    observer.observe(element.current);
  });
  useEffect(() => leave, [key]);
  return element;
}
