// Reads a review in a thread: `review wrong cause: COMPONENT MECHANISM action: … missed: …`. Pure.

import { mechanismSchema } from '../../../evidence/schema/mechanism.ts';
import type { Review } from '../../../search/review.ts';

const REVIEW = /^\s*review\b[\s:,-]*(right|partly|wrong)?\b([\s\S]*)$/i;
const PART = /\b(cause|action|missed)\s*:\s*/gi;
/** A component is a name with a sign: `k8s:eu/shop/Deployment/checkout`, `service:checkout`. */
const COMPONENT = /^[\w.@+~-]+[:/][\w.:@/+~-]*$/;

/** The review; `no_rating` if the text starts as one without its rating; undefined for any other text. */
export function readReview(text: string): Review | 'no_rating' | undefined {
  const [, rating, rest = ''] = REVIEW.exec(text) ?? [];
  if (rating === undefined) return /^\s*review\s*(?:[:,-]|$)/i.test(text) ? 'no_rating' : undefined;
  const parts = rest.split(PART).map((part) => part.trim());
  const named = new Map<string, string>();
  for (let at = 1; at < parts.length; at += 2)
    named.set((parts[at] ?? '').toLowerCase(), parts[at + 1] ?? '');
  const partOf = (name: string): string | null => named.get(name)?.replace(/[\s,;]+$/, '') || null;
  return {
    rating: rating.toLowerCase() as Review['rating'],
    cause: parseReviewCause(partOf('cause')),
    action: partOf('action'),
    missed: partOf('missed') ?? (parts[0]?.replace(/^[\s,;:.-]+/, '') || null),
  };
}

/** Component and mechanism where the words are such, else the text. */
function parseReviewCause(text: string | null): Review['cause'] {
  if (text === null) return null;
  const words = text.split(/\s+/);
  const component = COMPONENT.test(words[0] ?? '') ? (words.shift() ?? null) : null;
  const mechanism = mechanismSchema.safeParse(words[0]?.toLowerCase()).data ?? null;
  if (mechanism !== null) words.shift();
  return { component, mechanism, text: words.join(' ') || null };
}
