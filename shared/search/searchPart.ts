// The part of a session by which a search finds it.

import * as z from 'zod';
import { definePart } from '../core/schema/parts.ts';

/**
 * The most trigrams of a session's opening, and of its findings. Each is an index entry of the document, of
 * which Firestore allows 40,000 (https://firebase.google.com/docs/firestore/quotas).
 */
export const MAX_OPENING_TRIGRAMS = 800;
export const MAX_FINDING_TRIGRAMS = 400;

/** The trigrams of its title, its alert and its findings. Sessions of code before version 6 have none. */
export const searchPart = definePart(
  'session',
  'search',
  z.strictObject({ trigrams: z.array(z.string()).max(MAX_OPENING_TRIGRAMS + MAX_FINDING_TRIGRAMS) }),
);
