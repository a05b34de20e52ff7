// Calls for contrast: repeated by code before the check of claims, in an execution without a model.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { createQuotas } from '../../shared/contract/quotas.ts';
import { readClaims } from '../../shared/runtime/claims/readClaims.ts';
import type { ContrastCall } from '../../shared/schema/features/contrast.ts';
import { calls, type Play, type PlayedTool, playVerdict, states } from '../support/verdictBench.ts';

const asked = vi.hoisted(() => ({ calls: [] as unknown[] }));
vi.mock('../../shared/runtime/claims/contrastsToAsk.ts', () => ({ contrastsToAsk: () => asked.calls }));
afterEach(() => {
  asked.calls = [];
});

const POD = { pod: 'web-1' };
const H1 = { id: 'h1', component: 'service:web', mechanism: 'memory', cause: true };
const STATE = { id: 'e1', hypothesis: 'h1', quote: 'last state OOMKilled' };
const status: PlayedTool = {
  answer: ({ pod }) => (pod === 'web-1' ? 'last state OOMKilled' : `${pod} never restarted`),
  yields: 'state',
};
const play = (changes: Partial<Play> = {}): Play => ({
  tools: { 'pods.status': status, ...changes.tools },
  turns: [
    calls(['pods.status', POD]),
    states({ hypotheses: [H1], evidence: [STATE] }),
    { text: 'web runs out of memory.' },
  ],
  ...(changes.options && { options: changes.options }),
  ...(changes.prepare && { prepare: changes.prepare }),
});
const contrast = (pod: string, tool = 'pods.status'): ContrastCall => ({
  tool,
  arguments: JSON.stringify({ pod }),
  support: '01-investigator:e1',
  by: 'sibling',
});
const CHECKED = ['01-claims-check', '01-investigation'];
const CONTRASTED = ['01-claims-check', '01-contrast-check', '01-investigation'];

/** Plays a session. @returns the calls that were asked, each with the text of its result. */
async function ask(changes: Partial<Play> = {}, ...wanted: ContrastCall[]) {
  asked.calls = wanted;
  const { session, bench, stages, executions, checked } = await playVerdict(play(changes));
  const read = await readClaims(session, bench.deps.store, bench.deps.clock.now());
  return {
    session,
    checked,
    execution: executions.find(({ agentName }) => agentName === 'contrast-check'),
    ids: stages.map(({ stageId }) => stageId).sort(),
    answers: read.contrasts.map(({ call, result }) => [call.arguments, result?.text]),
  };
}

describe('calls for contrast', () => {
  it('run before the claims are checked, without a model, and are no results of an agent', async () => {
    const { session, checked, execution, ids, answers } = await ask({}, contrast('web-2'), contrast('web-3'));
    expect(ids).toEqual(CONTRASTED);
    expect(answers).toEqual([
      ['{"pod":"web-2"}', 'web-2 never restarted'],
      ['{"pod":"web-3"}', 'web-3 never restarted'],
    ]);
    expect(session).toMatchObject({ status: 'completed', verdict: { value: 'inconclusive' } });
    expect(execution).toMatchObject({ status: 'completed', toolCalls: 2, finalAnalysis: null });
    expect(execution?.tokens.total).toBe(0);
    expect(execution?.deadline.getTime()).toBe((execution?.createdAt.getTime() ?? 0) + 60_000);
    expect(checked?.combined.results.map(({ id }) => id)).toEqual(['a.r4']);
    expect(checked?.combined.calls.size).toBe(1);
  });

  it.each<[string, Partial<Play>, ContrastCall[]]>([
    ['there are none', {}, []],
    ['the chain has them off', { options: { contrast: 'off' } }, [contrast('web-2')]],
    ['they cannot be sent as they are', {}, [contrast(`\${pod}`), contrast('[masked:key]')]],
  ])('are not made where %s', async (_, changes, wanted) => {
    expect(await ask(changes, ...wanted)).toMatchObject({ ids: CHECKED, answers: [] });
  });

  it('are at most six', async () => {
    const wanted = Array.from({ length: 9 }, (_, index) => contrast(`web-${index + 2}`));
    expect((await ask({}, ...wanted)).answers).toHaveLength(6);
  });

  it.each<[string, Partial<Play>]>([
    ['its tool is not offered', {}],
    ['its tool is not read-only', { tools: { 'pods.other': { answer: 'done', readOnly: false } } }],
    [
      'the quota of its server is used up',
      {
        tools: { 'pods.other': { answer: 'well' } },
        prepare: ({ deps }) => {
          deps.quotas = createQuotas({ models: {}, servers: { pods: { perMinute: 1 } } });
        },
      },
    ],
  ])('one was not asked where %s', async (_, changes) => {
    const { ids, answers, session } = await ask(changes, contrast('web-2', 'pods.other'));
    expect({ ids, answers }).toEqual({ ids: CONTRASTED, answers: [] });
    expect(session).toMatchObject({ status: 'completed', verdict: { value: 'inconclusive' } });
  });

  it('one without an answer is known, without a result', async () => {
    const tools = { 'pods.slow': { answer: undefined } };
    const { answers } = await ask({ tools }, contrast('web-2', 'pods.slow'), contrast('web-3'));
    expect(answers).toEqual([
      ['{"pod":"web-2"}', undefined],
      ['{"pod":"web-3"}', 'web-3 never restarted'],
    ]);
  });
});
