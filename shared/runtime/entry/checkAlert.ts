// Reads an alert before it is published, so that its sender gets errors immediately.

import { randomBytes } from 'node:crypto';
import { readAlert } from '../../alerts/index.ts';
import { TerminalError } from '../../errors.ts';
import type { Alert } from '../../schema/session.ts';
import type { MaskerFor } from '../kernel/maskers.ts';

/**
 * Returns the alert as intake will read it, without its secrets. @throws TerminalError `ALERT_*` for data that is not
 * an alert.
 */
export type CheckAlert = (data: Uint8Array, attributes: Record<string, string>) => Alert;

/** Creates a check with these maskers. */
export function createAlertCheck(maskerFor: MaskerFor): CheckAlert {
  return (data, attributes) => {
    const reading = readAlert(data, maskerFor(randomBytes(16).toString('hex')), { attributes });
    if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
    return reading.alert;
  };
}
