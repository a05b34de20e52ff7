import { expect, it } from 'vitest';
import { STRATEGIES } from '../schema/agent.ts';
import { nativeThinking } from './nativeThinking.ts';
import { controllerFor } from './registry.ts';

it.each(STRATEGIES)('the strategy %s has a controller', (strategy) => {
  const methods = ['request', 'interpret', 'observe', 'explainFailure'];
  expect(Object.keys(controllerFor(strategy))).toEqual(expect.arrayContaining(methods));
});

it('native-thinking is NativeThinking', () => {
  expect(controllerFor('native-thinking')).toBe(nativeThinking);
});
