// The trust of entries that sessions left, and the part of an entry that a prompt can hold. Pure.

import type { Knowledge, Origin, Trust } from '../schema/features/knowledge.ts';
import { mechanismSchema } from '../schema/features/mechanism.ts';
import type { Review } from '../schema/features/work.ts';
import { quoteText } from '../text/quote.ts';
import { parseResource } from '../text/resource.ts';

/** Characters of the reason of a refuted entry. */
const MAX_REASON = 1_000;
/** Pointers to evidence in a prompt. */
const MAX_POINTERS = 10;
/** Words of letters in a part of a name: more of them are a sentence with hyphens. */
const MAX_WORDS = 4;

/**
 * The origin of an entry after reviews of its session. Only reviews that agree decide: all `right` confirm, all `wrong`
 * refute. A confirmed entry gets the component and the mechanism that its newest reviewer named. People who decided before stay
 * in `reviewedBy`, so that `forget` also finds the entries of a withdrawn confirmation.
 * @param reviews the newest of each person, the newest first.
 */
export function reviewedOrigin(origin: Origin, reviews: readonly { by: string; review: Review }[]): Origin {
  const ratings = new Set(reviews.map(({ review }) => review.rating));
  const isDecided = ratings.size === 1 && !ratings.has('partly');
  const open: Origin = { ...origin, trust: 'unreviewed', reason: null };
  if (!isDecided) return open;
  const reviewedBy = reviews.map(({ by }) => by);
  if (ratings.has('wrong')) {
    const words = reviews.flatMap(({ review: { cause, missed } }) =>
      [cause?.text ?? [], missed ?? []].flat(),
    );
    return { ...open, trust: 'refuted', reviewedBy, reason: quoteText(words.join('. '), MAX_REASON) || null };
  }
  const cause = reviews.find(({ review }) => review.cause !== null)?.review.cause;
  const mechanism = mechanismSchema.safeParse(cause?.mechanism).data ?? origin.mechanism;
  return {
    ...open,
    trust: 'confirmed',
    reviewedBy,
    mechanism,
    component: cause?.component ?? origin.component,
  };
}

/**
 * The origin of an entry after a check whether its problem is over: an outcome that held corroborates a verdict that named a
 * cause, and one that no longer holds takes that back. Only people confirm and refute.
 * @param verdict null where the claims were not checked.
 */
export function outcomeOrigin(origin: Origin, outcome: string | null, verdict: string | null): Origin {
  const isOpen = origin.trust === 'unreviewed' || origin.trust === 'corroborated';
  if (!isOpen) return origin;
  const isSupported = outcome === 'held' && (verdict === 'confirmed' || verdict === 'likely');
  return { ...origin, trust: isSupported ? 'corroborated' : 'unreviewed' };
}

/** The trust that decides how an entry is shown: entries of people count as confirmed. */
export function trustOf({ session }: Pick<Knowledge, 'session'>): Trust {
  return session?.trust ?? 'confirmed';
}

/** Whether an entry can stand in a prompt although no one searched for it: it is of a person, or a person confirmed it. */
export function isConfirmed(entry: Pick<Knowledge, 'session'>): boolean {
  return trustOf(entry) === 'confirmed';
}

/**
 * The entry as prompts show it. Without title, labels and text if its session read text from outside, and until a person
 * confirmed it: a sentence in a log or an alert would reach every later session. A refuted one has the reason in the place of
 * its text.
 */
export function forPrompt<T extends Pick<Knowledge, 'title' | 'text' | 'labels' | 'session'>>(entry: T): T {
  const { session } = entry;
  if (session === null) return entry;
  const isRefuted = session.trust === 'refuted';
  if (isConfirmed(entry) && !session.exposed) return entry;
  const reason = isRefuted ? [`A person rated it wrong: ${session.reason ?? 'no reason was given'}.`] : [];
  const text = [...reason, factsOf(session)].join('\n');
  return { ...entry, title: `session ${session.sessionId}`, labels: {}, text };
}

/** Whether a text is the canonical name of a resource, and no sentence in the form of one. */
function isName(text: string): boolean {
  const words = (part: string): number => part.split(/[^\p{L}]+/u).filter((word) => word.length > 1).length;
  return parseResource(text) !== undefined && text.split(/[/:]/).every((part) => words(part) <= MAX_WORDS);
}

function factsOf({ component, mechanism, verdict, evidence }: Origin): string {
  const named = component !== null && isName(component) ? component : 'not named';
  return [
    `Component: ${named}. Mechanism: ${mechanism ?? 'not named'}. Verdict: ${verdict ?? 'not checked'}.`,
    `Evidence in its session: ${evidence.slice(0, MAX_POINTERS).join(', ') || 'none'}.`,
  ].join('\n');
}
