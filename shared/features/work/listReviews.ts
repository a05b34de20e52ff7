// Lists who works on a tenant's sessions and how they rated analyses, newest sessions first.

import * as z from 'zod';
import { listAllDocuments, type RawDocument, type RawDocuments } from '../../contract/rawDocuments.ts';
import { TERMINAL_STATUSES } from '../../core/schema/common.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { outcomeType } from '../../kits/alerts/outcome.ts';
import { sessionScoreType } from '../../kits/judge/sessionScore.ts';
import { numberAt, textAt, timeAt, VERDICT_FIELDS, verdictIn } from '../../kits/views/fieldAt.ts';
import { listSessions } from '../../kits/views/listSessions.ts';
import { partialFault, VERSION_FIELD } from '../../kits/views/partialFault.ts';
import { WORK_KINDS, workType } from '../../kits/work/work.ts';
import { workState } from '../../kits/work/workState.ts';

/** Sessions of one page. */
const MAX_SESSIONS = 100;
/** Calls of a session whose models are listed. */
const MAX_CALLS = 200;
const ENDED = new Set<string>(TERMINAL_STATUSES);

const ratings = z.int().describe('Number of people');

/** A page of reviews: how many people gave each rating, and who works on the sessions. */
export const reviewPageSchema = z.strictObject({
  reviews: z.array(
    z.strictObject({
      sessionId: z.string(),
      chain: z.string().nullable(),
      models: z.array(z.string()).describe('Models of its first 200 calls'),
      verdict: z.string().nullable().describe('Verdict on its claims; null where they were not checked'),
      right: ratings,
      partly: ratings,
      wrong: ratings,
      outcome: z.string().nullable().describe('Whether its problem ended: `held`, `self_resolved`, …'),
      score: z
        .strictObject({ total: z.number(), rubric: z.number(), model: z.string(), at: z.date() })
        .nullable()
        .describe('The points of a judge model, 0 to 100; null without a score'),
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
  next: z.string().nullable().describe('Value for `after`; null on the last page'),
});
type ReviewPage = z.infer<typeof reviewPageSchema>;

/**
 * The reviews of the sessions that were opened since a time. Reviews and outcomes are those of ended
 * sessions.
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
    fields: ['chain.name', 'status', ...VERDICT_FIELDS],
  };
  const page = await listSessions(request, tenantId, documents);
  if (page === undefined) return undefined;
  const ended = page.found.filter(({ fields }) => ENDED.has(textAt(fields, 'status') ?? ''));
  const entries = await readEntries(page.found, documents);
  const unreadable = entries.flatMap((entry) => partialFault(entry, workType, 'kind') ?? []);
  const bySession = Map.groupBy(entries, ({ path }) => sessionIdIn(path));
  const [outcomes, scores] = await Promise.all([
    readOutcomes(ended, documents),
    readScores(ended, documents),
  ]);
  const reviewed = ended.flatMap(({ id, fields }) => {
    const given = listNewestRatings(bySession.get(id) ?? []);
    const outcome = outcomes.get(id) ?? null;
    const score = scores.get(id) ?? null;
    return given.length === 0 && outcome === null && score === null
      ? []
      : [{ id, fields, given, outcome, score }];
  });
  const models = await Promise.all(reviewed.map(({ id }) => loadReviewedModels(id, documents)));
  const reviews = reviewed.map(
    ({ id, fields, given, outcome, score }, index): ReviewPage['reviews'][number] => {
      const countOf = (rating: string) => given.filter((one) => one === rating).length;
      const counts = { right: countOf('right'), partly: countOf('partly'), wrong: countOf('wrong') };
      const about = { chain: textAt(fields, 'chain', 'name'), verdict: verdictIn(fields) };
      return { sessionId: id, ...about, models: models[index] ?? [], ...counts, outcome, score };
    },
  );
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

async function readOutcomes(
  sessions: readonly RawDocument[],
  documents: RawDocuments,
): Promise<ReadonlyMap<string, string>> {
  const found = await documents.getMany(
    sessions.map(({ id }) => outcomeType.paths.outcome(id)),
    ['value'],
  );
  return new Map(
    found.flatMap(({ path, fields }): [string, string][] => {
      const value = textAt(fields, 'value');
      return value === null ? [] : [[sessionIdIn(path), value]];
    }),
  );
}

async function readScores(
  sessions: readonly RawDocument[],
  documents: RawDocuments,
): Promise<ReadonlyMap<string, NonNullable<ReviewPage['reviews'][number]['score']>>> {
  const found = await documents.getMany(
    sessions.map(({ id }) => sessionScoreType.paths.score(id)),
    ['total', 'rubric', 'model', 'createdAt'],
  );
  return new Map(
    found.flatMap(({ path, fields }) => {
      const [total, rubric] = [numberAt(fields, 'total'), numberAt(fields, 'rubric')];
      const [model, at] = [textAt(fields, 'model'), timeAt(fields, 'createdAt')];
      if (total === null || rubric === null || model === null || at === null) return [];
      return [[sessionIdIn(path), { total, rubric, model, at: new Date(at) }] as const];
    }),
  );
}

async function loadReviewedModels(sessionId: string, documents: RawDocuments): Promise<string[]> {
  const calls = { collection: paths.interactions(sessionId), limit: MAX_CALLS, fields: ['model'] };
  const found = await documents.list(calls);
  return [...new Set(found.flatMap(({ fields }) => textAt(fields, 'model') ?? []))].sort();
}

/** The session of `sessions/{sessionId}/work/{n}`. */
const sessionIdIn = (path: string): string => path.split('/')[1] ?? '';

/** The newest rating of each person. */
function listNewestRatings(entries: readonly RawDocument[]): string[] {
  const sorted = entries.toSorted(
    (a, b) => (numberAt(a.fields, 'number') ?? 0) - (numberAt(b.fields, 'number') ?? 0),
  );
  const ratings = sorted.flatMap(({ fields }): [string, string][] => {
    const [by, rating] = [textAt(fields, 'by'), textAt(fields, 'review', 'rating')];
    return by === null || rating === null ? [] : [[by, rating]];
  });
  return [...new Map(ratings).values()];
}
