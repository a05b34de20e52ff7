// The route that investigates the alert of a session again.

import * as z from 'zod';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { ALERT_PROBLEMS, alertAnswerSchema } from '../../api/http/submitAlert.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { RERUN_ATTRIBUTE } from '../../kits/alerts/rerun.ts';
import { deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { readStoredBody } from '../../kits/views/alerts/storedBody.ts';

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

/** The message that investigates a session's alert again. */
interface Rerun {
  /** The session whose alert is repeated. */
  session: Session;
  /** The alert as it is stored, with marks in place of secrets. */
  data: Buffer;
  /** The attributes of the new message: the id of the session, its owner, and a chain if one is given. */
  attributes: Record<string, string>;
}

/** Why there is nothing to publish. */
type NoRerun =
  | { kind: 'unknown_session' }
  /** A question opened the session. */
  | { kind: 'no_alert' }
  /** The body of the alert, or a part of it, was deleted. */
  | { kind: 'no_body' };

/**
 * Prepares the alert of a session for publication with the same tenant and user.
 * @param chain the chain to run. Default: the configuration selects it, as for any alert.
 * @throws RetryableError when the store fails; TerminalError for documents that cannot be read.
 */
export async function prepareRerun(
  sessionId: string,
  chain: string | undefined,
  { store }: Pick<StateDeps, 'store'>,
): Promise<({ kind: 'rerun' } & Rerun) | NoRerun> {
  const [session, data] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    readStoredBody(sessionId, store),
  ]);
  if (session === undefined) return { kind: 'unknown_session' };
  if (readSessionAlert(session.value) === null) return { kind: 'no_alert' };
  if (data === undefined) return { kind: 'no_body' };
  const owner = buildTenantAttributes(session.value);
  const attributes = { [RERUN_ATTRIBUTE]: sessionId, ...owner, ...(chain !== undefined && { chain }) };
  return { kind: 'rerun', session: session.value, data, attributes };
}
