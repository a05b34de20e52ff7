// The route that investigates the alert of a session again.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { ALERT_PROBLEMS, alertAnswerSchema } from '../../api/http/submitAlert.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { type NoRerun, prepareRerun } from './prepareRerun.ts';

const NO_RERUN: Record<Exclude<NoRerun['kind'], 'unknown_session'>, string> = {
  no_alert: 'was opened by a question: it has no alert to investigate again',
  no_body: 'no longer has the complete alert: publish the alert again from its source',
};

const rerun = defineRoute({
  method: 'post',
  role: 'responder',
  params: sessionParams,
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

/** The route of reruns. */
export const RERUN_ROUTES = [rerun];
