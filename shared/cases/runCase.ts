// One run: an alert of a case, investigated in memory by a configuration whose tools answer as recorded.

import { createHash } from 'node:crypto';
import type { SessionConfig } from '../config/config.ts';
import { mapAgents, swapModel } from '../config/mapAgents.ts';
import { KEEPS_LEDGER } from '../core/contract/ledgerTool.ts';
import type { LlmClient } from '../core/contract/llm.ts';
import { TOPICS } from '../core/contract/publisher.ts';
import { RetryableError, TerminalError } from '../core/errors.ts';
import type { RuntimeDeps } from '../core/kernel/deps.ts';
import { BUILT_IN_TOOLS, listChainAgents, type PlannedAgent } from '../core/schema/agent.ts';
import { isTerminal } from '../core/schema/common.ts';
import type { Session } from '../core/schema/session.ts';
import { handleIteration } from '../engine/handleIteration.ts';
import { type DeliverySteps, inProcess } from '../engine/inProcess.ts';
import { flexByDefault } from '../kits/agents/serviceTier.ts';
import { readSessionClaims, type SessionClaims } from '../kits/claims/sessionClaims.ts';
import { handleAlert } from '../lists/alertHandler.ts';
import { sessionType } from '../lists/documents.ts';
import { createGuards } from '../masking/guards.ts';
import type { MemoryStore } from '../store/memory/memoryStore.ts';
import type { Case, CaseTool } from './caseFile.ts';
import { type CallCounts, caseSources } from './caseTools.ts';
import { createReplayEngine, createSteppingClock, toPushEvent } from './replayDeps.ts';

interface RunOptions {
  /** Investigates. Its agents can name other models: `model` counts. */
  config: SessionConfig;
  /** The provider's id of the model of all agents; undefined for those of the configuration. */
  model?: string | undefined;
  llm: LlmClient;
  listPrices?: RuntimeDeps['listPrices'];
  tools: readonly CaseTool[];
  /** Makes ids and nonces of the run, which are the same when it is repeated. */
  seed: string;
  signal: AbortSignal;
}

/** The end of a run. */
export interface CaseRun extends CallCounts {
  session: Session;
  claims: SessionClaims;
  /** The documents of its session. */
  store: MemoryStore;
}

/** Milliseconds of a pause that is waited for. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Runs a case to the end of its session.
 * @throws the signal's reason; any other error of the runtime; TerminalError `CASE_INVALID` if the alert
 * opens no session.
 */
export async function runCase(one: Case, options: RunOptions): Promise<CaseRun> {
  const { seed, signal, model } = options;
  const clock = createSteppingClock(one.at);
  const counts: CallCounts = { calls: 0, unrecorded: [], log: [] };
  const config = withModel(options.config, model);
  const deps = createReplayEngine({
    clock,
    maskerFor: createGuards({ rules: config.masking }),
    randomBytes: seededBytes(seed),
    llm: {
      async generate(request, call) {
        const answer = await options.llm.generate(request, call);
        // Models take time, and a run that is repeated takes as long.
        clock.step(10_000);
        return answer;
      },
    },
    sources: caseSources(options.tools, counts, one.at, listConfigServers(config)),
    ...(options.listPrices && { listPrices: options.listPrices }),
  });
  const queue = inProcess({
    steps: {
      ...replaySteps(clock.step, signal),
      publisher: deps.publisher,
      async deliver(message) {
        signal.throwIfAborted();
        if (message.topic === TOPICS.alerts) await handleAlert(toPushEvent(message, one.at), config, deps);
        else if (message.topic === TOPICS.iterations)
          await handleIteration(toPushEvent(message, clock.now()), deps);
      },
    },
  });
  await deps.publisher.publish(TOPICS.alerts, Buffer.from(JSON.stringify(one.alert)), {});
  await queue.drain();
  const found = deps.store.documents().find(({ path }) => /^sessions\/[^/]+$/.test(path));
  const session = found && (await deps.store.get(found.path, sessionType))?.value;
  if (session === undefined || !isTerminal(session.status))
    throw new TerminalError('CASE_INVALID', `the alert of ${one.name} was not investigated to its end`);
  const claims = await readSessionClaims(session.sessionId, deps.store, clock.now());
  if (claims === undefined) throw new TerminalError('CASE_INVALID', 'the session was lost');
  return { ...counts, session, claims, store: deps.store };
}

/** The servers that agents name: the cases of a benchmark share one configuration, not each server. */
function listConfigServers({ chains }: SessionConfig): string[] {
  const tools = Object.values(chains).flatMap((chain) =>
    listChainAgents(chain).flatMap((agent) => agent.tools),
  );
  const own = tools.filter((tool) => !BUILT_IN_TOOLS.includes(tool) && tool !== KEEPS_LEDGER);
  return [...new Set(own.map((tool) => tool.split('.')[0] ?? tool))];
}

/**
 * Waits in real time, and moves the clock, before a retryable delivery is repeated. Others end the replay.
 */
export function replaySteps(
  step: (ms: number) => void,
  signal: AbortSignal,
): Pick<DeliverySteps, 'pause' | 'giveUp'> {
  return {
    async pause(_, error) {
      if (!(error instanceof RetryableError)) throw error;
      const ms = Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? 1_000);
      await new Promise((resolve) => setTimeout(resolve, ms));
      step(ms);
      signal.throwIfAborted();
    },
    giveUp(_, error) {
      throw error;
    },
  };
}

/** The configuration with one model for all agents, by default at tier flex, without deliveries. */
function withModel(config: SessionConfig, model: string | undefined): SessionConfig {
  const chains = Object.entries(config.chains).map(([name, chain]) => {
    const cheap = (agent: PlannedAgent) => ({ ...agent, model: flexByDefault(agent.model) });
    return [name, mapAgents(swapModel(chain, model), cheap)];
  });
  const { agents: _, notify: __, triage: ___, ...rest } = config;
  return { ...rest, chains: Object.fromEntries(chains) };
}

/** Bytes that depend on the seed only. */
export function seededBytes(seed: string): (size: number) => Buffer {
  let drawn = 0;
  return (size) => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, () =>
      createHash('sha256').update(`${seed} ${drawn++}`).digest(),
    );
    return Buffer.concat(blocks).subarray(0, size);
  };
}
