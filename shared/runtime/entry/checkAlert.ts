// Reads an alert before it is published, so that its sender gets errors immediately.

import { randomBytes } from 'node:crypto';
import { type MaskedAlert, readAlert } from '../../alerts/index.ts';
import { TerminalError } from '../../errors.ts';
import type { MaskerFor } from '../../masking/maskers.ts';

/**
 * Returns the alert as intake will read it, without its secrets. @throws TerminalError `ALERT_*` for data that is not
 * an alert.
 */
export type CheckAlert = (data: Uint8Array, attributes: Record<string, string>) => MaskedAlert;

/** Creates a check with these maskers. */
export function createAlertCheck(maskerFor: MaskerFor): CheckAlert {
  return (data, attributes) => {
    const reading = readAlert(data, maskerFor(randomBytes(16).toString('hex')), { attributes });
    if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
    return reading;
  };
}
