// Masks lines of an analysis with a secret in a form that masking does not detect: encoded, in pieces.

import type { Masker } from '../../core/contract/guard.ts';

/** A text, and whether lines of it were masked. */
interface Hidden {
  text: string;
  hidden: boolean;
}

/** Lines that are searched together for a secret of which each line holds less than a quarter. */
const WINDOW = 64;
/** Secrets in pieces that are looked for; then all lines are masked. */
const MOST_SPREAD = 20;

/** The text without the lines that hold an encoded secret. Marks can be quoted. */
export function maskEncodedSecrets(text: string, masker: Masker): Hidden {
  const holdsSecret = (part: string): boolean => {
    const leak = masker.findLeak(part);
    return leak === 'canary' || leak === 'secret';
  };
  if (!holdsSecret(text)) return { text, hidden: false };
  const lines = text.split('\n').map((line) => (holdsSecret(line) ? masker.markOf(line, 'encoded') : line));
  const safe = lines.join('\n');
  return { text: safe, hidden: safe !== text };
}

/** The text without lines that contain an encoded secret, or pieces of a known one or the canary. */
export function maskDisguisedSecrets(text: string, masker: Masker): Hidden {
  const encoded = maskEncodedSecrets(text, masker);
  const safe = encoded.text.split('\n');
  // A line can be masked for a piece of a secret, of which other lines hold the rest.
  const lines = text
    .split('\n')
    .map((line, index) => (line !== safe[index] && masker.hasSplitLeak([], [line]) ? '' : line));
  for (let found = 0; found <= MOST_SPREAD; found++) {
    const spread = spreadLines(lines, masker);
    if (spread.length === 0) break;
    for (const index of found < MOST_SPREAD ? spread : lines.keys()) {
      safe[index] = masker.markOf(lines[index] ?? '', 'encoded');
      lines[index] = '';
    }
  }
  const after = safe.join('\n');
  return { text: after, hidden: after !== text };
}

/** The fewest lines that hold the pieces of a secret; empty for none. */
function spreadLines(lines: readonly string[], masker: Masker): number[] {
  const isHeld = (indexes: readonly number[]): boolean =>
    masker.hasSplitLeak(
      [],
      indexes.map((index) => lines[index] ?? ''),
    );
  const all = [...lines.keys()];
  const windows = all
    .filter((at) => at > 0 && at % (WINDOW / 2) === 0)
    .map((at) => all.slice(at, at + WINDOW));
  let held = [all, ...windows].find(isHeld) ?? [];
  for (let size = Math.ceil(held.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < held.length; ) {
      const fewer = held.toSpliced(at, size);
      if (isHeld(fewer)) held = fewer;
      else at += size;
    }
  }
  return held;
}
