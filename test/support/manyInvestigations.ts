// Many investigations at the pace of a real model: each has an iteration every 10 s of a test's clock.

import type { Destination } from '../../shared/contract/destination.ts';
import { answer } from '../../shared/core/contract/llm.fixture.ts';
import type { LlmClient } from '../../shared/core/contract/llm.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Telemetry } from '../../shared/core/contract/telemetry.ts';
import type { PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { instantTool } from '../bench/instantWorld.ts';
import type { Bench, BenchOptions } from './harness.ts';

/** From one answer of the model to the next. */
export const ITERATION_MS = 10_000;
const HOUR_MS = 3_600_000;
const MODEL = {
  provider: 'google',
  model: 'gemini-3.8-flash',
  includeThoughts: true,
  maxOutputTokens: 1_000,
};
const USAGE = { input: 900, output: 100, thinking: 0, cached: 0, total: 1_000 };

/** Calls a tool in each iteration but the last. */
export const createPacedModel = (iterations: number): LlmClient => ({
  async generate({ messages }, { report }) {
    report.attempts = 1;
    const count = messages.filter(({ role }) => role === 'assistant').length;
    const toolCalls = [{ callId: `call-${count}`, name: 'bench.read', arguments: `{"text":"${count}"}` }];
    const isLast = count >= iterations - 1;
    return { ...answer(isLast ? { text: 'Memory.' } : { toolCalls }), usage: USAGE };
  },
});

const TEAM: Destination = {
  kind: 'slack',
  capabilities: {
    ...{ update: true, thread: true, buttons: false, probe: false, key: false, isRepeatSafe: false },
  },
  timeoutMs: 10_000,
  send: async () => ({ outcome: 'sent', ref: 'a' }),
  update: async () => ({ outcome: 'sent', ref: 'a' }),
};

const TELEMETRY: Telemetry = {
  isSampled: () => true,
  record: () => {},
  suspect: () => {},
  exportMetrics: async () => {},
  flush: async () => new Set<string>(),
};

/** A bench in which every feature that writes shared documents is on. */
export const pacedBench = (): BenchOptions => ({
  script: { conversations: [{ turns: [{ text: 'Memory.' }] }] },
  agent: { model: MODEL, tools: ['bench'], limits: { maxIterations: 100 } },
  summary: { model: MODEL },
  deadlineMs: 3_600_000,
  notify: () => [{ to: 'team', when: ['opened', 'ended', 'failed', 'outcome'], digestMs: null }],
  destinations: async () => ({ destination: TEAM, tenants: ['default'], onDoubt: 'hold' }),
  telemetry: TELEMETRY,
  budgets: {
    sessionsPerHour: [{ chain: null, limit: 1_000_000 }],
    dailyTokens: [{ chain: null, limit: 10_000_000_000 }],
  },
  modelQuotas: { [`${MODEL.provider}/${MODEL.model}`]: { rpm: 1_000_000, tpm: 10_000_000_000 } },
  triage: {
    correlate: [{ labels: ['service'], window: '15m' }],
    rules: [{ name: 'noise', labels: { kind: 'noise' }, action: 'drop' }],
  },
  inMemory: true,
});

const composeAlert = (count: number) => ({
  title: `Problem ${count}`,
  fingerprint: `problem-${count}`,
  labels: { service: `service-${count % 50}` },
  severity: 'warning',
  status: 'firing',
});

/** A message that is to be delivered. */
interface Due {
  at: number;
  message: PublishedMessage;
}

/**
 * Opens investigations at a steady rate, so that `active` are at work once the first ones end, and delivers
 * all messages when they are due. The sweep runs every minute.
 * @param until when it ends, in milliseconds from now.
 * @param onSecond called before the deliveries of each second.
 */
export async function runInvestigations(
  bench: Bench,
  { active, iterations, until }: { active: number; iterations: number; until: number },
  onSecond: (ms: number) => void = () => {},
): Promise<void> {
  const { clock, publisher } = bench.deps;
  const tool = instantTool();
  const system = { ...bench.deps, llm: createPacedModel(iterations), connectTools: async () => tool };
  // No other hour begins meanwhile.
  clock.advance(HOUR_MS - (clock.now().getTime() % HOUR_MS));
  // The summary takes one more.
  const opensPerSecond = active / ((iterations + 1) * (ITERATION_MS / 1000));
  const startedAt = clock.now().getTime();
  const due = new Map<number, PublishedMessage[]>();
  let seen = publisher.published.length;
  let opened = 0;
  const schedule = ({ at, message }: Due) => {
    const second = Math.floor((at - startedAt) / 1000);
    due.set(second, [...(due.get(second) ?? []), message]);
  };
  const takePublished = (second: number) => {
    for (; seen < publisher.published.length; seen++) {
      const message = publisher.published[seen] as PublishedMessage;
      const pause = message.topic === TOPICS.iterations ? ITERATION_MS : 0;
      schedule({ at: startedAt + second * 1000 + pause, message });
    }
  };
  for (let second = 0; second * 1000 < until; second++) {
    onSecond(second * 1000);
    for (; opened < (second + 1) * opensPerSecond; opened++) {
      const problem = composeAlert(opened);
      // Each problem is reported twice, and as many alerts are dropped.
      for (const alert of [problem, { ...problem, value: second }, { ...problem, labels: { kind: 'noise' } }])
        await bench.publishAlert(alert);
    }
    takePublished(second);
    for (let open = due.get(second); open !== undefined; open = due.get(second)) {
      due.delete(second);
      for (const message of open)
        await bench.deliver(message, system).catch((error: unknown) => {
          schedule({ at: startedAt + (second + 10) * 1000, message });
          if (process.env.PRINT_MEASURED) console.log(message.topic, String(error));
        });
      takePublished(second);
    }
    if (second % 60 === 59) await bench.tick();
    clock.advance(1000);
  }
}
