// Investigations in the middle, as release 0.2.0 stored their documents.

import { readFileSync } from 'node:fs';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { describe, expect, it } from 'vitest';
import type { ModelScript } from '../../local/scriptedModel/modelScript.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { expectNoGaps } from '../support/expectations.ts';
import { type Bench, startBench } from '../support/harness.ts';

type Documents = Record<string, Record<string, unknown>>;

/** Dates stand in the files as `{"$date": "…"}`. */
function revive(_key: string, value: unknown): unknown {
  const date = value !== null && typeof value === 'object' && '$date' in value ? value.$date : undefined;
  return typeof date === 'string' ? Timestamp.fromDate(new Date(date)) : value;
}

/** Reads stored documents: a line each, the session first. */
function storedBy(name: string): Documents {
  const text = readFileSync(new URL(`stored/${name}.jsonl`, import.meta.url), 'utf8');
  const lines = text.trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line) => JSON.parse(line, revive)).map(({ path, data }) => [path, data]),
  );
}

/** A bench whose database holds the documents, at the time at which they were written. */
async function benchWith(
  documents: Documents,
  script: ModelScript,
): Promise<{ bench: Bench; sessionId: string }> {
  const bench = await startBench({ script });
  const db = new Firestore({
    projectId: bench.projectId,
    clientOptions: { universe_domain: 'googleapis.com' },
  });
  await Promise.all(Object.entries(documents).map(([path, data]) => db.doc(path).set(data)));
  await db.terminate();
  const [sessionPath = '', session] = Object.entries(documents)[0] ?? [];
  const createdAt = session?.createdAt;
  if (!(createdAt instanceof Timestamp)) throw new Error('the first document is no session');
  bench.deps.clock.advance(createdAt.toMillis() + 1_000 - bench.deps.clock.now().getTime());
  return { bench, sessionId: sessionPath.replace('sessions/', '') };
}

async function goOn(
  { bench, sessionId }: Awaited<ReturnType<typeof benchWith>>,
  executions: [string, number][],
) {
  for (const [executionId, iteration] of executions) {
    const message = { schemaVersion: 1, sessionId, executionId, iteration };
    await bench.deps.publisher.publish(TOPICS.iterations, message, {});
  }
  await bench.drain();
  expect(bench.deadLetters).toEqual([]);
  return bench.read(sessionId);
}

describe('a ReAct investigation of version 0.2.0', () => {
  const CALL = 'Thought: I look.\nAction: fixture.echo\nAction Input: {"text": "exit code 137"}';
  const answers = [
    CALL,
    'Action: fixture.nothing\nAction Input: {}',
    'Thought: Enough.\nFinal Answer: Out of memory.',
  ];
  const script = { conversations: [{ turns: answers.map((text) => ({ text })) }] };

  it('holds documents of the oldest versions that are read', () => {
    const versions = Object.entries(storedBy('react-0.2.0')).map(([path, { schemaVersion }]) => [
      path.split('/').at(-2),
      schemaVersion,
    ]);
    expect(Object.fromEntries(versions)).toMatchObject({
      sessions: COLLECTIONS.sessions.oldest,
      executions: COLLECTIONS.executions.oldest,
      timeline: COLLECTIONS.timeline.oldest,
      messages: COLLECTIONS.messages.oldest,
    });
    expect(COLLECTIONS.executions.version).toBeGreaterThan(COLLECTIONS.executions.oldest);
  });

  it('continues, and the model reads the same messages as before', async () => {
    const run = await goOn(await benchWith(storedBy('react-0.2.0'), script), [['01-investigator', 3]]);
    expect(run.session).toMatchObject({
      status: 'completed',
      finalAnalysis: 'Out of memory.',
      parts: { alert: { severity: 'critical' }, routing: { by: 'default' } },
    });
    expectNoGaps(run);
    expect(run.timeline.map(({ eventType, iteration }) => [eventType, iteration])).toEqual([
      ['llm_thinking', 1],
      ['llm_tool_call', 1],
      ['tool_result', 1],
      ['error', 2],
      ['llm_thinking', 3],
      ['final_analysis', 3],
    ]);
    expect(run.execution).toMatchObject({ agentName: 'investigator', status: 'completed', iteration: 3 });
  });

  it('asks with the observations that stand in its messages', async () => {
    const begun = await benchWith(storedBy('react-0.2.0'), script);
    await goOn(begun, [['01-investigator', 3]]);
    const [request] = begun.bench.gemini.requests;
    expect(JSON.stringify(request)).toMatch(/Observation: .*exit code 137/);
  });
});

describe('a parallel investigation of version 0.2.0', () => {
  const script = {
    conversations: [
      {
        name: 'a',
        when: 'You are investigator,',
        turns: [
          {
            thinking: 'Hm.',
            text: 'I look.',
            toolCalls: [{ name: 'fixture.echo', args: { text: 'exit code 137' } }],
          },
          { text: 'Out of memory.' },
        ],
      },
      { name: 'b', when: 'You are second,', turns: [{ text: 'Memory.' }] },
      { name: 'c', when: 'You are synth,', turns: [{ text: 'Both say memory.' }] },
    ],
  };
  const open: [string, number][] = [
    ['01-investigator', 2],
    ['01-second', 1],
  ];

  it('continues with its agents, replays the parts that the provider signed, and is combined', async () => {
    const run = await goOn(await benchWith(storedBy('parallel-0.2.0'), script), open);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Both say memory.' });
    expect(run.executions.map(({ agentName, status }) => [agentName, status])).toEqual([
      ['investigator', 'completed'],
      ['second', 'completed'],
      ['synth', 'completed'],
    ]);
    expectNoGaps(run);
  });
});
