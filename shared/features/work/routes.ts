// Actions of people on a session: its owner, notes, actions, resolution, and reviews of its analysis.

import * as z from 'zod';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import {
  cursorSchema,
  pageQuery,
  sessionParams,
  textSchema,
  unknownSession,
} from '../../api/http/schemas.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { mechanismSchema } from '../../evidence/schema/mechanism.ts';
import { nextSchema, readPage } from '../../kits/views/readPage.ts';
import { addWork } from '../../kits/work/addWork.ts';
import {
  MAX_WORK,
  MAX_WORK_TEXT,
  WORK_KINDS,
  type WorkEntry,
  workSchema,
  workType,
} from '../../kits/work/work.ts';
import { workState, workStateSchema } from '../../kits/work/workState.ts';
import { type Review, reviewSchema } from '../../search/review.ts';
import { utcDay } from '../../text/utcPeriod.ts';
import { calibrationSchema, reportCalibration } from './calibrationReport.ts';
import { listReviews, reviewPageSchema } from './listReviews.ts';

const entryAnswer = workSchema.omit({ expireAt: true });

const text = textSchema.max(MAX_WORK_TEXT);
const NEEDS_TEXT = new Set(['note', 'action']);
const workBody = z
  .strictObject({
    kind: z.enum(WORK_KINDS),
    text: text.optional().describe('Required for `note` and `action`'),
    review: z
      .strictObject({
        rating: reviewSchema.shape.rating,
        cause: z
          .strictObject({
            component: text.optional(),
            mechanism: mechanismSchema.optional(),
            text: text.optional(),
          })
          .optional(),
        action: text.optional(),
        missed: text.optional(),
      })
      .optional()
      .describe('Required for `review`, and only for it'),
    seen: z
      .int()
      .nonnegative()
      .optional()
      .describe('How many entries the caller has seen; refused if there are others'),
  })
  .refine(({ kind, review }) => (kind === 'review') === (review !== undefined), {
    error: 'a `review` needs its rating, and no other kind has one',
    path: ['review'],
  })
  .refine(({ kind, text: given }) => given !== undefined || !NEEDS_TEXT.has(kind), {
    error: 'is required for a note and an action',
    path: ['text'],
  });

/** A review as it is stored: parts that are absent are null. */
function completed({ rating, cause, action, missed }: GivenReview): Review {
  const { component, mechanism, text: words } = cause ?? {};
  const known = {
    component: component ?? null,
    mechanism: mechanism ?? null,
    text: words ?? null,
  };
  return {
    rating,
    action: action ?? null,
    missed: missed ?? null,
    cause: cause === undefined ? null : known,
  };
}

type GivenReview = NonNullable<z.output<typeof workBody>['review']>;

const add = defineRoute({
  method: 'post',
  role: 'responder',
  params: sessionParams,
  path: '/v1/sessions/{sessionId}/work',
  id: 'addWork',
  summary: 'Records an action of a person on a session, also after it ended',
  description:
    'Kinds: `claim`, `release`, `note`, `action` (a change made outside of Inquest), `resolve`, `review`. The entry is masked and stands in the timeline.',
  body: workBody,
  status: 201,
  answer: z.strictObject({ entry: entryAnswer, ...workStateSchema.shape }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, body, caller }, deps) {
    const { kind, text: given = null, review, seen = null } = body;
    const outcome = await addWork(
      sessionId,
      {
        kind,
        text: given,
        seen,
        by: caller.name,
        review: review === undefined ? null : completed(review),
      },
      deps,
    );
    switch (outcome.kind) {
      case 'added': {
        const { expireAt: _, ...entry } = outcome.entry;
        return { entry, ...outcome.state };
      }
      case 'unknown_session':
        throw unknownSession(sessionId);
      case 'no_analysis':
        throw new Problem('SESSION_STATE', `session ${sessionId} has no analysis to review`);
      case 'changed':
        throw new Problem(
          'SESSION_STATE',
          `entries of session ${sessionId}: ${outcome.entries}, of which you have seen ${seen}; read them first`,
        );
      case 'too_many':
        throw new Problem(
          'SESSION_STATE',
          `session ${sessionId} has ${MAX_WORK} entries, the most it can have`,
        );
    }
  },
});

const list = defineRoute({
  method: 'get',
  role: 'viewer',
  params: sessionParams,
  path: '/v1/sessions/{sessionId}/work',
  id: 'listWork',
  summary: 'The actions of people on a session: its entries in order, and the state that follows from them',
  description:
    'The state follows from the entries of the page. With the default `limit` these are all that a session can have.',
  query: z.strictObject(pageQuery({ usual: MAX_WORK })),
  status: 200,
  answer: z.strictObject({
    entries: z.array(entryAnswer),
    ...workStateSchema.shape,
    unreadable: unreadableSchema,
    next: nextSchema,
  }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId }, query }, { store }) {
    const collection = workType.paths.allWork(sessionId);
    const show = (_: string, { expireAt: _end, ...entry }: WorkEntry) => entry;
    // The state needs all entries of the page.
    const request = { collection, type: workType, ...query, maxBytes: Number.POSITIVE_INFINITY, show };
    const { items: entries, ...page } = await readPage(request, store);
    const isEmpty = entries.length + page.unreadable.length === 0;
    if (isEmpty && (await store.get(paths.session(sessionId), sessionType)) === undefined)
      throw unknownSession(sessionId);
    return { entries, ...workState(entries), ...page };
  },
});

const DAY_MS = 24 * 3_600_000;

const days = z.coerce
  .number<number>()
  .int()
  .min(1)
  .max(90)
  .default(30)
  .describe('Number of days, including today');

const reviews = defineRoute({
  method: 'get',
  role: 'viewer',
  path: '/v1/reviews',
  id: 'listReviews',
  summary: 'How people rated the analyses of sessions, and who works on them',
  description:
    'Of the stored sessions that were opened in the last `days`, the newest first: in `reviews` those that have a review, in `work` those that are claimed or resolved. A page covers 100 sessions. Of several reviews by one person, the newest counts.',
  query: z.strictObject({
    days,
    after: cursorSchema.optional().describe('`next` of the previous page'),
  }),
  status: 200,
  answer: reviewPageSchema,
  async handle({ query: { days: last, after }, caller: { tenantId } }, deps) {
    const { documents, clock } = deps;
    const since = new Date(utcDay(new Date(clock.now().getTime() - (last - 1) * DAY_MS)));
    const page = await listReviews({ since, after }, tenantId, { documents });
    if (page !== undefined) return page;
    throw invalidField('query.after', `${after} is of no such page; use \`next\` of a page of reviews`);
  },
});

const calibration = defineRoute({
  method: 'get',
  role: 'viewer',
  path: '/v1/calibration',
  id: 'reportCalibration',
  summary: 'How often analyses were right, by chain, models and verdict, and the scores of judge models',
  description:
    'Of the ended sessions that were opened in the last `days`, as the sweep has counted them. Of several reviews by one person, the newest counts.',
  query: z.strictObject({ days }),
  status: 200,
  answer: calibrationSchema.extend({ now: z.date() }),
  async handle({ query: { days: last }, caller: { tenantId } }, { store, clock }) {
    const now = clock.now();
    return { ...(await reportCalibration({ days: last, now }, tenantId, store)), now };
  },
});

/** The routes of the work on sessions. */
export const WORK_ROUTES = [add, list, reviews, calibration];
