// The trust of entries that sessions left, and the part of an entry that a prompt can hold. Pure.

import { mechanismSchema } from '../evidence/schema/mechanism.ts';
import { quoteText } from '../text/cut.ts';
import { showWhole } from '../text/hiddenCharacters.ts';
import { parseResource } from '../text/resource.ts';
import { sessionReference } from '../text/sessionReference.ts';
import type { Knowledge, Origin, Trust } from './knowledge.ts';
import type { Review } from './review.ts';

/** Characters of the words of all reviewers. */
const MAX_SAID = 1_000;
/** Words of letters in a part of a name: more of them are a sentence with hyphens. */
const MAX_WORDS = 4;

/**
 * The origin of an entry after reviews of its session. Only reviews that agree decide: all `right` confirm,
 * all `wrong` refute. A confirmed entry gets the component and the mechanism that its newest reviewer named.
 * People who decided before stay in `reviewedBy`, so that `forget` also finds the entries of a withdrawn
 * confirmation. The confirmation of the text ends when reviews no longer confirm the entry.
 * @param reviews the newest of each person, the newest first.
 */
export function reviewedOrigin(origin: Origin, reviews: readonly { by: string; review: Review }[]): Origin {
  const ratings = new Set(reviews.map(({ review }) => review.rating));
  const isDecided = ratings.size === 1 && !ratings.has('partly');
  const open: Origin = { ...origin, trust: 'unreviewed', words: null, textBy: null };
  if (!isDecided) return open;
  const reviewedBy = reviews.map(({ by }) => by);
  const words = joinWords(reviews.map(({ review }) => review));
  if (ratings.has('wrong')) return { ...open, trust: 'refuted', reviewedBy, words };
  const cause = reviews.find(({ review }) => review.cause !== null)?.review.cause;
  const mechanism = mechanismSchema.safeParse(cause?.mechanism).data ?? origin.mechanism;
  return {
    ...open,
    trust: 'confirmed',
    reviewedBy,
    words,
    textBy: origin.textBy,
    mechanism,
    component: cause?.component ?? origin.component,
  };
}

/** Cause, action and missed facts of all reviews, cut; null without any. */
function joinWords(reviews: readonly Review[]): string | null {
  const words = reviews.flatMap(({ cause, action, missed }) => [
    ...(cause?.text ? [`Cause: ${cause.text}`] : []),
    ...(action ? [`Helped: ${action}`] : []),
    ...(missed ? [`Missed: ${missed}`] : []),
  ]);
  return quoteText(words.join('. '), MAX_SAID) || null;
}

/**
 * The origin of an entry after a check whether its problem is over: an outcome that held corroborates a
 * verdict that named a cause, and one that no longer holds takes that back. Only people confirm and refute.
 * @param verdict null where the claims were not checked.
 */
export function outcomeOrigin(origin: Origin, outcome: string | null, verdict: string | null): Origin {
  const isOpen = origin.trust === 'unreviewed' || origin.trust === 'corroborated';
  if (!isOpen) return origin;
  const isSupported = outcome === 'held' && (verdict === 'confirmed' || verdict === 'likely');
  return { ...origin, trust: isSupported ? 'corroborated' : 'unreviewed' };
}

/** The trust that decides how an entry is shown: entries of people count as confirmed. */
export function chooseTrust({ session }: Pick<Knowledge, 'session'>): Trust {
  return session?.trust ?? 'confirmed';
}

/** Whether an entry can be in an unsearched prompt: a person wrote or confirmed it. */
export function isConfirmed(entry: Pick<Knowledge, 'session'>): boolean {
  return chooseTrust(entry) === 'confirmed';
}

type Shown = Pick<Knowledge, 'key' | 'title' | 'text' | 'labels' | 'links' | 'session'>;

/**
 * The entry as prompts contain it. The texts of a session's entry come from an alert, results and an analysis
 * of them, so a sentence of an outsider would reach every later session. Prompts get them only if a reviewer
 * confirmed the text itself, otherwise component, mechanism, the reviewers' own words and references to
 * sessions.
 */
export function forPrompt<T extends Shown>(entry: T): T {
  const { session } = entry;
  if (session === null) return entry;
  const isTextConfirmed = isConfirmed(entry) && session.textBy !== null;
  return isTextConfirmed ? { ...entry, ...visibleEntry(entry) } : { ...entry, ...factsOnly(entry, session) };
}

/** A session's entry with all of its text, as a reviewer confirms it and prompts contain it afterwards. */
export function visibleEntry({ title, text, labels, ...entry }: Shown): Shown {
  const shown = Object.entries(labels).map((pair) => pair.map(showWhole));
  return {
    ...entry,
    ...references(entry),
    title: showWhole(title),
    text: showWhole(text),
    labels: Object.fromEntries(shown) as Record<string, string>,
  };
}

function factsOnly(entry: Shown, { sessionId, trust, component, mechanism, words }: Origin): Partial<Shown> {
  const named = component !== null && isPlainResourceName(component) ? component : 'not named';
  const reviewed = trust === 'refuted' ? 'A person rated it wrong' : 'In the words of the reviewers';
  const text = [
    `Component: ${named}. Mechanism: ${mechanism ?? 'not named'}.`,
    ...(words !== null || trust === 'refuted' ? [`${reviewed}: ${words ?? 'no reason was given'}.`] : []),
  ].join('\n');
  return { ...references(entry), title: `session ${sessionReference(sessionId)}`, labels: {}, text };
}

function references({ key, links }: Pick<Shown, 'key' | 'links'>): Pick<Shown, 'key' | 'links'> {
  return {
    key: sessionReference(key),
    links: links.map((link) => ({ ...link, key: sessionReference(link.key) })),
  };
}

/** Whether a text is the canonical name of a resource, and no sentence in the form of one. */
function isPlainResourceName(text: string): boolean {
  const words = (part: string): number => part.split(/[^\p{L}]+/u).filter((word) => word.length > 1).length;
  return parseResource(text) !== undefined && text.split(/[/:]/).every((part) => words(part) <= MAX_WORDS);
}
