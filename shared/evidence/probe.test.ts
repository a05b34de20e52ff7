// Comparison of a result, of a recorded action with the named one, and times of repeated calls.

import { expect, it } from 'vitest';
import { argumentsAt, compareText, isNamedAction, type ProbeCall, probeFault } from './probe.ts';

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

it.each<[Partial<ProbeCall>, string, boolean | undefined]>([
  [{}, 'restart count: 4', true],
  [{}, 'restart count: 3', false],
  [{}, 'no such line', undefined],
  [{}, 'restart count: many', undefined],
  [{}, 'restart count: 2\nrestart count: 9', undefined],
  [{ value: 'four' }, 'restart count: 4', undefined],
  [{ is: 'below', find: 'memory', value: '256Mi' }, 'memory used 0.2Gi', true],
  [{ is: 'below', find: 'memory', value: '256Mi' }, 'memory used 300000000', false],
  [{ is: 'above', find: 'latency', value: '2 s' }, 'latency 2500 ms', true],
  [{ is: 'above', find: 'latency', value: '2 s' }, 'latency 250 MiB', undefined],
  [
    { is: 'above', find: 'last restart', value: '2026-11-17T09:00:00Z' },
    'last restart 2026-11-17T08:00:00Z',
    false,
  ],
  [{ is: 'equals', find: 'exit code', value: '137' }, 'exit code 137', true],
  [{ is: 'equals', find: 'memory', value: '1.2Gi' }, 'memory 1288490188', true],
  [{ is: 'equals', find: '/status/exitCode', value: '137' }, '{"status":{"exitCode":1}}', false],
  [{ is: 'above', find: '/items/0/restarts', value: '3' }, '{"items":[{"restarts":4}]}', true],
  [{ is: 'present', find: 'OOMKilled' }, 'reason OOMKilled', true],
  [{ is: 'present', find: 'OOMKilled' }, 'reason Error', false],
  [{ is: 'absent', find: 'OOMKilled' }, 'reason Error', true],
  [{ is: 'absent', find: 'OOMKilled' }, 'reason OOMKilled', false],
  [{ is: 'present', find: '/status/reason' }, '{"status":{"reason":"x"}}', true],
  [{ is: 'present', find: '/var/log is full' }, 'disk /var/log is full', true],
  [{}, 'restart count: 4\nother: 5', true],
  [{}, 'restart count:\n4', undefined],
  [{ is: 'below' }, 'restart count: 3', false],
  [{ is: 'above', value: '2 GiB', find: 'memory' }, 'memory 3 GiB', true],
  [{ is: 'above', value: '2 GiB', find: 'memory' }, 'memory 2500 MiB', true],
  [{ is: 'above', value: '09:00' }, 'restart count: 4', undefined],
])('that %o holds in "%s" is %s', (comparison, result, holds) => {
  expect(compareText({ find: 'restart count', is: 'above', value: '3', ...comparison }, result)).toBe(holds);
});

const PROBE: ProbeCall = {
  tool: 'k8s.pods_get',
  arguments: `{"name":"a","at":"\${now-15m}"}`,
  find: 'OOMKilled',
  is: 'absent',
};
const SHOWN = { tool: 'k8s.pods_get', arguments: '{"name":"a","at":"x"}', text: 'OOMKilled', isError: false };
const OVER = { ...SHOWN, text: 'Completed' };
const NONE_MADE = 'you made no such call that was answered';
it.each<[string, Partial<ProbeCall>, (typeof SHOWN)[], string | undefined]>([
  ['a call that showed the problem', {}, [SHOWN], undefined],
  ['one that did once', {}, [OVER, SHOWN], undefined],
  ['no JSON', { arguments: 'a' }, [SHOWN], 'its arguments are no JSON object'],
  ['a list', { arguments: '[]' }, [SHOWN], 'its arguments are no JSON object'],
  ['a label', { arguments: `{"name":"\${labels.pod}"}` }, [SHOWN], 'its arguments hold "${" that is no time'],
  ['a mask', { arguments: '{"name":"[masked:token]"}' }, [SHOWN], 'its arguments hold a masked value'],
  ['no earlier call', {}, [], NONE_MADE],
  ['a call of another tool', {}, [{ ...SHOWN, tool: 'k8s.pods_log' }], NONE_MADE],
  ['a call that failed', {}, [{ ...SHOWN, isError: true }], NONE_MADE],
  ['a call for another thing', {}, [{ ...SHOWN, arguments: '{"name":"b"}' }], NONE_MADE],
  ['a call that did not show it', {}, [OVER], 'its result is already as if the problem were over'],
  [
    'nothing to compare',
    { find: 'restarts', is: 'below', value: '3' },
    [SHOWN],
    'its result has nothing to compare',
  ],
])('a probe with %s: %j', (_, changes, earlier, fault) => {
  expect(probeFault({ ...PROBE, ...changes }, earlier)).toBe(fault);
});
