// What at-least-once delivery can cost: nothing. A run in which every message comes five times at the same
// moment, and four times after the end, is compared with one in which every message comes once.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../shared/core/errors.ts';
import type { PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { expectNoGaps, listEventTypes } from '../support/expectations.ts';
import { agentOf, type Bench, type Investigation, startBench } from '../support/harness.ts';
import { temporaryFolder } from '../support/ownConfig.ts';

const JOURNAL_SERVER = fileURLToPath(new URL('../tools/journalServer.ts', import.meta.url));
/** As Pub/Sub would wait, and more often than anybody should have to. */
const BACKOFF_MS = 10_000;
const MAX_TRIES = 10;
const COPIES = 5;
/** Back-offs of many messages add up. */
const DAY_MS = 86_400_000;

const call = (name: string) => ({ name: `journal.${name}` });
/** Not the same call a third time, which would not be run. */
const lookAgain = { ...call('look'), args: { again: true } };
const agent = (name: string) => agentOf({ name, tools: ['journal'] });
const options = {
  stages: [
    {
      name: 'look',
      agents: [agent('logs'), agent('metrics')],
      synthesis: agentOf({ name: 'synth', strategy: 'synthesis-native-thinking' }),
    },
  ],
  script: {
    conversations: [
      {
        when: 'You are logs,',
        turns: [
          { toolCalls: [call('look'), call('look'), call('change'), lookAgain] },
          { thinking: 'Once more.', toolCalls: [call('change'), call('order')] },
          { text: 'logs says memory.' },
        ],
      },
      {
        when: 'You are metrics,',
        turns: [
          { toolCalls: [call('order')] },
          { toolCalls: [call('look')] },
          { text: 'metrics says memory.' },
        ],
      },
      { when: 'You are synth,', turns: [{ text: 'Memory.' }] },
    ],
  },
};

/** Starts a bench and an investigation in it; the journal says what its tools did. */
async function started() {
  const folder = temporaryFolder();
  const file = join(folder, 'journal');
  const server = { transport: 'stdio' as const, command: process.execPath, args: [JOURNAL_SERVER, file] };
  const bench = await startBench({
    ...options,
    inMemory: true,
    servers: { journal: server },
    deadlineMs: DAY_MS,
  });
  const sessionId = await bench.publishAlert();
  const journal = () => readFileSync(file, 'utf8').replaceAll(sessionId, 'session').trim().split('\n').sort();
  return { bench, sessionId, journal };
}

/** Delivers messages side by side; refused ones come back in turn until acknowledged. */
async function deliverTogether(bench: Bench, messages: PublishedMessage[]): Promise<number> {
  const outcomes = await Promise.allSettled(messages.map((message) => bench.deliver(message)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RetryableError);
  }
  const refused = messages.filter((_, index) => outcomes[index]?.status === 'rejected');
  for (const message of refused) await deliverUntilAcked(bench, message);
  return refused.length;
}

async function deliverUntilAcked(bench: Bench, message: PublishedMessage): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await bench.deliver(message);
    } catch (error) {
      if (!(error instanceof RetryableError) || tries === MAX_TRIES) throw error;
      bench.deps.clock.advance(BACKOFF_MS);
    }
  }
}

/** Everything comes five times at once, with all that is on its way. */
async function runDoubled() {
  const { bench, sessionId, journal } = await started();
  let refused = 0;
  const { published } = bench.deps.publisher;
  for (let delivered = 0; delivered < published.length; ) {
    const wave = published.slice(delivered);
    delivered = published.length;
    refused += await deliverTogether(bench, Array(COPIES).fill(wave).flat());
  }
  const run = await bench.read(sessionId);
  return { bench, sessionId, journal, refused, run };
}

async function runOnce() {
  const { bench, sessionId, journal } = await started();
  await bench.drain();
  return { bench, journal, run: await bench.read(sessionId) };
}

/** Model calls by who asked for which turn. */
const modelCalls = ({ gemini }: Bench) =>
  gemini.requests.map(({ outcome }) => JSON.stringify(outcome)).sort();
const stories = (run: Investigation) =>
  run.executions.map(({ executionId }) => [executionId, listEventTypes(run, executionId)]);

describe('with every message delivered five times at the same moment', () => {
  it('a run makes the same model calls and tool runs as with single delivery', async () => {
    const single = await runOnce();
    const doubled = await runDoubled();
    expect(single.run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Memory.' });
    expect(single.bench.gemini.requests).toHaveLength(7);
    expect(new Set(single.journal()).size).toBe(8);
    // Else nothing was doubled.
    expect(doubled.refused).toBeGreaterThan(0);

    expect(modelCalls(doubled.bench)).toEqual(modelCalls(single.bench));
    expect(doubled.journal()).toEqual(single.journal());
    expect(stories(doubled.run)).toEqual(stories(single.run));
    expect(doubled.run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Memory.' });
    expect(doubled.run.session.tokens).toEqual(single.run.session.tokens);
    expect(doubled.run.interactions).toHaveLength(7);
    expectNoGaps(doubled.run);
    expect(await doubled.bench.rejected()).toEqual([]);
    const count = ({ deps }: Bench) => deps.publisher.published.length;
    expect(count(doubled.bench)).toBeLessThanOrEqual(2 * count(single.bench));

    // And four late copies of each.
    const { bench, sessionId } = doubled;
    const messages = [...bench.deps.publisher.published];
    await deliverTogether(
      bench,
      Array(COPIES - 1)
        .fill(messages)
        .flat(),
    );
    await bench.tick();
    expect((await bench.read(sessionId)).versions).toEqual(doubled.run.versions);
    expect(bench.deps.publisher.published).toHaveLength(messages.length);
    expect(modelCalls(bench)).toEqual(modelCalls(single.bench));
    expect(doubled.journal()).toEqual(single.journal());
  });
});
