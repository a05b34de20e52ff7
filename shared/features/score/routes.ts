// The routes of the score of a session.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { InquestError } from '../../core/errors.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { sessionScoreSchema, sessionScoreType } from '../../kits/judge/sessionScore.ts';
import { scoreSession } from './scoreSession.ts';

const scoreAnswer = sessionScoreSchema.omit({ expireAt: true });

const score = defineRoute({
  method: 'post',
  role: 'responder',
  params: sessionParams,
  path: '/v1/sessions/{sessionId}/score',
  id: 'scoreSession',
  summary: 'Has a judge model score an ended investigation, once',
  description:
    'Off unless system.yaml names a model as `judgeModel`. A session that has a score keeps it, and no model is asked again.',
  body: z.strictObject({}).optional(),
  status: 200,
  answer: z.strictObject({
    score: scoreAnswer,
    isNew: z.boolean().describe('Whether this request made it'),
  }),
  problems: ['NOT_FOUND', 'SESSION_UNKNOWN', 'SESSION_STATE', 'BUDGET_REACHED', 'ANSWER_FAILED'],
  async handle({ params: { sessionId }, caller }, deps) {
    const outcome = await scoreSession(sessionId, { judge: deps.judge?.(), by: caller.name }, deps).catch(
      asProblem,
    );
    switch (outcome.kind) {
      case 'scored': {
        const { expireAt: _, ...shown } = outcome.score;
        return { score: shown, isNew: outcome.isNew };
      }
      case 'off':
        throw new Problem(
          'NOT_FOUND',
          'scores are off; name a model of models.yaml as judgeModel in system.yaml',
        );
      case 'unknown_session':
        throw unknownSession(sessionId);
      case 'not_ended':
        throw new Problem('SESSION_STATE', `session ${sessionId} has no ended investigation to score`);
      case 'budget':
        throw new Problem('BUDGET_REACHED', `no tokens are left for a score: raise ${outcome.budget}`);
      case 'unreadable':
        throw new Problem(
          'ANSWER_FAILED',
          'the answer of the judge has another form; send the request again',
        );
    }
  },
});

/** Failures of models are no failures of the system: the caller can try again. */
function asProblem(error: unknown): never {
  const isOfModel = error instanceof InquestError && error.code.startsWith('MODEL_');
  throw isOfModel ? new Problem('ANSWER_FAILED', `the judge did not answer: ${error.message}`) : error;
}

const get = defineRoute({
  method: 'get',
  role: 'viewer',
  params: sessionParams,
  path: '/v1/sessions/{sessionId}/score',
  id: 'getScore',
  summary: 'The score of an investigation',
  status: 200,
  answer: z.strictObject({ score: scoreAnswer.nullable().describe('Null while it has none') }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId } }, { store }) {
    const stored = await store.get(sessionScoreType.paths.score(sessionId), sessionScoreType);
    if (stored === undefined) {
      if ((await store.get(paths.session(sessionId), sessionType)) === undefined)
        throw unknownSession(sessionId);
      return { score: null };
    }
    const { expireAt: _, ...shown } = stored.value;
    return { score: shown };
  },
});

/** The routes of scores. */
export const SCORE_ROUTES = [score, get];
