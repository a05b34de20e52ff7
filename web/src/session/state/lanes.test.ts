// Letters, tones and names of agents that work side by side.

import { expect, it, onTestFinished, vi } from 'vitest';
import type { ExecutionView, SessionView, StageView } from '../../../../shared/lists/apiTypes.ts';
import { foldsLane, laneLetters, laneTone, listTopExecutions, plannedName, stageName } from './lanes.ts';

const execution = (agentName: string, parentExecutionId: string | null = null) => ({
  executionId: agentName,
  agentName,
  parentExecutionId,
});
const stage = (...names: string[]) => ({ executions: names.map((name) => execution(name)) });
const lettersIn = (...stages: object[]) =>
  [...laneLetters({ stages } as unknown as SessionView)].map(([id, letter]) => `${id}=${letter}`).join(' ');

it.each([
  ['one agent has none', [stage('logs')], ''],
  ['each agent has one', [stage('logs', 'metrics')], 'logs=A metrics=B'],
  ['later stages have other ones', [stage('a', 'b'), stage('only'), stage('c', 'd')], 'a=A b=B c=C d=D'],
  [
    'replicas share one',
    [stage('logs-1', 'logs-2', 'm'), stage('x', 'y')],
    'logs-1=A1 logs-2=A2 m=B x=C y=D',
  ],
  ['a name that ends like a replica has its own', [stage('logs-1', 'm-2', 'm')], 'logs-1=A m-2=B m=C'],
  ['agents that agents called have none', [{ executions: [execution('a'), execution('b', 'a')] }], ''],
])('letters of lanes: %s', (_, stages, letters) => {
  expect(lettersIn(...stages)).toBe(letters);
});

it('more agents than letters have a dot', () => {
  const names = Array.from({ length: 27 }, (_, index) => `agent${index}x`);
  expect(
    lettersIn(stage(...names))
      .split(' ')
      .slice(25),
  ).toEqual(['agent25x=Z', 'agent26x=·']);
});

it('the agents of a stage are those that no agent called', () => {
  const one = { executions: [execution('a'), execution('b', 'a')] } as unknown as StageView;
  expect(listTopExecutions(one).map(({ agentName }) => agentName)).toEqual(['a']);
});

it('tones repeat after eight letters', () => {
  expect(['A', 'B2', 'H', 'I', 'J1', '·', ''].map(laneTone).join(' ')).toBe('a b h a b a a');
});

it.each([
  ['active', 'found', true, false],
  ['completed', 'found', false, true],
  ['completed', null, true, true],
  ['completed', null, false, false],
])(
  'a lane that is %s starts folded, with the analysis %s, on a narrow screen: %s',
  (status, found, isNarrow, folds) => {
    vi.stubGlobal('matchMedia', () => ({ matches: isNarrow }));
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(foldsLane({ finalAnalysis: found } as SessionView, { status } as ExecutionView)).toBe(folds);
  },
);

it.each([
  [{ stageId: '02-look-at-logs', kind: 'investigation' }, 'Look at logs'],
  [{ stageId: '03-x', kind: 'synthesis' }, 'Synthesis'],
  [{ stageId: '04-', kind: 'investigation' }, '04-'],
])('a stage has a name: %j', (one, name) => {
  expect(stageName(one as StageView)).toBe(name);
});

it('a planned stage has the name that it will have', () => {
  const name = 'look-at-logs';
  expect(plannedName({ name, kind: 'investigation' } as never)).toBe('Look at logs');
  expect(plannedName({ name, kind: 'exec_summary' } as never)).toBe('Summary');
});
