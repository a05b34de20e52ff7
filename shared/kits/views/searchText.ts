// The text of a stored session that a search looks for words in.

import { alertBodyIn } from '../../alerts/prompt.ts';
import type { RawDocument } from '../../contract/rawDocuments.ts';
import { sessionText } from '../../search/sessionText.ts';
import { alertFields, alertIn, textAt, textsAt } from './fieldAt.ts';

/** Where the trigrams of a session are. */
export const TRIGRAM_FIELD = 'parts.search.trigrams';

/** The fields that hold the text. */
export const TEXT_FIELDS: readonly string[] = [
  'title',
  ...alertFields('source', 'title', 'labels', 'summary'),
  'input',
  'executiveSummary',
  'finalAnalysis',
];

/** The text; needs `TEXT_FIELDS`. */
export function readSearchText({ fields }: RawDocument): string {
  const alert = alertIn(fields);
  return sessionText({
    title: textAt(fields, 'title'),
    alert: {
      title: textAt(alert, 'title') ?? '',
      summary: textAt(alert, 'summary'),
      labels: textsAt(alert, 'labels'),
    },
    body: alertBodyIn(textAt(fields, 'input')),
    executiveSummary: textAt(fields, 'executiveSummary'),
    finalAnalysis: textAt(fields, 'finalAnalysis'),
  });
}
