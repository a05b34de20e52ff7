// The details of a review as text, for the timeline and for terminals.

import type { Review } from '../../../schema/features/work.ts';

/** The details that a reviewer gave, one a text: `Cause: api, memory`, `Helped: …`, `Missed: …`. */
export function reviewDetails(review: Review | null): string[] {
  const { component, mechanism, text } = review?.cause ?? {};
  const cause = [component, mechanism, text].filter(Boolean).join(', ');
  const details = { Cause: cause, Helped: review?.action, Missed: review?.missed };
  return Object.entries(details).flatMap(([name, detail]) => (detail ? [`${name}: ${detail}`] : []));
}
