// The question of an agent to people that is open: the last one, until a person writes.

import type { Store } from '../../core/contract/store.ts';
import { ACTION, listChainAgents } from '../../core/schema/agent.ts';
import { paths, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { numberedId } from '../../core/schema/ids.ts';
import type { Session } from '../../core/schema/session.ts';
import { compareEvents } from '../../core/schema/timelineEvent.ts';
import { type Elicit, isOfQuestion, readElicit } from '../../text/elicit.ts';
import { parseJson } from '../../text/json.ts';
import { listReadable } from '../views/readable.ts';

/** An open question of an agent to people. */
export interface OpenElicit {
  /** The id of its event. */
  eventId: string;
  elicit: Elicit;
}

/** The open question of a session; undefined without one. @throws RetryableError when the store fails. */
export async function findElicit(
  { sessionId, chain, steering }: Session,
  store: Store,
): Promise<OpenElicit | undefined> {
  const asks = listChainAgents(chain).some(({ tools, asks }) => tools.includes(ACTION) || asks !== undefined);
  // Without these, nothing can have asked, and the timeline is not read.
  if (!asks && steering.events === 0) return undefined;
  const { values } = await listReadable({ collection: paths.timeline(sessionId) }, timelineEventType, store);
  const last = values.filter(isOfQuestion).sort(compareEvents).at(-1);
  if (last?.eventType !== 'action') return undefined;
  const elicit = readElicit(parseJson(last.metadata.payload ?? ''));
  return elicit && { eventId: numberedId(last.executionId ?? '', last.sequenceNumber), elicit };
}
