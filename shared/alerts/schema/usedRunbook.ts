// The runbook of a session: the copy that it keeps.

import * as z from 'zod';
import { definePart } from '../../core/schema/parts.ts';

/** Keys of runbooks: names of files and ids of documents. */
export const runbookKeySchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/,
    'must start with a letter or digit, and hold only letters, digits, "_", "-" and "."',
  );

/** UTF-8 bytes of a stored runbook, and of a file. */
export const MAX_RUNBOOK_BYTES = 256_000;

/** The origin of a runbook: a file of the configuration, a Firestore document, the alert's link. */
const RUNBOOK_SOURCES = ['file', 'firestore', 'link'] as const;

/** The runbook of a session as it was when the session was opened. */
const usedRunbookSchema = z.strictObject({
  /** Its key, or the address it was fetched from. */
  name: z.string().min(1),
  source: z.enum(RUNBOOK_SOURCES),
  /** As agents see it: without secrets, cut at the limit. */
  text: z.string().min(1),
  /** UTF-8 bytes of the uncut text. */
  bytes: z.int().positive(),
});
/** The runbook of a session. */
export type UsedRunbook = z.infer<typeof usedRunbookSchema>;

/** The team's instructions for the alert of a session, as of the session's opening. */
export const runbookPart = definePart('session', 'runbook', usedRunbookSchema);
