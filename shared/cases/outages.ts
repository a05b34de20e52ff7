// Outages of servers in a recorded session, from messages to agents and events of the same iterations.

import { type InquestError, RetryableError, TerminalError } from '../core/errors.ts';
import type { RecordedSession } from './recordedSession.ts';

/** A server or an instance of one that could not be reached, as the record has it. */
interface RecordedOutage {
  /** `server`, or `server/instance`. */
  name: string;
  error: InquestError;
}

/** The outages of one message to an agent. */
interface OutageNotice {
  executionId: string;
  iteration: number;
  /** Its number in its iteration, from 1: each delivery of an iteration gives at most one. */
  nth: number;
  began: RecordedOutage[];
  /** Names of those that ended. */
  ended: string[];
}

/** A message of the runtime about servers, from its start to its end. Texts of others stand in frames. */
const NOTICE = /^(?:The tool server "[^"]+" can(?:not)? be reached[^"]*\.(?: (?=The tool)|$))+$/;
const SENTENCE = /The tool server "([^"]+)" (can|cannot) be reached( in this investigation)?/g;
const COULD_NOT = ' could not be run: ';
const GOES_ON = ' The agent goes on without its tools.';

/** All messages about outages, in the order of each conversation. */
export function outageNotices({ conversations, timeline, results }: RecordedSession): OutageNotice[] {
  // The answer to a call has the reason as the server gave it; the event adds a full stop.
  const refusalOf = (executionId: string, name: string): string | undefined =>
    [...results].flatMap(([key, { text }]) => {
      const isOwn = key.startsWith(`${executionId} `) && text.startsWith(`${name}.`);
      const [, reason] = isOwn ? text.split(COULD_NOT, 2) : [];
      return reason ?? [];
    })[0];
  return [...conversations].flatMap(([executionId, messages]) => {
    const seen = new Map<number, number>();
    const events = timeline.filter(
      (event) =>
        event.executionId === executionId && event.eventType === 'error' && event.content.endsWith(GOES_ON),
    );
    return [...messages.values()].flatMap(({ role, iteration, blocks }): OutageNotice[] => {
      const [block] = blocks;
      if (role !== 'user' || iteration === undefined || block?.blockType !== 'text') return [];
      if (!NOTICE.test(block.textContent)) return [];
      const nth = (seen.get(iteration) ?? 0) + 1;
      seen.set(iteration, nth);
      const sentences = [...block.textContent.matchAll(SENTENCE)];
      const began = sentences.flatMap(([, name = '', can, isPermanent]): RecordedOutage[] => {
        if (can === 'can') return [];
        const told = events.shift()?.content.slice(0, -GOES_ON.length);
        const message = refusalOf(executionId, name) ?? told ?? `"${name}" is unavailable.`;
        const Failure = isPermanent === undefined ? RetryableError : TerminalError;
        return [{ name, error: new Failure('TOOL_SERVER_UNAVAILABLE', message) }];
      });
      const ended = sentences.flatMap(([, name = '', can]) => (can === 'can' ? [name] : []));
      return [{ executionId, iteration, nth, began, ended }];
    });
  });
}

/** The servers missing at a delivery of an iteration, from 1. @param notices those that count, in order. */
export function missingAt(
  notices: readonly OutageNotice[],
  { iteration, delivery }: { iteration: number; delivery: number },
): RecordedOutage[] {
  const missing = new Map<string, RecordedOutage>();
  for (const notice of notices) {
    const isLater = notice.iteration === iteration ? notice.nth > delivery : notice.iteration > iteration;
    if (isLater) continue;
    for (const name of notice.ended) missing.delete(name);
    for (const outage of notice.began) missing.set(outage.name, outage);
  }
  return [...missing.values()];
}
