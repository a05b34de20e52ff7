import { expect, it } from 'vitest';
import { STRATEGIES } from './abilities.ts';
import { nativeThinking } from './nativeThinking.ts';
import { controllerFor } from './registry.ts';

it('the strategies are these', () => {
  expect(STRATEGIES).toEqual([
    'react',
    'native-thinking',
    'synthesis',
    'synthesis-native-thinking',
    'single-call',
  ]);
});

it.each(STRATEGIES)('the strategy %s has a controller', (strategy) => {
  const members = [
    'abilities',
    'interactionType',
    'loops',
    'verbatim',
    'request',
    'interpret',
    'explainFailure',
  ];
  expect(Object.keys(controllerFor(strategy)).sort()).toEqual(members.sort());
});

it('native-thinking is NativeThinking', () => {
  expect(controllerFor('native-thinking')).toBe(nativeThinking);
});

it.each(['plan-and-execute', 'constructor', ''])('%j is refused, with the names there are', (strategy) => {
  expect(() => controllerFor(strategy)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_UNKNOWN_STRATEGY',
      message: expect.stringContaining(STRATEGIES.join(', ')),
    }),
  );
});
