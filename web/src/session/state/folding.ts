// Iterations that a reader folded or unfolded, in the address: shared links show the same.

import { withParameter } from '../../model/address.ts';
import type { Iteration, IterationPlace, Timeline } from '../../model/timeline.ts';

/** So many are kept in an address. */
const MOST = 60;

/** The state of all iterations, and the exceptions. */
let all = '';
let changed = new Set<string>();

/** Reads the folding from an address. */
export function readFolding(query: Record<string, string>): void {
  all = query.fold ?? '';
  changed = new Set((query.toggled ?? '').split(',').filter((key) => key !== ''));
}

/** Whether an iteration is open under the address. @param isOpen whether it is without that. */
export function isOpenInAddress(iteration: IterationPlace, isOpen: boolean): boolean {
  const isOpenWithAll = all === '' ? isOpen : all === 'none';
  return changed.has(foldingKey(iteration)) ? !isOpenWithAll : isOpenWithAll;
}

/** Folds or unfolds an iteration. */
export function toggleFolding(iteration: Iteration): void {
  iteration.isOpen.value = !iteration.isOpen.peek();
  const key = foldingKey(iteration);
  if (!changed.delete(key) && changed.size < MOST) changed.add(key);
  write();
}

/** Folds or unfolds all. */
export function foldAll(timeline: Timeline, isOpen: boolean): void {
  for (const iteration of timeline.peekAll()) iteration.isOpen.value = isOpen;
  all = isOpen ? 'none' : 'all';
  changed = new Set();
  write();
}

function foldingKey({ executionId, number, key }: IterationPlace): string {
  return number === null ? key : `${executionId}.${number}`;
}

function write(): void {
  const folded = withParameter(location.href, 'fold', all);
  const both = withParameter(new URL(folded, location.href).href, 'toggled', [...changed].join(','));
  history.replaceState(history.state, '', both);
}
