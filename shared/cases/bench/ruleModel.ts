// A model of rules only: it calls the tools that rules need, states their finding, and concludes.

import { LEDGER } from '../../core/contract/ledgerTool.ts';
import type { LlmClient, LlmRequest, LlmResponse } from '../../core/contract/llm.ts';
import { mechanismOfCause } from '../../evidence/mechanisms.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { asObject, parseJson } from '../../text/json.ts';
import { plainAnswer } from '../recordedModel.ts';
import { answerLine } from './cloudOpsAnswer.ts';
import { applyRules, cloudOpsRules, type Finding } from './rules.ts';

const SERVER = 'cloudops.';
/** Calls of an answer; an iteration runs at most 64. */
const MOST_CALLS = 60;
const KINDS: Record<string, string> = { app: 'Deployment', node: 'Node', quota: 'ResourceQuota' };

/** The rule model for the cases of a namespace. */
export function ruleModel(namespace: string): LlmClient {
  return { generate: (request) => Promise.resolve(respond(request, namespace)) };
}

function respond(request: LlmRequest, namespace: string): LlmResponse {
  if (request.tools.length === 0) return plainAnswer(CLAIMS);
  const { answers, hasLedger, asked } = readHistory(request);
  const { calls, finding } = applyRules(cloudOpsRules(), { namespace }, (tool, given) =>
    answers.get(benchCallKey(tool, given)),
  );
  if (calls.length > 0) {
    const next = calls.slice(0, MOST_CALLS);
    return answerWith(
      next.map(({ tool, arguments: given }) => ({ name: `${SERVER}${tool}`, arguments: given })),
      asked,
    );
  }
  if (finding === undefined) return plainAnswer('No rule holds.');
  if (!hasLedger)
    return answerWith([{ name: LEDGER, arguments: composeRuleLedger(finding, namespace) }], asked);
  return plainAnswer(answerLine(finding.object, finding.cause));
}

/** The answer to the check of claims: the only hypothesis is the cause. */
const CLAIMS = JSON.stringify({ conclusion: 'cause', cause: ['h1'] });

function readHistory({ messages }: LlmRequest) {
  const keys = new Map<string, string>();
  const answers = new Map<string, string>();
  let hasLedger = false;
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (block.blockType === 'tool_use') {
      hasLedger ||= block.toolName === LEDGER;
      const given = asObject(parseJson(block.input)) as Record<string, string>;
      keys.set(block.toolUseId, benchCallKey(block.toolName.replace(SERVER, ''), given));
    } else if (block.blockType === 'tool_result')
      answers.set(keys.get(block.toolUseId) ?? '', block.isError ? '' : toolResultText(block));
  }
  return { answers, hasLedger, asked: keys.size };
}

const benchCallKey = (tool: string, given: Record<string, string>): string =>
  `${tool} ${JSON.stringify(Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1)))}`;

function composeRuleLedger({ cause, component, quotes }: Finding, namespace: string): object {
  const [kind = '', name] = component.split('/');
  const place = kind === 'node' ? '-' : namespace;
  return {
    hypotheses: [
      {
        id: 'h1',
        component: `k8s:bench/${place}/${KINDS[kind] ?? kind}/${name}`,
        mechanism: mechanismOfCause(cause),
        cause: true,
      },
    ],
    evidence: quotes.map((quote, index) => ({ id: `e${index + 1}`, hypothesis: 'h1', side: 'for', quote })),
  };
}

/** @param asked calls before these, for the ids. */
function answerWith(calls: readonly { name: string; arguments: object }[], asked: number): LlmResponse {
  const toolCalls = calls.map(({ name, arguments: given }, index) => ({
    callId: `call${asked + index + 1}`,
    name,
    arguments: JSON.stringify(given),
  }));
  const blocks = toolCalls.map(({ callId, name, arguments: input }) => ({
    blockType: 'tool_use' as const,
    toolUseId: callId,
    toolName: name,
    input,
  }));
  return { ...plainAnswer(''), toolCalls, blocks };
}
