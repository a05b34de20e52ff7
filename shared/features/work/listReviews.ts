// Lists who works on a tenant's sessions and how they rated analyses, newest sessions first.

import * as z from 'zod';
import { listAllDocuments, type RawDocument, type RawDocuments } from '../../contract/rawDocuments.ts';
import { TERMINAL_STATUSES } from '../../core/schema/common.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { numberAt, textAt, timeAt } from '../../kits/views/fieldAt.ts';
import { listSessions } from '../../kits/views/listSessions.ts';
import { listNewestRatings } from '../../kits/views/newestRatings.ts';
import { partialFault, VERSION_FIELD } from '../../kits/views/partialFault.ts';
import { nextSchema } from '../../kits/views/readPage.ts';
import { WORK_KINDS, workType } from '../../kits/work/work.ts';
import { workState } from '../../kits/work/workState.ts';

/** Sessions of one page. */
const MAX_SESSIONS = 100;
const ENDED = new Set<string>(TERMINAL_STATUSES);

const ratings = z.int().describe('Number of people');

/** A page of reviews: how many people gave each rating, and who works on the sessions. */
export const reviewPageSchema = z.strictObject({
  reviews: z.array(
    z.strictObject({
      sessionId: z.string(),
      right: ratings,
      partly: ratings,
      wrong: ratings,
    }),
  ),
  work: z.array(
    z.strictObject({
      sessionId: z.string(),
      claimedBy: z.string().nullable().describe('Who works on it'),
      resolvedBy: z.string().nullable(),
    }),
  ),
  sessions: z.int().describe('Number of sessions that this page covers'),
  unreadable: unreadableSchema,
  next: nextSchema,
});
type ReviewPage = z.infer<typeof reviewPageSchema>;

/**
 * The reviews of the sessions that were opened since a time. Reviews are those of ended sessions.
 * @param after `next` of the previous page.
 * @returns undefined for an `after` that belongs to no such page.
 * @throws RetryableError when the store fails.
 */
export async function listReviews(
  { since, after }: { since: Date; after?: string | undefined },
  tenantId: string,
  { documents }: { documents: RawDocuments },
): Promise<ReviewPage | undefined> {
  const request = {
    filter: { since },
    after,
    limit: MAX_SESSIONS,
    fields: ['status'],
  };
  const page = await listSessions(request, tenantId, documents);
  if (page === undefined) return undefined;
  const ended = page.found.filter(({ fields }) => ENDED.has(textAt(fields, 'status') ?? ''));
  const entries = await readEntries(page.found, documents);
  const unreadable = entries.flatMap((entry) => partialFault(entry, workType, 'kind') ?? []);
  const bySession = Map.groupBy(entries, ({ path }) => sessionIdIn(path));
  const reviews = ended.flatMap(({ id }) => {
    const given = listNewestRatings(bySession.get(id) ?? []);
    if (given.length === 0) return [];
    const countRatings = (rating: string) => given.filter((one) => one === rating).length;
    const counts = {
      right: countRatings('right'),
      partly: countRatings('partly'),
      wrong: countRatings('wrong'),
    };
    return [{ sessionId: id, ...counts }];
  });
  const work = page.found.flatMap(({ id }) => readSessionWork(id, bySession.get(id) ?? []));
  return { reviews, work, sessions: page.found.length, unreadable, next: page.next };
}

/** Who works on a session; nothing when it is neither claimed nor resolved. */
function readSessionWork(sessionId: string, entries: readonly RawDocument[]): ReviewPage['work'] {
  const { claimedBy, resolved } = workState(
    entries.flatMap(({ fields }) => {
      const kind = WORK_KINDS.find((one) => one === textAt(fields, 'kind'));
      const [by, createdAt] = [textAt(fields, 'by'), timeAt(fields, 'createdAt')];
      if (kind === undefined || by === null || createdAt === null) return [];
      return [
        { kind, by, number: numberAt(fields, 'number') ?? 0, createdAt: new Date(createdAt), review: null },
      ];
    }),
  );
  if (claimedBy === null && resolved === null) return [];
  return [{ sessionId, claimedBy, resolvedBy: resolved?.by ?? null }];
}

/** The entries of sessions. */
async function readEntries(
  sessions: readonly RawDocument[],
  documents: RawDocuments,
): Promise<RawDocument[]> {
  const fields = ['by', 'number', 'kind', 'createdAt', 'review.rating', VERSION_FIELD];
  const read = sessions.map(({ id }) => listAllDocuments(workType.paths.allWork(id), fields, documents));
  return (await Promise.all(read)).flat();
}

/** The session of `sessions/{sessionId}/work/{n}`. */
const sessionIdIn = (path: string): string => path.split('/')[1] ?? '';
