import { expect, it } from 'vitest';
import { sampleAgent, sampleExecution, samplePlan, sampleSession } from '../../test/support/samples.ts';
import { type Origin, type Trust, UNREVIEWED } from '../schema/features/knowledge.ts';
import { sessionEntry } from './sessionEntry.ts';
import { outcomeOrigin, reviewedOrigin } from './trust.ts';

const origin = (trust: Trust): Origin => ({
  ...UNREVIEWED,
  sessionId: 's1',
  identity: null,
  exposed: true,
  shown: [],
  trust,
});

it.each([
  [['right'], 'confirmed'],
  [['right', 'right'], 'confirmed'],
  [['wrong'], 'refuted'],
  [['partly'], 'unreviewed'],
  [['right', 'partly'], 'unreviewed'],
  [['right', 'wrong'], 'unreviewed'],
  [[], 'unreviewed'],
] as const)('after the reviews %j an entry is %s', (ratings, trust) => {
  const reviews = ratings.map((rating, index) => ({
    by: `person-${index}`,
    review: { rating, cause: null, action: null, missed: null },
  }));
  expect(reviewedOrigin(origin('corroborated'), reviews).trust).toBe(trust);
});

it.each([
  ['unreviewed', 'held', 'confirmed', 'corroborated'],
  ['unreviewed', 'held', 'likely', 'corroborated'],
  ['unreviewed', 'held', 'inconclusive', 'unreviewed'],
  ['unreviewed', 'held', null, 'unreviewed'],
  ['unreviewed', 'self_resolved', 'confirmed', 'unreviewed'],
  ['corroborated', 'recurred', 'confirmed', 'unreviewed'],
  ['refuted', 'held', 'confirmed', 'refuted'],
  ['confirmed', 'recurred', 'confirmed', 'confirmed'],
  ['expired', 'held', 'confirmed', 'expired'],
] as const)(
  'an entry that is %s, after the outcome %s of the verdict %s, is %s',
  (from, outcome, verdict, to) => {
    expect(outcomeOrigin(origin(from), outcome, verdict).trust).toBe(to);
  },
);

const reads = { text: true, servers: [], entries: [] };
it.each([
  ['nothing', {}, {}, false],
  ['a result that others can write', {}, { reads }, true],
  ['the web, by a tool of its provider', { nativeTools: ['google_search'] }, {}, true],
  ['an answer of an agent that it asked', {}, { parentExecutionId: 'e0' }, true],
] as const)('the entry of a session that read %s has exposed: %s', (_, agent, execution, exposed) => {
  const chain = { name: 'default', stages: [{ ...samplePlan(), agents: [sampleAgent(agent as object)] }] };
  const session = sampleSession({ status: 'completed', finalAnalysis: 'Done.', chain });
  const entry = sessionEntry(session, [sampleExecution(execution as object)], new Date(0), (text) => text);
  expect(entry?.session?.exposed).toBe(exposed);
});
