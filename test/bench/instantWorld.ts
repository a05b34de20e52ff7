// A model and a tool that answer at once, and their session: the rest is our time.

import { randomUUID } from 'node:crypto';
import { alertPart } from '../../shared/alerts/schema/alert.ts';
import { LEDGER } from '../../shared/core/contract/ledgerTool.ts';
import type { LlmClient } from '../../shared/core/contract/llm.ts';
import type { ToolDefinition, ToolExecutor } from '../../shared/core/contract/tools.ts';
import { NO_TOKENS } from '../../shared/core/schema/common.ts';
import { NO_PARTS, withPart } from '../../shared/core/schema/parts.ts';
import { DEFAULT_TENANT, NOT_STEERED, type Session } from '../../shared/core/schema/session.ts';

const TOOL = 'bench.read';
const RESULT = 'x'.repeat(2_000);

/** Always asks for one more call. @param states evidence from the result, too. Default: no. */
export function instantModel(states = false): LlmClient {
  return {
    generate(request) {
      const callId = `call_${request.messages.length}`;
      // Never the same call a third time, which would not be run.
      const args = { object: `pod-${request.messages.length}` };
      const signature = 'x'.repeat(800);
      const part = {
        functionCall: { name: 'bench__read', args },
        thoughtSignature: signature,
      };
      const { provider, model } = request.model;
      const statement = JSON.stringify({
        hypotheses: [
          { id: 'h1', text: `${args.object} is full`, component: 'service:pod', mechanism: 'disk' },
        ],
        evidence: [{ id: `e${request.messages.length % 10}`, hypothesis: 'h1', quote: RESULT.slice(0, 80) }],
      });
      const calls = [
        { callId, name: TOOL, arguments: JSON.stringify(args) },
        ...(states ? [{ callId: `${callId}_ledger`, name: LEDGER, arguments: statement }] : []),
      ];
      return Promise.resolve({
        text: '',
        groundings: [],
        citations: [],
        codeExecutions: [],
        searchEntryPoint: null,
        finishMessage: null,
        truncated: false,
        finishReason: 'STOP',
        thinking: 'One more look.',
        toolCalls: calls,
        blocks: calls.map((call, sequence) => ({
          blockType: 'tool_use',
          toolUseId: call.callId,
          toolName: call.name,
          input: call.arguments,
          provider,
          ...(sequence === 0 && { providerData: JSON.stringify({ thought_signature: signature }) }),
          sequence,
        })),
        replay: {
          provider,
          model,
          data: JSON.stringify([
            part,
            ...(states ? [{ functionCall: { name: LEDGER, args: JSON.parse(statement) } }] : []),
          ]),
        },
        usage: { ...NO_TOKENS, input: 100, output: 10, total: 110 },
        modelVersion: 'instant',
      });
    },
  };
}

const TOOLS: ToolDefinition[] = [
  { name: TOOL, description: 'Reads.', inputSchema: { type: 'object' }, readOnly: true },
];

/** A tool with a result of 2 kB. */
export function instantTool(): ToolExecutor {
  return {
    offered: [{ source: 'bench', tools: TOOLS }],
    missing: [],
    list: () => TOOLS,
    probe: () => Promise.resolve({ answer: 'unclear', content: 'nothing to probe' }),
    execute: ({ callId, name }) =>
      Promise.resolve({
        callId,
        name,
        content: RESULT,
        isError: false,
        truncated: false,
        durationMs: 0,
        timedOut: false,
      }),
    close: () => Promise.resolve(),
  };
}

/** A session with one agent and many iterations. @param ownTools beside its server's. */
export function benchSession(iterations: number, ownTools: string[] = []): Session {
  const now = new Date();
  const limits = {
    maxIterations: iterations + 1,
    iterationTimeoutMs: 60_000,
    toolTimeoutMs: 60_000,
    toolResultBytes: 64_000,
    afterFailure: 'fail' as const,
  };
  const agent = {
    name: 'bench',
    strategy: 'native-thinking' as const,
    instructions: 'Look.',
    model: { provider: 'google' as const, model: 'instant', includeThoughts: true },
    tools: ['bench', ...ownTools],
    fallback: [],
    nativeTools: [],
    combineNativeTools: false,
    outsideTools: 'apart' as const,
    collect: [],
    limits,
  };
  return {
    sessionId: `bench-${iterations}-${randomUUID().slice(0, 8)}`,
    tenantId: DEFAULT_TENANT,
    userId: null,
    kind: 'investigation',
    status: 'in_progress',
    input: 'bench',
    title: null,
    chain: {
      name: 'bench',
      stages: [{ name: 'bench', successPolicy: 'any', timeoutMs: null, agents: [agent], synthesis: null }],
    },
    steering: NOT_STEERED,
    currentStageId: '01-bench',
    openStage: null,
    questions: 0,
    deferral: null,
    waitedUntil: null,
    cancellation: null,
    finalAnalysis: null,
    executiveSummary: null,
    conclusion: null,
    partial: null,
    caveats: [],
    tokens: NO_TOKENS,
    cost: { usd: 0, unpricedCalls: 0 },
    failure: null,
    deadline: new Date(now.getTime() + 3_600_000),
    dueAt: null,
    expireAt: new Date(now.getTime() + 3_600_000),
    dataNonce: '0123456789ab',
    maskKey: '0123456789abcdef0123456789abcdef',
    traceparent: null,
    createdAt: now,
    endedAt: null,
    ...withPart(alertPart, NO_PARTS, {
      source: 'text',
      title: 'bench',
      status: 'firing',
      severity: null,
      identity: null,
      summary: null,
      url: null,
      runbookUrl: null,
      links: [],
      startedAt: null,
      labels: {},
      members: [],
      bodyBytes: 5,
      masked: 0,
    }),
  };
}
