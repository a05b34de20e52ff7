// Why a piece of evidence does not count, in words for people.

const STATES: Record<string, string> = {
  differs: 'another value stands there',
  absent: 'in no result',
  ambiguous: 'too short, or in several results',
  echoed: 'stood in the call or the alert before',
  outside_window: 'too old',
};

/** A piece of evidence, as `/claims` answers it. */
interface JudgedEvidence {
  state: string;
  side: string;
  speaks: string | null;
  contrast: string | null;
}

/** The reason; undefined if the evidence counts. */
export function excludeReason({ state, side, speaks, contrast }: JudgedEvidence): string | undefined {
  if (state !== 'held') return STATES[state] ?? state;
  if (side === 'against') return undefined;
  if (speaks === 'nothing') return 'says nothing of the named mechanism';
  return contrast === 'usual' ? 'healthy siblings or earlier samples show it as well' : undefined;
}
