// The title of a document whose id is a digest: it tells users of the Firestore console what the document is about. It is for
// people only and never identifies anything.

import * as z from 'zod';
import { cutToCharacters } from '../text/quote.ts';

/** The longest title, in UTF-16 code units. */
const MAX_TITLE = 300;

/** A title as it is stored. It contains no secrets. */
export const documentTitleSchema = z.string().min(1).max(MAX_TITLE);

/** A masked text as a title, cut to 300 characters. */
export const documentTitle = (text: string): string => cutToCharacters(text, MAX_TITLE);
