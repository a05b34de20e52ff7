// The details of a review as text, for the timeline and for terminals.

import { causeWords } from '../../evidence/causeWords.ts';
import type { Review } from '../../search/review.ts';

/** The details that a reviewer gave, one a text: `Cause: memory of api`, `Helped: …`, `Missed: …`. */
export function reviewDetails(review: Review | null): string[] {
  const { text, ...named } = review?.cause ?? {};
  const cause = [causeWords(named), text].filter(Boolean).join(', ');
  const details = { Cause: cause, Helped: review?.action, Missed: review?.missed };
  return Object.entries(details).flatMap(([name, detail]) => (detail ? [`${name}: ${detail}`] : []));
}
