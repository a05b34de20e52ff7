// Scripted agents that keep a ledger: they look at two pods, state hypotheses and evidence, and conclude. Now
// and then they quote what no result says, or contradict themselves.

import { KEEPS_LEDGER, LEDGER } from '../../../../shared/core/contract/ledgerTool.ts';
import type { LlmRequest } from '../../../../shared/core/contract/llm.ts';
import type { ToolCall } from '../../../../shared/core/contract/tools.ts';
import {
  type ChainSnapshot,
  CLAIMS_STRATEGY,
  CONTRAST_STRATEGY,
  type ModelSettings,
  type PlannedAgent,
} from '../../../../shared/core/schema/agent.ts';
import { isForContrast } from '../../../../shared/schema/collected.ts';
import { sampleAgent } from '../../../support/samples.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import { READ_TOOL } from '../../helpers.ts';
import type { World } from '../../world.ts';

/** Enough for the script, and some errors. */
export const ITERATIONS_WITH_LEDGER = 6;
/** The pods that are looked at. */
export const SEEN = ['web-1', 'web-2'];
/** The pod of the cause. */
export const SUSPECT = 'web-1';
const COMPONENT = `k8s:sim/shop/Pod/${SUSPECT}`;
/** The limit of each pod during the problem; it is over when the limit is above. */
export const LIMIT = 256;

/** Long before every alert, so that its own time contrasts no state. */
const LONG_AGO = '2020-01-01T00:00:00Z';

/** Whether an execution repeats calls for contrast. */
export const isContrast = ({ executionId }: { executionId: string }): boolean =>
  executionId.endsWith(`-${CONTRAST_STRATEGY}`);

/**
 * A pod as a server returns it: during the problem it ran out of memory and is not ready. A call for contrast
 * finds it well, now and then. Its limit is that of the problem; a repeated call has a different one, the
 * same or none.
 */
export function podOf(
  { callId, arguments: json }: Pick<ToolCall, 'callId' | 'arguments'>,
  executionId: string,
  isRepeated: boolean,
  world: World,
): string {
  const { random } = world;
  const [, name = 'none'] = /"name":"([^"]+)"/.exec(json) ?? [];
  const isAsked = isContrast({ executionId }) || isForContrast(callId);
  const limit = isRepeated && !isAsked ? random.pick([LIMIT, 2 * LIMIT, 2 * LIMIT, undefined]) : LIMIT;
  const isReady = isAsked && random.chance(0.8);
  const reason = isAsked && random.chance(0.7) ? 'Completed' : 'OOMKilled';
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
  ownerReferences:
    - apiVersion: apps/v1
      kind: ReplicaSet
      name: web
      controller: true
status:
  conditions:
    - type: Ready
      status: "${isReady ? 'True' : 'False'}"
      lastTransitionTime: "${LONG_AGO}"
  containerStatuses:
    - name: app
      state:
        running:
          startedAt: "${LONG_AGO}"
      lastState:
        terminated:
          finishedAt: "${LONG_AGO}"
          reason: ${reason}
          message: "all pods run ${world.nextMark()}${limit === undefined ? '' : `, ${limitText(name)} ${limit}`}"`;
}

/** The text in front of a limit. */
export const limitText = (pod: string): string => `limit of ${pod} MiB`;

/** The tools of an agent, with the ledger where the plan has one. */
export function withLedgerOf<T extends Pick<PlannedAgent, 'tools'>>(own: T, { ledger }: FaultPlan): T {
  return ledger && own.tools.length > 0 ? { ...own, tools: [...own.tools, KEEPS_LEDGER] } : own;
}

/** The agent that checks claims. */
export function checkingAgent(model: ModelSettings | undefined): PlannedAgent {
  const limits = {
    maxIterations: 2,
    iterationTimeoutMs: MINUTE,
    toolTimeoutMs: MINUTE,
    toolResultBytes: 64_000,
    afterFailure: 'fail' as const,
  };
  const own = { name: CLAIMS_STRATEGY, strategy: CLAIMS_STRATEGY, tools: [], nativeTools: [], limits };
  return sampleAgent({ ...own, ...(model && { model }) });
}

/** A chain whose claims an agent checks, and which stops at a confirmed cause. */
export const checkedBy = (claims: PlannedAgent): Pick<ChainSnapshot, 'claims' | 'stopWhen'> => ({
  claims,
  stopWhen: 'confirmed',
});

/** The strategy of an execution that checks claims; undefined for others. */
export const strategyOfCheck = (executionId: string): string | undefined =>
  executionId.endsWith(`-${CLAIMS_STRATEGY}`) ? CLAIMS_STRATEGY : undefined;

/** The lines about pods in a request, as results say them. */
const quotesOf = (request: LlmRequest): string[] => [
  ...new Set(JSON.stringify(request.messages).match(/all pods run #\d+#/g)),
];

/** The answer of a call that checks claims; undefined for other strategies. */
export function answerOfCheck(strategy: string, { random }: World): string | undefined {
  if (strategy !== CLAIMS_STRATEGY) return undefined;
  if (random.chance(0.1)) return 'I cannot say.';
  const cause = random.chance(0.8) ? ['h1'] : random.pick([['h2'], ['h1', 'h2'], []]);
  return JSON.stringify({ conclusion: cause.length > 0 ? 'cause' : 'unknown', cause, links: [] });
}

/** The probe of a pod. */
const probeOf = (pod: string) => ({
  id: pod,
  tool: READ_TOOL,
  arguments: JSON.stringify({ name: pod }),
  find: limitText(pod),
  is: 'above',
  value: String(LIMIT),
  action: `restart ${pod}`,
});

/** What the ledger states after two results. */
function statement(quotes: string[], { random, plan }: World): string {
  const [first = '', second = ''] = quotes;
  const quoted = (mark: string) =>
    `reason: OOMKilled\nmessage: "${random.chance(0.3) ? 'all pods run #99999#' : mark}`;
  const side = random.chance(0.05) ? 'against' : 'for';
  return JSON.stringify({
    hypotheses: [
      { id: 'h1', component: COMPONENT, mechanism: 'memory', cause: true },
      { id: 'h2', component: COMPONENT, mechanism: 'disk' },
    ],
    evidence: [
      { id: 'e1', hypothesis: 'h1', quote: quoted(first) },
      { id: 'e2', hypothesis: random.chance(0.1) ? 'h2' : 'h1', side, quote: quoted(second) },
    ],
    ...(plan.probes && { probes: SEEN.map(probeOf) }),
  });
}

/** The next step of the script, most of the time; undefined for an answer like those of other agents. */
export function stepOf(
  request: LlmRequest,
  strategy: string,
  world: World,
): { text: string; calls: ToolCall[] } | undefined {
  const { random } = world;
  const isReact = strategy === 'react';
  if (random.chance(0.1) || (!isReact && !request.tools.some(({ name }) => name === LEDGER)))
    return undefined;
  const shown = JSON.stringify(request.messages);
  const quotes = quotesOf(request);
  const isStated = shown.includes('"e1') || shown.includes('e1\\');
  const mark = world.nextMark();
  const read = (name: string) => JSON.stringify({ name });
  const isRead = quotes.length >= SEEN.length;
  const ledger = isRead && !isStated ? statement(quotes, world) : undefined;
  const pods = SEEN.slice(isReact ? quotes.length : 0);
  if (isReact) {
    const line = ledger === undefined ? '' : `Ledger: ${ledger}\n`;
    const next = isRead
      ? `Final Answer: It was the memory of web. ${mark}`
      : `Action: ${READ_TOOL}\nAction Input: ${read(pods[0] ?? '')}`;
    return { text: `Thought: I look. ${mark}\n${line}${next}`, calls: [] };
  }
  if (ledger === undefined && isRead) return { text: `It was the memory of web. ${mark}`, calls: [] };
  const calls =
    ledger === undefined
      ? pods.map((pod) => ({ name: READ_TOOL, arguments: read(pod) }))
      : [{ name: LEDGER, arguments: ledger }];
  return { text: '', calls: calls.map((call, index) => ({ callId: `${mark}-${index}`, ...call })) };
}
