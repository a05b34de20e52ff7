// sessions/{sessionId}/results/{executionId}.{seq}.{part}: a tool's result that the model was shown only in part, whole.

import * as z from 'zod';

/** Where a result is stored whole, as the message that shows a part of it says. */
export const storedResultSchema = z.strictObject({
  /** What the model calls it: `r` and the number of its message, `r5`. */
  id: z.string().regex(/^r[1-9]\d*$/),
  /** Its parts: numbers of documents, from the first on. A holder that died may have left others before them. */
  firstPart: z.int().positive(),
  parts: z.int().positive(),
  /** UTF-8 bytes and lines of what is stored. */
  bytes: z.int().nonnegative(),
  lines: z.int().nonnegative(),
  /** The first 16 hexadecimal digits of its SHA-256. */
  digest: z.string().regex(/^[0-9a-f]{16}$/),
});
/** Where a result is stored whole. */
export type StoredResult = z.infer<typeof storedResultSchema>;

/** A piece of a large result, masked and with everything in it visible. */
export const resultPartSchema = z.strictObject({
  executionId: z.string().min(1),
  /** The number of the message that shows a part of the result. */
  sequenceNumber: z.int().positive(),
  part: z.int().positive(),
  toolName: z.string(),
  text: z.string(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A piece of a large result. */
export type ResultPart = z.infer<typeof resultPartSchema>;
