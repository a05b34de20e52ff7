// Evidence that the ledger of a session has for its analysis.

import type { Claims, EventOf, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { stepId } from './address.ts';
import { shortName } from './steps.ts';

/** A line of a result that has a value. */
export interface Evidence {
  /** Address of the line within the page. */
  href: string;
  /** The place in words: `get_logs, line 38`. */
  where: string;
}

/** The evidence of texts of an analysis, by the text. */
type Ledger = ReadonlyMap<string, Evidence>;

/** A line of a result. @param line Null for the result as a whole. */
export function evidenceAt(event: EventOf<'tool_result'>, line: number | null): Evidence {
  const name = shortName(event.metadata.toolName);
  return line === null
    ? { href: `#${stepId(event)}`, where: name }
    : { href: `#${stepId(event)}:L${line}`, where: `${name}, line ${line}` };
}

/** Values and quotes that the server found. @param events of the session; unread results: no place. */
export function buildLedger({ values, evidence }: Claims, events: readonly TimelineEvent[]): Ledger {
  const results = new Map(
    events.flatMap((event) =>
      event.eventType === 'tool_result' ? [[`${event.executionId} ${event.metadata.callId}`, event]] : [],
    ),
  );
  const ledger = new Map<string, Evidence>();
  const held = [...evidence.map((item) => ({ ...item, text: item.quote ?? item.value })), ...values].filter(
    ({ state, text }) => state === 'held' && text,
  );
  for (const { text, executionId, callId, line } of held) {
    const event = results.get(`${executionId} ${callId}`);
    if (text && event !== undefined) ledger.set(text, evidenceAt(event, line));
  }
  return ledger;
}
