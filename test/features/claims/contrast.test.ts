// Calls for contrast: repeated by code before the check of claims, in an execution without a model.

import { expect, it } from 'vitest';
import { NOT_RECORDED } from '../../../shared/cases/caseTools.ts';
import { createQuotas } from '../../../shared/contract/quotas.ts';
import { putDocument } from '../../../shared/core/contract/store.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { forgetAt, ownersPart, topologyId, topologyType } from '../../../shared/kits/topology/topology.ts';
import { calls, type Play, type PlayedTool, playVerdict, states } from './verdictBench.ts';

const LONG_AGO = '2020-01-01T00:00:00Z';
/** A pod as kubectl prints it. */
const podText = (name: string, reason: string, ready: string): string => `apiVersion: v1
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
      status: "${ready}"
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
          message: "${name}"`;

/** Its sibling web-2 is not ready at the reading. @param later its text when code asks again. */
const pods = (later: string | undefined, changes: Partial<PlayedTool> = {}): Record<string, PlayedTool> => {
  let reads = 0;
  const answer = ({ name }: Record<string, unknown>) => {
    if (name === 'web-1') return podText('web-1', 'OOMKilled', 'False');
    return reads++ === 0 ? podText('web-2', 'OOMKilled', 'False') : later;
  };
  return { 'k8s.pods_get': { answer, yields: 'state', fields: 'kubernetes', ...changes } };
};
const WELL = podText('web-2', 'Completed', 'True');
const H1 = { id: 'h1', component: 'k8s:eu/shop/Pod/web-1', mechanism: 'memory', cause: true };
const STATE = { id: 'e1', hypothesis: 'h1', quote: 'reason: OOMKilled\nmessage: "web-1"' };

/** Plays a session whose agent reads two pods. @returns code's questions, and results. */
async function ask(tools: Play['tools'], changes: Partial<Play> = {}) {
  const { session, stages, executions, checked, verdict } = await playVerdict({
    tools,
    turns: [
      calls(['k8s.pods_get', { name: 'web-1' }], ['k8s.pods_get', { name: 'web-2' }]),
      states({ hypotheses: [H1], evidence: [STATE] }),
      { text: 'web-1 runs out of memory.' },
    ],
    ...changes,
  });
  return {
    session,
    checked,
    verdict: verdict.value,
    execution: executions.find(({ agentName }) => agentName === 'contrast-check'),
    isAsked: stages.some(({ stageId }) => stageId === '01-contrast-check'),
    answers: checked?.contrasts.map(({ call, result }) => [call.arguments, result?.text]),
  };
}

it('calls for contrast run before the claims are checked, without a model, and are no results of an agent', async () => {
  const { session, checked, execution, answers, verdict } = await ask(pods(WELL));
  expect(answers).toEqual([['{"name":"web-2"}', WELL]]);
  expect([session.status, verdict]).toEqual(['completed', 'confirmed']);
  expect(execution).toMatchObject({ status: 'completed', toolCalls: 1, finalAnalysis: null });
  expect(execution?.tokens.total).toBe(0);
  expect(execution?.deadline.getTime()).toBe((execution?.createdAt.getTime() ?? 0) + 60_000);
  expect(checked?.combined.results).toHaveLength(2);
  expect(checked?.combined.calls.size).toBe(2);
});

it('a sibling with the same state makes it usual, and the reason names no contrast', async () => {
  const { session, verdict } = await ask(pods(podText('web-2', 'OOMKilled', 'True')));
  expect(verdict).not.toBe('confirmed');
  const says = 'last state OOMKilled';
  expect(readPart(verdictPart, session)?.reason).toMatchObject({ says, by: null, why: 'usual' });
});

it('a chain can switch them off', async () => {
  const played = await ask(pods(WELL), { options: { contrast: 'off' } });
  expect(played).toMatchObject({ isAsked: false, answers: [], verdict: 'likely' });
});

it.each<[string, Play['tools'], Partial<Play>]>([
  ['its tool costs', pods(WELL, { costs: true }), {}],
  [
    'no answer is recorded',
    pods(NOT_RECORDED.content, { isError: (text) => text === NOT_RECORDED.content }),
    {},
  ],
  ['its tool has changed', pods(WELL, { changesAt: 4 }), {}],
  [
    'the quota of its server is used up',
    pods(WELL),
    {
      prepare: ({ deps }) => {
        deps.quotas = createQuotas({ models: {}, servers: { k8s: { perMinute: 2 } } });
      },
    },
  ],
])('a call was not asked where %s', async (_, tools, changes) => {
  expect(await ask(tools, changes)).toMatchObject({ isAsked: true, answers: [], verdict: 'likely' });
});

it('a call without an answer is known, without a result', async () => {
  expect(await ask(pods(undefined))).toMatchObject({
    answers: [['{"name":"web-2"}', undefined]],
    verdict: 'likely',
  });
});

/** A session that reads web-1 alone, after an earlier one learned the controller of web-2. */
async function askLearned(by: 'stated' | 'seen', later = WELL) {
  const answer = ({ name }: Record<string, unknown>) =>
    name === 'web-1' ? podText('web-1', 'OOMKilled', 'False') : later;
  const { session, answers, verdict } = await ask(
    { 'k8s.pods_get': { answer, yields: 'state', fields: 'kubernetes' } },
    {
      turns: [
        calls(['k8s.pods_get', { name: 'web-1' }]),
        states({ hypotheses: [H1], evidence: [STATE] }),
        { text: 'web-1 runs out of memory.' },
      ],
      alert: { title: 'Crash', labels: { namespace: 'shop', pod: 'web-2' } },
      prepare: ({ deps: { store, clock } }) => {
        const at = clock.now();
        const edge = {
          ...{ from: 'k8s:-/shop/Pod/web-2', to: 'k8s:-/shop/ReplicaSet/web', how: 'owned' as const, by },
          ...{ line: 1, event: 3, at, count: 1, executionId: '01-a' },
        };
        const learned = { tenantId: 'default', sessionId: 's', edges: [edge], names: ['web-2', 'web'], at };
        const path = topologyType.paths.topology(topologyId('default', 's', at));
        void store.commit([putDocument(path, topologyType, { ...learned, expireAt: forgetAt(at) })]);
      },
    },
  );
  return { answers, verdict, owned: readPart(ownersPart, session)?.owned };
}

it('a sibling that a control plane stated to an earlier session is asked for, and only its answer counts', async () => {
  const { answers, verdict, owned } = await askLearned('stated');
  expect(owned).toEqual([{ object: 'k8s:-/shop/Pod/web-2', owner: 'k8s:-/shop/ReplicaSet/web' }]);
  expect([answers, verdict]).toEqual([[['{"name":"web-2"}', WELL]], 'confirmed']);
  expect((await askLearned('stated', podText('web-2', 'OOMKilled', 'True'))).verdict).not.toBe('confirmed');
  const ofOther = WELL.replace('name: web\n', 'name: other\n');
  expect((await askLearned('stated', ofOther)).verdict).toBe('likely');
});

it('an edge that was only seen proposes no call', async () => {
  expect(await askLearned('seen')).toEqual({ answers: [], verdict: 'likely', owned: undefined });
});
