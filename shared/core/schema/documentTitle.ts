// The title of a document whose id is a digest: shows users of the Firestore console the subject of the
// document. Only for people; it never identifies a document.

import * as z from 'zod';
import { cutText } from '../../text/cut.ts';

/** The longest title, in UTF-16 code units. */
const MAX_TITLE = 300;

/** A title as it is stored. It contains no secrets. */
export const documentTitleSchema = z.string().min(1).max(MAX_TITLE);

/** A masked text as a title, cut to 300 characters. */
export const documentTitle = (text: string): string => cutText(text, MAX_TITLE);
