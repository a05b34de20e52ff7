// Finds the answer to a request of Inquest: that no model is connected, the summary, the claims, or the turn
// of the script.

import {
  type FindTurn,
  findConversation,
  findTurn,
  joinText,
  type Turn,
} from '../../packages/scripted-gemini/src/index.ts';
import { scriptedVersion } from '../../shared/core/contract/scriptedModel.ts';
import { CLAIMS_ROLE } from '../../shared/wording/claims.ts';
import { SUMMARY_ROLE } from '../../shared/wording/executiveSummary.ts';
import type { ParsedModelScript } from './modelScript.ts';
import { isAbout } from './namedAlert.ts';
import { noModelTurn } from './noModel.ts';

/**
 * Finds turns for a script. A request about an alert that the script does not name gets the answer that no
 * model is connected.
 */
export function createFindTurn({
  for: alerts,
  summary,
}: Pick<ParsedModelScript, 'for' | 'summary'>): FindTurn {
  return (script, model, request) => {
    const isNamed = alerts?.some((alert) => isAbout(request, alert)) === true;
    const modelVersion = scriptedVersion(model, isNamed);
    const answer = (turn: Turn, conversation: string) => ({ turn, conversation, number: 1, modelVersion });
    if (alerts !== undefined && !isNamed) return answer(noModelTurn(request), 'no model');
    const system = joinText(request.systemInstruction);
    if (system.includes(SUMMARY_ROLE)) return answer(summary, 'summary');
    const conversation = findConversation(script, model, request);
    // A script without an own answer about claims concludes the hypotheses that its agents marked as the
    // cause.
    if (system.includes(CLAIMS_ROLE) && conversation?.when?.system === undefined)
      return answer(claimsTurn(joinText(request.contents?.[0])), 'claims');
    const found = findTurn(script, model, request);
    return 'error' in found ? found : { ...found, modelVersion };
  };
}

/** Unindented lines of the ledger's frame are hypotheses. Text of others opens no frame. */
const LEDGER_FRAME = /<data-([0-9a-f]{12}) source="ledger">\n([\s\S]*?)\n<\/data-\1>/;

function claimsTurn(prompt: string): Turn {
  const lines = LEDGER_FRAME.exec(prompt)?.[2]?.split('\n') ?? [];
  const cause = lines.flatMap((line) => /^(\S+) .*\(cause\)/.exec(line)?.slice(1, 2) ?? []);
  return { text: JSON.stringify({ conclusion: cause.length > 0 ? 'cause' : 'unknown', cause }) };
}
