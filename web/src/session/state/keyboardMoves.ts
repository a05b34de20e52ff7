// Moving between steps, iterations, agents and errors by keys.

import { announce } from '../../frame/announce.ts';
import { groupSteps, isFault } from '../../model/steps.ts';
import type { Iteration, Timeline } from '../../model/timeline.ts';

let current: Timeline | undefined;

/** Sets the timeline whose steps the keys move between. */
export function moveIn(timeline: Timeline | undefined): void {
  current = timeline;
}

/** Gives the focus to an element, without its being hidden under the bar. */
function focus(element: HTMLElement | undefined): void {
  if (element === undefined) return;
  element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  element.focus({ preventScroll: true });
}

/** Moves the focus by one among elements that fit a selector. @param wraps From the last one to the first. */
export function moveAmong(selector: string, by: 1 | -1, wraps = false): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const active = document.activeElement;
  const at = all.findIndex((element) => element === active || element.contains(active));
  if (at < 0 && active !== null) {
    const after = all.findIndex(
      (element) => active.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    focus(
      by === 1
        ? (all[Math.max(0, after)] ?? all[0])
        : all[after < 0 ? all.length - 1 : Math.max(0, after - 1)],
    );
    return;
  }
  const next = wraps ? (at + by + all.length) % all.length : Math.min(all.length - 1, Math.max(0, at + by));
  focus(all[next]);
}

/** Moves to the next error, unfolds and announces it. @return false without one. */
export function moveToFault(by: 1 | -1): boolean {
  if (current === undefined) return false;
  const faults = current.peekAll().flatMap((iteration) =>
    groupSteps(iteration.events.peek())
      .filter(isFault)
      .map((step) => ({ iteration, key: step.key })),
  );
  if (faults.length === 0) {
    return false;
  }
  const focused = document.activeElement?.closest('[data-row]')?.id;
  const at = faults.findIndex(({ iteration, key }) => rowId(iteration, key) === focused);
  const next = at < 0 ? (by === 1 ? 0 : faults.length - 1) : (at + by + faults.length) % faults.length;
  const fault = faults[next];
  if (fault === undefined) return false;
  fault.iteration.isOpen.value = true;
  fault.iteration.isNear.value = true;
  announce(`Error ${next + 1} of ${faults.length}`);
  requestAnimationFrame(() => focus(document.getElementById(rowId(fault.iteration, fault.key)) ?? undefined));
  return true;
}

function rowId({ events, executionId }: Iteration, key: string): string {
  const event = events.peek().find(({ eventId }) => eventId === key);
  return `e-${executionId}.${event?.sequenceNumber ?? 0}`;
}
