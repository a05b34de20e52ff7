// Unfolds, marks, scrolls to and focuses the step that the address or a link names.

import { useEffect } from 'preact/hooks';
import { parseStepAddress, stepId } from '../model/address.ts';
import { findChildExecution, isCall, listStepEvents } from '../model/steps.ts';
import { listExecutions } from './state/sentences.ts';
import type { SessionState } from './state/sessionState.ts';
import { marked } from './state/stepFilter.ts';

/** Follows the fragment of the address, also when its step comes later. */
export function useStepAddress(session: SessionState): void {
  const { timeline, view } = session;
  const size = timeline.size.value;
  useEffect(() => {
    const onHash = () => {
      marked.value = parseStepAddress(location.hash);
      if (marked.value !== undefined) show(session);
      else showPart();
    };
    addEventListener('hashchange', onHash);
    return () => {
      removeEventListener('hashchange', onHash);
      marked.value = undefined;
    };
  }, [session]);
  useEffect(() => {
    if (marked.value !== undefined || size === 0) return;
    const address = parseStepAddress(location.hash);
    if (address === undefined || timeline.placeOf(address.executionId, address.sequenceNumber) === undefined)
      return;
    marked.value = address;
    show(session);
  }, [size, view]);
}

type Shown = Pick<SessionState, 'timeline' | 'view'>;

/** Scrolls to a part of the page, or to a claim, and focuses it. */
function showPart(): void {
  const element = document.getElementById(location.hash.slice(1));
  element?.scrollIntoView({
    block: element instanceof HTMLAnchorElement ? 'center' : 'start',
    behavior: 'instant',
  });
  element?.focus({ preventScroll: true });
}

function show({ timeline, view }: Shown): void {
  const address = marked.value;
  const place = address && timeline.placeOf(address.executionId, address.sequenceNumber);
  if (address === undefined || place === undefined) return;
  place.iteration.isOpen.value = true;
  place.iteration.isNear.value = true;
  place.iteration.openSteps.value = new Set([...place.iteration.openSteps.value, place.step.key]);
  unfoldAbove(address.executionId, { timeline, view });
  const [first] = listStepEvents(place.step);
  const id = first === undefined ? stepId(address) : stepId(first);
  const focus = () => {
    const row = document.getElementById(id);
    row?.scrollIntoView({ block: 'center', behavior: 'instant' });
    row?.focus({ preventScroll: true });
  };
  // The unfolded step renders first; layout can move it again.
  requestAnimationFrame(() => {
    focus();
    requestAnimationFrame(focus);
  });
}

/** A child stands at its call, which has to be unfolded, too. */
function unfoldAbove(executionId: string, { timeline, view }: Shown): void {
  const parent = listExecutions(view.value).find((one) => one.executionId === executionId)?.parentExecutionId;
  if (parent === null || parent === undefined) return;
  for (const iteration of timeline.iterationsOf(parent).peek())
    if (iteration.events.peek().some((event) => isCall(event) && findChildExecution(event) === executionId)) {
      iteration.isOpen.value = true;
      iteration.isNear.value = true;
    }
  unfoldAbove(parent, { timeline, view });
}
