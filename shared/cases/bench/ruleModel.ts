// A model that only applies rules: it calls the tools that the rules ask for, states what they found, and concludes.

import { LEDGER } from '../../contract/ledgerTool.ts';
import type { LlmClient, LlmRequest, LlmResponse } from '../../contract/llm.ts';
import { mechanismOfCause } from '../../evidence/mechanisms.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { asObject, parseJson } from '../../text/json.ts';
import { answerLine } from './cloudOpsAnswer.ts';
import { applyRules, cloudOpsRules, type Finding } from './rules.ts';

const SERVER = 'cloudops.';
/** Calls of an answer; an iteration runs at most 64. */
const MOST_CALLS = 60;
const KINDS: Record<string, string> = { app: 'Deployment', node: 'Node', quota: 'ResourceQuota' };

/** The rule model for the cases of a namespace. */
export function ruleModel(namespace: string): LlmClient {
  return {
    generate: (request) => {
      if (request.tools.length === 0) return Promise.resolve(answerOf(CLAIMS, []));
      const { answers, hasLedger, ids } = readHistory(request);
      const { calls, finding } = applyRules(cloudOpsRules(), { namespace }, (tool, given) =>
        answers.get(callKey(tool, given)),
      );
      if (calls.length > 0)
        return Promise.resolve(
          answerOf(
            '',
            calls.slice(0, MOST_CALLS).map(({ tool, arguments: given }) => ({ name: `${SERVER}${tool}`, arguments: given })),
            ids,
          ),
        );
      if (finding === undefined) return Promise.resolve(answerOf('No rule holds.', []));
      if (!hasLedger)
        return Promise.resolve(
          answerOf('', [{ name: LEDGER, arguments: ledgerOf(finding, namespace) }], ids),
        );
      return Promise.resolve(answerOf(answerLine(finding.object, finding.cause), []));
    },
  };
}

/** The answer to the check of claims: the only hypothesis is the cause. */
const CLAIMS = JSON.stringify({ conclusion: 'cause', cause: ['h1'] });

function readHistory({ messages }: LlmRequest) {
  const asked = new Map<string, string>();
  const answers = new Map<string, string>();
  let hasLedger = false;
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (block.blockType === 'tool_use') {
      hasLedger ||= block.toolName === LEDGER;
      const given = asObject(parseJson(block.input)) as Record<string, string>;
      asked.set(block.toolUseId, callKey(block.toolName.replace(SERVER, ''), given));
    } else if (block.blockType === 'tool_result')
      answers.set(asked.get(block.toolUseId) ?? '', block.isError ? '' : toolResultText(block));
  }
  return { answers, hasLedger, ids: asked.size };
}

const callKey = (tool: string, given: Record<string, string>): string =>
  `${tool} ${JSON.stringify(Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1)))}`;

function ledgerOf({ cause, component, quotes }: Finding, namespace: string): object {
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

function answerOf(text: string, calls: readonly { name: string; arguments: object }[], ids = 0): LlmResponse {
  const toolCalls = calls.map(({ name, arguments: given }, index) => ({
    callId: `call${ids + index + 1}`,
    name,
    arguments: JSON.stringify(given),
  }));
  return {
    text,
    thinking: '',
    toolCalls,
    blocks: [
      ...(text === '' ? [] : [{ blockType: 'text' as const, textContent: text }]),
      ...toolCalls.map(({ callId, name, arguments: input }) => ({
        blockType: 'tool_use' as const,
        toolUseId: callId,
        toolName: name,
        input,
      })),
    ],
    groundings: [],
    citations: [],
    codeExecutions: [],
    searchEntryPoint: null,
    usage: null,
    finishReason: null,
    modelVersion: null,
    finishMessage: null,
    truncated: false,
  };
}
