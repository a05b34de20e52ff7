import { expect, it } from 'vitest';
import { afterFailure, CLOSED, circuitState } from './circuit.ts';

it.each([
  [0, 0, 'closed'],
  [2, 0, 'closed'],
  [3, 9, 'open'],
  [3, 10, 'half_open'],
] as const)('three failures in a row open it for ten: %i failures, at %i: %s', (failures, now, state) => {
  let circuit = CLOSED;
  for (let failure = 0; failure < failures; failure++) circuit = afterFailure(circuit, 3, () => 10);
  expect(circuitState(circuit, now)).toBe(state);
});

it('a failure of a request that tries opens it again, however few failures there were', () => {
  const once = afterFailure(CLOSED, 1, () => 10);
  const twice = afterFailure(once, 3, () => 30);
  expect(twice).toEqual({ failures: 2, openUntil: 30 });
});
