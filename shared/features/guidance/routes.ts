// Routes that act on a session: cancel, start, rerun, pause, resume, guide and rate.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { reasonSchema, sessionParams, textSchema, unknownSession } from '../../api/http/schemas.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { putDocument } from '../../core/contract/store.ts';
import { feedbackSchema } from '../../core/schema/control.ts';
import { feedbackType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { cancelSession } from '../../core/session/cancelSession.ts';
import { startDeferred } from '../../core/session/startDeferred.ts';
import { deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { addGuidance, guidanceFault, MAX_GUIDANCE } from '../../kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../../kits/steering/pauseSession.ts';
import { isNotSteered, type NotSteered } from '../../kits/steering/steerSession.ts';
import { guidanceStateSchema, listGuidance } from '../../kits/views/listGuidance.ts';
import { type Unreadable, unreadableSchema } from '../../schema/readable.ts';
import { ALERT_PROBLEMS, alertAnswerSchema } from '../alerts/routes.ts';
import { type NoRerun, prepareRerun } from '../rerun/prepareRerun.ts';

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

const NO_RERUN: Record<Exclude<NoRerun['kind'], 'unknown_session'>, string> = {
  no_alert: 'was opened by a question: it has no alert to investigate again',
  no_body: 'no longer has the complete alert: publish the alert again from its source',
};

const rerun = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/rerun',
  id: 'rerunSession',
  summary: 'Investigates the alert of a session again with the current configuration',
  description: 'Each call opens a new session, whose `rerunOf` names this one.',
  body: z.strictObject({ chain: z.string().min(1).max(200).optional() }).optional(),
  status: 202,
  answer: alertAnswerSchema.extend({ chain: z.string().describe('That the session ran') }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE', ...ALERT_PROBLEMS],
  async handle({ params: { sessionId }, body }, { store, publisher, checkAlert }) {
    const prepared = await prepareRerun(sessionId, body?.chain, { store });
    if (prepared.kind === 'unknown_session') throw unknownSession(sessionId);
    if (prepared.kind !== 'rerun')
      throw new Problem('SESSION_STATE', `session ${sessionId} ${NO_RERUN[prepared.kind]}`);
    const { session, data, attributes } = prepared;
    const { alert } = await checkAlert(data, attributes);
    const messageId = await publisher.publish(TOPICS.alerts, data, attributes);
    return { messageId, alertKey: deriveAlertKey({ messageId, data }), alert, chain: session.chain.name };
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

const guide = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/guidance',
  id: 'tellSession',
  summary: 'Gives guidance to the agents of an investigation',
  description:
    'Every agent gets it with its next model call. The same text by the same person is stored once.',
  body: z.strictObject({ text: textSchema }),
  status: 200,
  answer: z.strictObject({
    outcome: z.enum(['told', 'told_before']),
    guidance: guidanceStateSchema.shape.guidance,
    isPaused: z.boolean(),
  }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, body: { text }, caller }, deps) {
    const fault = guidanceFault(text);
    if (fault !== undefined) throw invalidField('body.text', fault);
    const outcome = await addGuidance(sessionId, { text, by: caller.name }, deps);
    switch (outcome.kind) {
      case 'told':
      case 'told_before': {
        const { expireAt: _, ...guidance } = outcome.guidance;
        return { outcome: outcome.kind, guidance, isPaused: outcome.isPaused };
      }
      case 'concluded':
        throw new Problem(
          'SESSION_STATE',
          `session ${sessionId} has its analysis; only its summary is being written, so no agent would read it`,
        );
      case 'too_many':
        throw new Problem(
          'SESSION_STATE',
          `session ${sessionId} has ${MAX_GUIDANCE} pieces of guidance, the maximum`,
        );
      default:
        throw notSteered(sessionId, outcome, 'no agent would read it');
    }
  },
});

const listGiven = defineRoute({
  ...ofSession,
  method: 'get',
  role: 'viewer',
  path: '/v1/sessions/{sessionId}/guidance',
  id: 'listGuidance',
  summary: 'The guidance of a session, and the agents that have read it',
  status: 200,
  answer: z.strictObject({ guidance: z.array(guidanceStateSchema), unreadable: unreadableSchema }),
  async handle({ params: { sessionId } }, { store }) {
    const unreadable: Unreadable[] = [];
    const guidance = await listGuidance(sessionId, store, (one) => unreadable.push(one));
    return { guidance, unreadable };
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

/** The problem for a session that cannot be steered now. @param because `no agent would read it`. */
function notSteered(sessionId: string, outcome: NotSteered, because: string): Problem {
  if (outcome.kind === 'unknown_session') return unknownSession(sessionId);
  if (outcome.kind === 'is_chat')
    return new Problem(
      'SESSION_STATE',
      `session ${sessionId} is a chat: ask a question, or cancel the current one`,
      { remedy: 'cancelSession' },
    );
  const states: Partial<Record<typeof outcome.status, string>> = {
    deferred: 'is deferred: nothing runs until it is started',
    cancelling: `is being cancelled: ${because}`,
  };
  const why = states[outcome.status] ?? `has ended (${outcome.status}): ${because}`;
  const isDeferred = outcome.status === 'deferred';
  return new Problem('SESSION_STATE', `session ${sessionId} ${why}`, {
    ...(isDeferred && { remedy: 'startSession' }),
  });
}

/** All routes that act on an investigation. */
export const STEERING_ROUTES = [cancel, start, rerun, pause, resume, guide, listGiven, rate];
