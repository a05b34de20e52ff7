// The step that the address names, and the filters of the steps.

import { signal } from '@preact/signals';
import type { StepAddress } from '../../model/address.ts';
import { STEP_KINDS, type StepKind } from '../../model/steps.ts';

/** The step that the address names. */
export const marked = signal<StepAddress | undefined>(undefined);

/** Which steps are shown. An empty text is all. */
export interface StepFilter {
  kind: StepKind;
  /** In lower case. */
  text: string;
  /** Names as events and executions have them. */
  agent: string;
  tool: string;
}

/** Which steps are shown. */
export const filter = signal<StepFilter>({ kind: 'all', text: '', agent: '', tool: '' });

/** Whether each iteration shows tokens and cost of its model call. */
export const showsCalls = signal(false);

/** The iterations that are on the screen, by their keys. */
export const seenIterations = signal<ReadonlySet<string>>(new Set());

/** Whether anything is left out. */
export function isFiltered({ kind, text, agent, tool }: StepFilter): boolean {
  return kind !== 'all' || text !== '' || agent !== '' || tool !== '';
}

/** Reads the filters from an address. */
export function readFilter(query: Record<string, string>): void {
  const kind = STEP_KINDS.find((one) => one === query.show) ?? 'all';
  const text = (query.q ?? '').trim().toLowerCase();
  filter.value = { kind, text, agent: query.agent ?? '', tool: query.tool ?? '' };
  showsCalls.value = query.calls === '1';
}
