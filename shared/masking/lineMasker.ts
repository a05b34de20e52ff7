// Takes secrets out of lines of the log.

import { randomBytes } from 'node:crypto';
import type { MaskerFor } from '../core/contract/guard.ts';

/** Masks lines with a key of this process: marks are comparable only among its lines. */
export function lineMasker(maskerFor: MaskerFor): (line: string) => string {
  const { mask } = maskerFor(randomBytes(16).toString('hex'));
  return (line) => mask(line).text;
}
