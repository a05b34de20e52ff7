// A rerun: the stored alert of a session, published once more. The message says of which session.

import { TerminalError } from '../../errors.ts';
import { MARK } from '../../masking/marks.ts';
import { alertBodyType, paths, sessionType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import { parseJson } from '../../text/json.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { attributesOf } from '../tenants/alertContext.ts';

/** The attribute of an alert's message that names the session whose alert it is again. */
const RERUN_OF = 'rerunOf';
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/** What is published to investigate a session's alert once more. */
interface Rerun {
  session: Session;
  /** The alert as it is stored: what stands for secrets in it are marks, because nothing else is stored. */
  data: Buffer;
  attributes: Record<string, string>;
}

/** Why there is nothing to publish. */
export type NoRerun =
  | { kind: 'unknown_session' }
  /** A session that a question opened. */
  | { kind: 'no_alert' }
  /** The body of the alert, or a part of it, was deleted. */
  | { kind: 'no_body' };

/**
 * The alert of a session, ready to be published again, for the tenant and the user it was for.
 * @param chain the chain to run; without it the configuration chooses, as for any alert.
 * @throws RetryableError when the store fails; TerminalError for documents that cannot be read.
 */
export async function prepareRerun(
  sessionId: string,
  chain: string | undefined,
  { store }: Pick<StateDeps, 'store'>,
): Promise<({ kind: 'rerun' } & Rerun) | NoRerun> {
  const [session, body] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.list({ collection: paths.alertBodies(sessionId) }, alertBodyType),
  ]);
  if (session === undefined) return { kind: 'unknown_session' };
  if (session.value.alert === null) return { kind: 'no_alert' };
  const isWhole = body.length > 0 && body.every(({ value }, index) => value.part === index + 1);
  if (!isWhole) return { kind: 'no_body' };
  const data = Buffer.from(withQuotedMarks(body.map(({ value }) => value.text).join('')));
  const owner = attributesOf(session.value);
  const attributes = { [RERUN_OF]: sessionId, ...owner, ...(chain !== undefined && { chain }) };
  return { kind: 'rerun', session: session.value, data, attributes };
}

/** A mark may stand in JSON where a number stood. As a string it leaves JSON what it was. */
function withQuotedMarks(body: string): string {
  if (parseJson(body) !== undefined) return body;
  const stringOrMark = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${MARK.source}`, 'g');
  const quoted = body.replace(stringOrMark, (found) =>
    found.startsWith('"') ? found : JSON.stringify(found),
  );
  return parseJson(quoted) === undefined ? body : quoted;
}

/**
 * The session that an alert's message says it is a rerun of; null for any other alert.
 * @throws TerminalError `MESSAGE_MALFORMED` when the attribute can be no id of a session.
 */
export function readRerunOf(attributes: Record<string, string>): string | null {
  const rerunOf = attributes[RERUN_OF];
  if (rerunOf === undefined) return null;
  if (SESSION_ID.test(rerunOf)) return rerunOf;
  throw new TerminalError(
    'MESSAGE_MALFORMED',
    `attribute ${RERUN_OF}: not the id of a session; leave it out for an alert that is no rerun`,
  );
}
