// The whole visible text of a session's entry, and its confirmation by a reviewer for prompts.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { wholeEntry } from '../../search/describeResult.ts';
import { type Knowledge, knowledgeType, type Origin } from '../../search/knowledge.ts';
import { isLive, type Scope } from '../../search/readEntry.ts';
import { visibleEntry } from '../../search/trust.ts';

/** The text of an entry as prompts contain it once it is confirmed. */
export const confirmableTextSchema = z.strictObject({
  text: z
    .string()
    .describe('Title, labels, links and text, with visible marks for hidden characters and gaps'),
  /** A confirmation names it, so that no one confirms a text that was not shown. */
  digest: z.string().describe('SHA-256 of `text`, in hexadecimal digits'),
  confirmedBy: z.string().nullable().describe('The reviewer who confirmed the text'),
});
type ConfirmableText = z.infer<typeof confirmableTextSchema>;

type TextOutcome =
  | ({ kind: 'confirmed' } & ConfirmableText)
  /** There is no entry of a session that the person can see. */
  | { kind: 'unknown' }
  /** The digest is of another text. */
  | { kind: 'other_text' }
  /** Reviews do not confirm the entry, or the person is not one of its reviewers. */
  | { kind: 'no_review' };

/**
 * The text of a session's entry; undefined where the person can see no such entry.
 * @throws RetryableError when the store fails; TerminalError for an unreadable entry.
 */
export async function readConfirmableText(
  key: string,
  scope: Scope,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<ConfirmableText | undefined> {
  const stored = await store.get(knowledgeType.paths.knowledgeEntry(scope.tenantId, key), knowledgeType);
  const found = findVisible(stored, scope, clock.now());
  return found && confirmableText(found.entry, found.origin);
}

/**
 * Confirms the text for prompts in the name of a reviewer who rated the analysis as right.
 * @param digest that of the text that the reviewer was shown.
 * @throws RetryableError when other writers keep changing the entry, or the store fails; TerminalError for an
 * unreadable entry.
 */
export function confirmText(
  key: string,
  digest: string,
  { by, ...scope }: Scope & { by: string },
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<TextOutcome> {
  const path = knowledgeType.paths.knowledgeEntry(scope.tenantId, key);
  return retryLostRaces<TextOutcome>(`entry ${key}`, SESSION_RACES, async () => {
    const stored = await store.get(path, knowledgeType);
    const found = findVisible(stored, scope, clock.now());
    if (stored === undefined || found === undefined) return { kind: 'unknown' };
    const { entry, origin } = found;
    const shown = confirmableText(entry, origin);
    if (shown.digest !== digest) return { kind: 'other_text' };
    if (origin.trust !== 'confirmed' || !origin.reviewedBy.includes(by)) return { kind: 'no_review' };
    const confirmed = { ...entry, session: { ...origin, textBy: by } };
    const { ok } = await store.commit([replaceDocument(path, knowledgeType, confirmed, stored.version)]);
    return ok ? { kind: 'confirmed', ...shown, confirmedBy: by } : RACE_LOST;
  });
}

function findVisible(
  stored: Stored<Knowledge> | undefined,
  { userId }: Scope,
  now: Date,
): { entry: Knowledge; origin: Origin } | undefined {
  const entry = stored?.value;
  if (!entry?.session || !isLive(entry, now)) return undefined;
  return entry.userId === null || entry.userId === userId ? { entry, origin: entry.session } : undefined;
}

function confirmableText(entry: Knowledge, { textBy }: Origin): ConfirmableText {
  const text = wholeEntry({ ...entry, ...visibleEntry(entry) });
  return { text, digest: createHash('sha256').update(text).digest('hex'), confirmedBy: textBy };
}
