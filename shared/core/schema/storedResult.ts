// sessions/{sessionId}/results/{executionId}.{seq}.{part}: the whole result of a tool of which the model sees
// only a part.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';
import { resultPartId } from './ids.ts';

/** The location of a whole result, in the message that shows a part of it. */
export const storedResultSchema = z.strictObject({
  /** Its name for the model: `r` and the number of its message, `r5`. */
  id: z.string().regex(/^r[1-9]\d*$/),
  /** The number of the first part's document. A holder that died can have left others before it. */
  firstPart: z.int().positive(),
  parts: z.int().positive(),
  /** UTF-8 bytes and lines of the stored result. */
  bytes: z.int().nonnegative(),
  lines: z.int().nonnegative(),
  /** The first 16 hexadecimal digits of its SHA-256. */
  digest: z.string().regex(/^[0-9a-f]{16}$/),
});
/** The location of a whole result. */
export type StoredResult = z.infer<typeof storedResultSchema>;

/** A piece of a large result, masked and without invisible characters. */
const resultPartSchema = z.strictObject({
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

export const resultPartType = defineCollection({
  collection: 'results',
  name: 'resultPart',
  schema: resultPartSchema,
  paths: {
    resultPart: (sessionId: string, executionId: string, sequenceNumber: number, part: number) =>
      `sessions/${sessionId}/results/${resultPartId(executionId, sequenceNumber, part)}`,
    results: (sessionId: string) => `sessions/${sessionId}/results`,
  },
  ...BELOW_SESSION,
});
