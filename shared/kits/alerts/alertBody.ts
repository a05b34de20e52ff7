// The body of an alert, in documents below the size limit of a document.

import type { AlertBody } from '../../alerts/schema/alert.ts';
import { splitText } from '../../text/cut.ts';

const PIECE_BYTES = 600_000;

/** The documents of an alert's body, in order; `part` counts from 1. */
export function bodyPieces(body: string, sessionId: string, expireAt: Date): AlertBody[] {
  return splitText(body, PIECE_BYTES).map((text, index) => ({ sessionId, part: index + 1, text, expireAt }));
}
