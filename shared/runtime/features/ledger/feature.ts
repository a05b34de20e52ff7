// The ledger: agents state hypotheses, evidence and tests, and code checks the evidence in the stored results. The calls are
// answered with the model's answer; they never run.

import { isLedgerCall, KEEPS_LEDGER } from '../../../contract/ledgerTool.ts';
import { LEDGER_TOOL } from '../../../prompt/ledgerTool.ts';
import type { ToolResultBlock } from '../../../schema/block.ts';
import { citableResults } from '../../claims/citableResults.ts';
import { statementsOf } from '../../claims/matchEvidence.ts';
import type { Feature } from '../../kernel/feature/feature.ts';
import { failedResult } from '../../kernel/state/callResult.ts';
import { answerLedger } from './answerLedger.ts';
import { readKnownPieces } from './readPieces.ts';

/** The pieces of large results of the cached conversations of this process. */
const pieces = new WeakMap<ToolResultBlock, readonly string[]>();

/** Offers `ledger` to agents that keep one, where they are offered a tool of a server. */
export const LEDGER_FEATURE: Feature = {
  offerTools(tools, { agent }, { purpose }) {
    const isUsed = purpose === 'ask' || purpose === 'run';
    const offered = [...tools.list(), ...(tools.hidden ?? [])];
    const hasServer = offered.some(({ name, neutral }) => name.includes('.') && !neutral);
    if (!isUsed || !hasServer || !agent.tools.includes(KEEPS_LEDGER)) return tools;
    return {
      ...tools,
      list: () => [...tools.list(), LEDGER_TOOL],
      execute: (call, options) =>
        isLedgerCall(call)
          ? Promise.resolve(failedResult(call, 'Not run: state it again.'))
          : tools.execute(call, options),
    };
  },
  async beforeAsking({ agent, held, deps }) {
    if (agent.tools.includes(KEEPS_LEDGER)) await readKnownPieces(held.current(), deps, pieces);
    return { messages: [] };
  },
  answerCalls(calls, { known, conversation, tools }) {
    if (!tools.some(isLedgerCall)) return [];
    const stated = calls.filter((call) => isLedgerCall(call) && !known.has(call.callId));
    if (stated.length === 0) return [];
    const citable = citableResults(conversation, (block) => pieces.get(block));
    const message = conversation.length + 1;
    const earlier = statementsOf(conversation);
    return stated.map((call, index) => {
      const before = stated.slice(0, index).map(({ arguments: json }) => ({ arguments: json, message }));
      return answerLedger(call, [...earlier, ...before], citable, message);
    });
  },
};
