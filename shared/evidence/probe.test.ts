// The comparison of a recorded action with the one that an analysis named, and the times of repeated calls.

import { expect, it } from 'vitest';
import { argumentsAt, isNamedAction } from './probe.ts';

it.each([
  ['kubectl rollout undo deployment/checkout', 'kubectl rollout undo deployment/checkout -n shop', true],
  ['Roll back checkout to 1.41.0', 'rolled back to 1.41.0', true],
  ['Restart checkout', 'restarted checkout', true],
  ['Restart checkout', 'restarted cart', false],
  ['Restart checkout', 'scaled checkout to 8 replicas', false],
  ['Raise the memory limit of checkout', 'shop restart {"service":"checkout"}', false],
  ['Restart', 'Restart', false],
  ['', 'restarted checkout', false],
])('of %j, the action %j is named: %j', (named, recorded, expected) => {
  expect(isNamedAction(named, recorded, 'k8s:eu/shop/Deployment/checkout')).toBe(expected);
});

it('fills in the times of a check, and nothing else', () => {
  const json = `{"end": "\${now}", "start": "\${now-90m}", "day": "\${now-1d}", "text": "now-1h"}`;
  expect(JSON.parse(argumentsAt({ arguments: json }, new Date('2026-11-27T09:00:00Z')))).toEqual({
    end: '2026-11-27T09:00:00.000Z',
    start: '2026-11-27T07:30:00.000Z',
    day: '2026-11-26T09:00:00.000Z',
    text: 'now-1h',
  });
});
