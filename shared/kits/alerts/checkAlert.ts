// Reads an alert before it is published, so that its sender gets errors immediately.

import { randomBytes } from 'node:crypto';
import { decodeAlert } from '../../alerts/decodeAlert.ts';
import { type MaskedAlert, maskAlertGradually } from '../../alerts/index.ts';
import type { MaskerFor } from '../../core/contract/guard.ts';
import { TerminalError } from '../../core/errors.ts';

/**
 * Returns the alert as intake will read it, without its secrets. Rejects with TerminalError `ALERT_*` for
 * data that is not an alert.
 */
export type CheckAlert = (data: Uint8Array, attributes: Record<string, string>) => Promise<MaskedAlert>;

/** Creates a check with these maskers. */
export function createAlertCheck(maskerFor: MaskerFor): CheckAlert {
  return async (data, attributes) => {
    const opening = decodeAlert(data, attributes);
    if (!opening.ok) throw new TerminalError(opening.failure.code, opening.failure.message);
    return maskAlertGradually(opening.opened, maskerFor(randomBytes(16).toString('hex')));
  };
}
