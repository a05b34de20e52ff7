// What a reader looks for on a session page: a step that an address names, and filters of the steps.

import { signal } from '@preact/signals';
import type { StepAddress } from '../model/address.ts';
import { STEP_KINDS, type StepKind } from '../model/steps.ts';

/** The step that the address names. */
export const marked = signal<StepAddress | undefined>(undefined);

/** Which steps are shown. Empty text for all. */
export const filter = signal<{ kind: StepKind; text: string; agent: string }>({
  kind: 'all',
  text: '',
  agent: '',
});

/** Reads filters from the query of an address. */
export function filterOf(query: Record<string, string>): { kind: StepKind; text: string; agent: string } {
  const kind = STEP_KINDS.find((one) => one === query.show) ?? 'all';
  return { kind, text: (query.q ?? '').trim().toLowerCase(), agent: query.agent ?? '' };
}
