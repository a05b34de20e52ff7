// The session of an alert that a test published.

import { readAlert } from '../../shared/alerts/index.ts';
import type { Masker } from '../../shared/core/contract/guard.ts';
import { deriveAlertKey, deriveSessionId } from '../../shared/kits/alerts/sessionId.ts';
import { createMasker } from '../../shared/masking/masker.ts';

/** The id that the session of an alert will have, if these rules mask its title. */
export function computeSessionId(
  message: { messageId: string; data: Uint8Array },
  publishedAt: Date,
  masker: Masker = createMasker({}),
): string {
  const reading = readAlert(message.data, masker);
  return deriveSessionId({
    title: reading.ok ? reading.alert.title : '',
    publishedAt,
    key: deriveAlertKey(message),
  });
}
