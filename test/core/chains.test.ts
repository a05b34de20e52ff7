// Chains: replicas, policies and times of stages, and changes of their configuration.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { routingPart } from '../../shared/alerts/schema/routing.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import type { SuccessPolicy } from '../../shared/core/schema/agent.ts';
import { readPart } from '../../shared/core/schema/parts.ts';
import { expectNoGaps } from '../support/expectations.ts';
import { agentOf, investigate, opened, startBench } from '../support/harness.ts';
import { temporaryFolder } from '../support/ownConfig.ts';

const answerAs = (agent: string, model = '') => ({
  name: `${agent}${model}`,
  when: { system: `You are ${agent},`, model },
  turns: [{ text: `${agent}${model && ` on ${model}`} says memory.` }],
});
const fails = (agent: string) => ({
  name: agent,
  when: `You are ${agent},`,
  turns: [{ failures: [{ status: 400 }] }],
});

const replica = (number: number, model: string) =>
  agentOf({
    name: `metrics-${number}`,
    replicaOf: 'metrics',
    model: { provider: 'google', model, includeThoughts: false },
  });
const stagesOf = (successPolicy: SuccessPolicy) => [
  {
    name: 'look',
    successPolicy,
    agents: [
      agentOf({ name: 'logs' }),
      replica(1, 'gemini-3.8-flash'),
      replica(2, 'gemini-3.8-pro'),
      agentOf({ name: 'events' }),
    ],
    synthesis: agentOf({ name: 'synth', strategy: 'synthesis-native-thinking' }),
  },
  { name: 'judge', agents: [agentOf({ name: 'judge' })] },
];
const script = {
  conversations: [
    answerAs('logs'),
    answerAs('metrics', 'gemini-3.8-flash'),
    answerAs('metrics', 'gemini-3.8-pro'),
    fails('events'),
    answerAs('synth'),
    answerAs('judge'),
  ],
};

describe('a stage with replicas, one of whose agents fails', () => {
  it('continues with the policy any: the synthesis replaces the analyses of the others', async () => {
    const run = await investigate({ stages: stagesOf('any'), script });
    expect(run.executions.map(({ executionId, status }) => [executionId, status])).toEqual([
      ['01-events', 'failed'],
      ['01-logs', 'completed'],
      ['01-metrics-1', 'completed'],
      ['01-metrics-2', 'completed'],
      ['01-synth', 'completed'],
      ['02-judge', 'completed'],
    ]);
    const asked = run.gemini.requests.map(({ body }) => JSON.stringify(body));
    const synthesis = asked.find((text) => text.includes('You are synth,')) ?? '';
    expect(synthesis).toContain('### metrics-1 Analysis');
    expect(synthesis).toContain('metrics on gemini-3.8-pro says memory.');
    expect(synthesis).toMatch(/### events Analysis\\n\\n<data-[^>]*>\\n\(no result: /);
    const judge = asked.find((text) => text.includes('You are judge,')) ?? '';
    expect(judge).toContain('### synth Analysis');
    expect(judge).not.toContain('### metrics-1 Analysis');
    expect(run.session).toMatchObject({
      status: 'completed',
      finalAnalysis: 'judge says memory.',
      partial: null,
    });
    expectNoGaps(run);
  });

  it('fails with the policy all, and the session keeps the analyses of the others, marked as partial', async () => {
    const run = await investigate({ stages: stagesOf('all'), script });
    expect(run.stages).toMatchObject([{ stageId: '01-look', status: 'failed' }]);
    expect(run.session).toMatchObject({ status: 'failed', failure: { code: 'MODEL_BAD_REQUEST' } });
    expect(run.session.failure?.message).toContain('(successPolicy: all), and events has none: ');
    expect(run.session.finalAnalysis?.match(/^### .*$/gm)).toEqual([
      '### logs Analysis',
      '### metrics-1 Analysis',
      '### metrics-2 Analysis',
    ]);
    expect(run.session.partial).toMatchObject({ reason: 'MODEL_BAD_REQUEST' });
    expect(run.session.partial?.text).toContain('with what had been found so far');
    expectNoGaps(run);
  });
});

describe('a stage with a time of its own', () => {
  const timed = (successPolicy: SuccessPolicy) => ({
    stages: [
      {
        name: 'look',
        successPolicy,
        timeoutMs: 60_000,
        agents: [agentOf({ name: 'logs' }), agentOf({ name: 'late' })],
      },
      { name: 'judge', agents: [agentOf({ name: 'judge' })] },
    ],
    script: { conversations: [answerAs('logs'), answerAs('late'), answerAs('judge')] },
  });

  it('ends the agents that are late; with the policy any the session continues', async () => {
    const bench = await opened(timed('any'));
    await bench.deliverNext();
    bench.deps.clock.advance(60_000);
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(
      run.executions.map(({ executionId, status, failure }) => [executionId, status, failure?.code]),
    ).toEqual([
      ['01-late', 'timed_out', 'DEADLINE_EXCEEDED'],
      ['01-logs', 'completed', undefined],
      ['02-judge', 'completed', undefined],
    ]);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'judge says memory.' });
    // The next stage has the session's.
    expect(run.executions.at(-1)?.deadline).toEqual(run.session.deadline);
  });

  it('with the policy all a late agent ends the session, which keeps the analysis of the other', async () => {
    const bench = await opened(timed('all'));
    await bench.deliverNext();
    bench.deps.clock.advance(60_000);
    await bench.drain();
    const { session } = await bench.read(bench.sessionId);
    expect(session).toMatchObject({
      status: 'timed_out',
      finalAnalysis: 'logs says memory.',
      partial: { reason: 'DEADLINE_EXCEEDED' },
    });
  });
});

it('a session keeps the chain that it was opened with, whatever becomes of the configuration', async () => {
  const folder = temporaryFolder();
  const write = (name: string, content: object) => writeFileSync(join(folder, name), stringify(content));
  const rule = [{ labels: { team: 'shop' } }];
  const chainOf = (...names: string[]) => ({
    alerts: rule,
    stages: names.map((name) => ({ name, agents: [name] })),
  });
  const other = { stages: [{ name: 'other', agents: ['judge'] }] };
  write('models.yaml', {
    default: 'flash',
    models: { flash: { provider: 'google', model: 'gemini-3.8-flash' } },
  });
  write('system.yaml', { summaryModel: 'off' });
  write('agents.yaml', { agents: { logs: { instructions: 'Old.' }, judge: { instructions: 'Old.' } } });
  write('chains.yaml', { default: 'other', chains: { shop: chainOf('logs', 'judge'), other } });
  const bench = await startBench({
    script: { conversations: [answerAs('logs'), answerAs('judge')] },
    readConfig: () => loadSessionConfig(folder),
  });
  const alert = { title: 'Disk full', labels: { team: 'shop' } };
  const first = await bench.publishAlert(alert);
  await bench.deliverNext();

  write('agents.yaml', { agents: { judge: { instructions: 'New.' } } });
  write('chains.yaml', { default: 'other', chains: { shop: chainOf('judge'), other } });
  const second = await bench.publishAlert(alert);
  const third = await bench.publishAlert({ title: 'Disk full' });
  await bench.drain();

  const run = await bench.read(first);
  expect(run.session).toMatchObject({ status: 'completed', chain: { name: 'shop' } });
  expect(readPart(routingPart, run.session)).toEqual({
    by: 'rule',
    rule: 1,
    text: 'rule 1: label team is "shop"',
  });
  expect(run.agents.map(({ executionId, agent }) => [executionId, agent.instructions])).toEqual([
    ['01-logs', 'Old.'],
    ['02-judge', 'Old.'],
  ]);
  const newer = await bench.read(second);
  expect(newer.agents.map(({ executionId, agent }) => [executionId, agent.instructions])).toEqual([
    ['01-judge', 'New.'],
  ]);
  expect((await bench.read(third)).session).toMatchObject({
    chain: { name: 'other' },
    parts: { routing: { by: 'default' } },
  });
});
