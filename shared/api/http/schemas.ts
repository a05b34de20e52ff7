// Schemas of parameters that several routes have.

import * as z from 'zod';
import { Problem } from './problem.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/** The id of a document of a session: an event, an execution or a message. */
export const EVENT_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,400}$/;

/** The id of a session in an address. */
export const sessionParams = z.strictObject({
  sessionId: z.string().regex(ID, 'must be the id of a session: letters, digits, "_" and "-", at most 200'),
});

/** The end of the previous page: a session id. */
export const cursorSchema = sessionParams.shape.sessionId;

/**
 * The parameters of a list with pages.
 * @param options.usual the default of `limit`.
 * @param options.note what a page leaves out.
 * @param options.cursor the schema of `next`. Default: the id of a document.
 */
export const pageQuery = ({
  usual = 200,
  most = 500,
  note = '',
  cursor = z.string().regex(EVENT_ID) as z.ZodType<string, string>,
} = {}) => ({
  after: cursor.optional().describe('`next` of the previous page'),
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .describe(`How many are read${note && '; '}${note}`),
});

/** Text that people write. The runtime checks its length. */
export const textSchema = z.string().refine((text) => text.trim() !== '', 'must not be empty');

/** Words of a search. */
export const wordsSchema = z
  .string()
  .max(200)
  .regex(/[\p{L}\p{N}]/u, 'must hold a letter or a digit');

/** One line for readers of a timeline. */
export const reasonSchema = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .refine((text) => !/[\n\r]/.test(text), 'must be one line')
  .optional();

/** The problem for a session that does not exist or is not visible to the caller. */
export function unknownSession(sessionId: string): Problem {
  return new Problem(
    'SESSION_UNKNOWN',
    `there is no session ${sessionId}; GET /v1/sessions lists the sessions`,
  );
}
