// Prepares a rerun: the stored alert of a session, published again with the id of that session.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { RERUN_ATTRIBUTE } from '../../kits/alerts/rerun.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { readStoredBody } from '../../kits/views/alerts/storedBody.ts';

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
export type NoRerun =
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
