import { expect, it } from 'vitest';
import { NO_MODEL } from '../../local/scriptedModel/noModel.ts';
import { type AgentOptions, agentOf, type BenchOptions, investigate } from '../support/harness.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    answer: { type: 'string' },
    severity: { type: 'string', enum: ['critical', 'unknown'] },
    causes: { type: 'array', items: { type: 'string' } },
    note: { type: 'string' },
  },
  required: ['answer', 'severity', 'causes'],
};
const ALERT = { title: 'Disk full on db-1', severity: 'critical', labels: { namespace: 'shop' } };
const FOREIGN = { ...ALERT, labels: { namespace: 'billing' } };
const CAUSE = 'The disk is full of logs.';
const script = (named: Partial<BenchOptions['script']> = {}): BenchOptions['script'] => ({
  for: { title: 'Disk full', labels: { namespace: 'shop' } },
  ...named,
  conversations: [{ turns: [{ text: CAUSE }] }],
});
const run = (options: Omit<BenchOptions, 'script'> & { alert: unknown; script?: BenchOptions['script'] }) =>
  investigate({ script: script(), inMemory: true, ...options });
const caveatsOf = ({ session }: Awaited<ReturnType<typeof run>>) => session.caveats.map(({ code }) => code);

it('a script answers the alert that it names, without a caveat', async () => {
  const done = await run({ alert: ALERT, summary: {} });
  expect(done.session).toMatchObject({ status: 'completed', finalAnalysis: CAUSE, caveats: [] });
});

it('another alert gets the answer that no model is connected, in every stage, with the caveat', async () => {
  const stages = ['first', 'second'].map((name) => ({ name, agents: [agentOf()] }));
  const done = await run({ alert: FOREIGN, stages, summary: {} });
  expect(done.session).toMatchObject({ status: 'completed', failure: null });
  expect(done.session.finalAnalysis).toBe(NO_MODEL);
  expect(done.session.executiveSummary).toContain('No model is connected');
  expect(JSON.stringify(done.timeline)).not.toContain(CAUSE);
  expect(caveatsOf(done)).toEqual(['SCRIPTED', 'SCRIPTED']);
  expect(done.gemini.requests.map(({ outcome }) => outcome.kind)).toEqual([
    'answered',
    'answered',
    'answered',
  ]);
});

it.each<[string, AgentOptions]>([
  ['with tools', { tools: ['fixture'] }],
  ['as ReAct', { strategy: 'react', tools: ['fixture'] }],
  ['with a schema', { outputSchema: JSON.stringify(SCHEMA) }],
  ['with a schema and tools', { outputSchema: JSON.stringify(SCHEMA), tools: ['fixture'] }],
  ['as ReAct with a schema', { outputSchema: JSON.stringify(SCHEMA), strategy: 'react', tools: ['fixture'] }],
])('an agent %s concludes in its first iteration that no model is connected', async (_, agent) => {
  const done = await run({ alert: FOREIGN, agent });
  expect(done.session).toMatchObject({ status: 'completed', failure: null });
  expect(done.session.finalAnalysis).toContain('No model is connected');
  expect(done.session.finalAnalysis).not.toContain('critical');
  expect(caveatsOf(done)).toEqual(['SCRIPTED']);
  expect(done.interactions).toHaveLength(1);
});

it('a check of claims reads no cause from that answer', async () => {
  const done = await run({ alert: FOREIGN, claims: {} });
  expect(done.session).toMatchObject({
    status: 'completed',
    parts: { verdict: { value: 'inconclusive', causes: [] } },
  });
  expect(caveatsOf(done)).toContain('SCRIPTED');
});

it('a script that names no alert answers all of them, with the caveat', async () => {
  const done = await run({ alert: FOREIGN, script: script({ for: undefined }) });
  expect(done.session).toMatchObject({ status: 'completed', finalAnalysis: CAUSE });
  expect(caveatsOf(done)).toEqual(['SCRIPTED']);
});
