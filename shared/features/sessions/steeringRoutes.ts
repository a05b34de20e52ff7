// Routes that act on a session: cancel, start, pause, resume and rate.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { notSteered } from '../../api/http/notSteered.ts';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { reasonSchema, sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { putDocument } from '../../core/contract/store.ts';
import { feedbackSchema } from '../../core/schema/control.ts';
import { feedbackType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { cancelSession } from '../../core/session/cancelSession.ts';
import { startDeferred } from '../../core/session/startDeferred.ts';
import { pauseSession, resumeSession } from '../../kits/steering/pauseSession.ts';
import { isNotSteered } from '../../kits/steering/steerSession.ts';

const ofSession = { method: 'post', role: 'responder', params: sessionParams } as const;
const noBody = z.strictObject({}).optional();

const cancel = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/cancel',
  id: 'cancelSession',
  summary: 'Cancels a running investigation, or the answer to a question',
  description: 'Repeating the request has no effect. Ended sessions are not changed.',
  body: z.strictObject({ reason: reasonSchema.describe('Why, for readers of the timeline') }).optional(),
  status: 200,
  answer: z.strictObject({
    outcome: z.enum(['cancelled', 'question_cancelled', 'already_ended']),
    status: z.string().nullable().describe('The status of a session that had ended before'),
  }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId }, body, caller }, deps) {
    const reason = body?.reason === undefined ? null : deps.mask(body.reason);
    const outcome = await cancelSession(sessionId, deps, { by: caller.name, reason });
    if (outcome.kind === 'unknown_session') throw unknownSession(sessionId);
    return { outcome: outcome.kind, status: outcome.kind === 'already_ended' ? outcome.status : null };
  },
});

const start = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/start',
  id: 'startSession',
  summary: 'Starts a deferred investigation',
  body: noBody,
  status: 202,
  answer: z.strictObject({
    outcome: z.literal('started'),
    isPublished: z.boolean().describe('False if Pub/Sub did not answer; the sweep then starts it'),
  }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId } }, deps) {
    const outcome = await startDeferred(sessionId, deps);
    if (outcome.kind === 'unknown_session') throw unknownSession(sessionId);
    if (outcome.kind === 'started') return { outcome: outcome.kind, isPublished: outcome.isPublished };
    const { status, startedAt } = outcome;
    const why = startedAt === null ? 'is not deferred' : `was started at ${startedAt.toISOString()}`;
    throw new Problem('SESSION_STATE', `session ${sessionId} ${why}: it is ${status}`);
  },
});

const pausedSchema = z.strictObject({ by: z.string(), at: z.date() });

const pause = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/pause',
  id: 'pauseSession',
  summary: 'Pauses an investigation after its current iterations; its deadline is not extended',
  body: noBody,
  status: 200,
  answer: z.strictObject({ outcome: z.enum(['paused', 'already_paused']), paused: pausedSchema }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, caller }, deps) {
    const outcome = await pauseSession(sessionId, { by: caller.name }, deps);
    if (isNotSteered(outcome)) throw notSteered(sessionId, outcome, 'there is nothing to pause');
    return { outcome: outcome.kind, paused: outcome.paused };
  },
});

const resume = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/resume',
  id: 'resumeSession',
  summary: 'Resumes a paused investigation',
  body: noBody,
  status: 202,
  answer: z.strictObject({
    outcome: z.enum(['resumed', 'not_paused']),
    published: z.int().describe('Number of agents that continue'),
  }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, caller }, deps) {
    const outcome = await resumeSession(sessionId, { by: caller.name }, deps);
    if (isNotSteered(outcome)) throw notSteered(sessionId, outcome, 'there is nothing to resume');
    return { outcome: outcome.kind, published: outcome.published };
  },
});

const rate = defineRoute({
  ...ofSession,
  role: 'viewer',
  path: '/v1/sessions/{sessionId}/feedback',
  id: 'rateSession',
  summary: 'Rates the analysis of a session; the last rating of a person counts',
  body: z.strictObject({ verdict: z.enum(['helpful', 'not_helpful']), comment: reasonSchema }),
  status: 201,
  answer: feedbackSchema.omit({ expireAt: true }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, body: { verdict, comment }, caller }, { store, clock, mask }) {
    const session = (await store.get(paths.session(sessionId), sessionType))?.value;
    if (session === undefined) throw unknownSession(sessionId);
    if (session.finalAnalysis === null)
      throw new Problem('SESSION_STATE', `session ${sessionId} has no analysis: it is ${session.status}`);
    const given = {
      sessionId,
      verdict,
      givenBy: caller.name,
      createdAt: clock.now(),
      comment: comment === undefined ? null : mask(comment),
    };
    const id = createHash('sha256').update(caller.name).digest('hex').slice(0, 32);
    const stored = { ...given, expireAt: session.expireAt };
    await store.commit([putDocument(paths.feedback(sessionId, id), feedbackType, stored)]);
    return given;
  },
});

/** All routes that act on a session. */
export const STEERING_ROUTES = [cancel, start, pause, resume, rate];
