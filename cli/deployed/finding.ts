// The result of `doctor` for one part.

import { errorMessage } from '../../shared/core/errors.ts';
import type { Target } from '../deploy/target.ts';
import { problemOfError } from '../deploy/terraformErrors.ts';

/** A result. `absent`: not available and not needed. */
export interface Finding {
  /** The part in some words: `Firestore`, `secret PAGER_TOKEN`. */
  part: string;
  state: 'ok' | 'absent' | 'missing';
  /** For `missing`: the cause and the fix. */
  text: string;
}

export const ok = (part: string, text: string): Finding => ({ part, state: 'ok', text });
export const missing = (part: string, text: string): Finding => ({ part, state: 'missing', text });
export const absent = (part: string, text: string): Finding => ({ part, state: 'absent', text });

/** A check that failed: the cause and the fix of a known problem, else the message. */
export function composeFailedFinding(part: string, error: unknown, target: Target): Finding {
  const problem = problemOfError(error, target);
  return missing(part, problem === undefined ? errorMessage(error) : `${problem.cause}. ${problem.fix}`);
}
