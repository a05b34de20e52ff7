// The answer to a call of `ledger`: the state of each item, and the missing parts. Pure.

import type { ToolCall, ToolResult } from '../../../core/contract/tools.ts';
import type { Ledger } from '../../../evidence/ledger.ts';
import type { Match } from '../../../evidence/match.ts';
import { probeFault } from '../../../evidence/probe.ts';
import type { CitableResults } from '../../../kits/claims/citableResults.ts';
import { quoteText } from '../../../text/cut.ts';
import { limitHead } from '../../../text/limitText.ts';

/** UTF-8 bytes of an answer. */
const MAX_ANSWER = 300;
/** Characters of a found text. */
const MAX_FOUND = 60;

/** The result of a call. @param matches of the evidence of the ledger after it. @param refused items. */
export function answerLedger(
  call: ToolCall,
  { ledger, refused }: { ledger: Ledger; refused: readonly string[] },
  matches: ReadonlyMap<string, Match>,
  { results }: Pick<CitableResults, 'results'>,
): ToolResult {
  const held = [...matches].filter(([, { state }]) => state === 'held').map(([id]) => id);
  const others = [...matches].filter(([, { state }]) => state !== 'held').map(describeMatch);
  const lines = [
    ...(refused.length > 0 ? [`Refused: ${refused.join('; ')}.`] : []),
    ...(held.length > 0 ? [`Held: ${held.join(', ')}.`] : []),
    ...(others.length > 0 ? [`Not held: ${others.join('; ')}.`] : []),
    ...missingParts(ledger),
    ...[...ledger.probes.values()].flatMap((probe) => {
      const fault = probeFault(probe, results);
      return fault === undefined ? [] : [`No probe ${probe.id}: ${fault}.`];
    }),
  ];
  return {
    callId: call.callId,
    name: call.name,
    content: limitHead(lines.join(' ') || 'Nothing is missing.', MAX_ANSWER),
    isError: refused.length > 0,
    truncated: false,
    durationMs: 0,
    timedOut: false,
  };
}

function describeMatch([id, { state, found }]: [string, Match]): string {
  return found === undefined ? `${id} ${state}` : `${id} ${state} (found: ${quoteText(found, MAX_FOUND)})`;
}

/** The parts that a conclusion still needs, in words. */
function missingParts({ hypotheses, evidence }: Ledger): string[] {
  const named = [...evidence.values()].map(({ hypothesis }) => hypothesis);
  const unknown = [...new Set(named)].filter((id) => !hypotheses.has(id));
  const bare = [...hypotheses.values()].filter(({ component, mechanism }) => !component || !mechanism);
  return [
    ...(unknown.length > 0 ? [`Unknown hypotheses: ${unknown.join(', ')}.`] : []),
    ...(bare.length > 0 ? [`Without component or mechanism: ${bare.map(({ id }) => id).join(', ')}.`] : []),
  ];
}
