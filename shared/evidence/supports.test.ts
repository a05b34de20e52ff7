import { expect, it } from 'vitest';
import type { Speaking } from './contrast.ts';
import { mechanismRows } from './mechanisms.ts';
import type { StateRecord } from './records/record.ts';
import {
  bestContrast,
  citedStates,
  hasWords,
  identifyWriter,
  isLinked,
  isSupport,
  mechanismIn,
  namesComponent,
} from './supports.ts';

const TEXT = 'name: app\n  reason: OOMKilled\n  exitCode: 137\nname: OOMKilled';
const [row] = mechanismRows();
if (row === undefined) throw new Error('there is no row');

/** A state whose field is the first one of a text. */
function stateOf(value: string | number, record: Partial<StateRecord> = {}): Speaking {
  const start = TEXT.indexOf(String(value));
  const field = { value, start, end: start + String(value).length };
  const identity = { name: 'x', owners: [] };
  const own = { result: 'a.r1', kind: 'Pod', apiVersion: 'v1', identity, fields: new Map(), ...record };
  return { row: row as NonNullable<typeof row>, record: own, match: { fields: [field] } };
}
const series = { metric: 'm', labels: {}, samples: [] };

it.each<[string, Parameters<typeof citedStates>[0], Speaking, boolean]>([
  ['its line', { quote: 'reason: OOMKilled' }, stateOf('OOMKilled'), true],
  ['its line among others', { quote: 'name: app\n  reason: OOMKilled\nname' }, stateOf('OOMKilled'), true],
  ['a part of its line', { quote: 'OOMKilled' }, stateOf('OOMKilled'), true],
  ['its line and more', { quote: '- reason: OOMKilled, exitCode: 137' }, stateOf('OOMKilled'), true],
  ['its value in another line', { quote: 'name: OOMKilled' }, stateOf('OOMKilled'), false],
  ['its line without its value', { quote: 'reason: ' }, stateOf('OOMKilled'), false],
  ['no text', {}, stateOf('OOMKilled'), false],
  ['another line', { quote: 'exitCode: 137' }, stateOf('OOMKilled'), false],
  ['its value at a pointer', { pointer: '/status', value: ' OOMKilled ' }, stateOf('OOMKilled'), true],
  ['a number at a pointer', { pointer: '/exitCode', value: '137' }, stateOf(137), true],
  ['another value at a pointer', { pointer: '/status', value: 'Error' }, stateOf('OOMKilled'), false],
  [
    'a pointer beside its line',
    { pointer: '/status', value: 'Error', quote: 'reason: OOMKilled' },
    stateOf('OOMKilled'),
    false,
  ],
  [
    'its line in another result',
    { quote: 'reason: OOMKilled' },
    stateOf('OOMKilled', { result: 'a.r2' }),
    false,
  ],
  ['any line of a series', { quote: 'name: app' }, stateOf('OOMKilled', { series }), true],
  ['a series of another result', { quote: 'x' }, stateOf('OOMKilled', { series, result: 'a.r2' }), false],
])('evidence with %s cites a state', (_, evidence, state, expected) => {
  expect(citedStates(evidence, { id: 'a.r1', text: TEXT }, [state])).toEqual(expected ? [state] : []);
});

it.each(['137', ' 5.0 ', '5'])(
  'a value is cited as %j, as the result writes it or by its number',
  (value) => {
    const text = 'limit:  5.0 \ncode: 137';
    const fields = [
      { value: 5, start: 7, end: 12 },
      { value: 137, start: text.length - 3, end: text.length },
    ];
    const state = { ...stateOf(137), match: { fields } };
    expect(citedStates({ pointer: '/limit', value }, { id: 'a.r1', text }, [state])).toEqual([state]);
    const cited = citedStates({ quote: value.trim() }, { id: 'a.r1', text }, [state]);
    expect(cited).toHaveLength(value === '5' ? 0 : 1);
  },
);

it.each<[string, string, boolean]>([
  ['checkout has no memory', 'k8s:eu/shop/Deployment/checkout', true],
  ['Checkout has no memory', 'k8s:eu/shop/Deployment/checkout', true],
  ['pod checkout-7d9c6bf8d4-x2kqp', 'k8s:eu/shop/Deployment/checkout', true],
  ['shop/checkout: error', 'service:checkout', true],
  ['mycheckout', 'service:checkout', false],
  ['my-checkout', 'service:checkout', false],
  ['checkouts', 'service:checkout', false],
  ['db+1 is down', 'service:db.1', false],
  ['db.1 is down', 'service:db.1', true],
])('%j names %s: %s', (text, component, expected) => {
  expect(namesComponent(text, component)).toBe(expected);
  expect(namesComponent(text, undefined)).toBe(false);
});

it('a text speaks of the mechanisms of which it has a phrase, in any case', () => {
  expect(hasWords('the container was oomkilled', 'memory')).toBe(true);
  expect(hasWords('the container was oomkilled', 'lock')).toBe(false);
  expect(hasWords('the container was oomkilled', undefined)).toBe(false);
  expect(mechanismIn('0/3 nodes are available')).toBe('scheduling');
  expect(mechanismIn('all is well')).toBeUndefined();
});

it('mechanisms are linked in both directions of a documented effect', () => {
  expect(isLinked('release', 'memory')).toBe(true);
  expect(isLinked('memory', 'release')).toBe(true);
  expect(isLinked('lock', 'lock')).toBe(true);
  expect(isLinked('memory', 'lock')).toBe(false);
  expect(isLinked(undefined, 'memory')).toBe(false);
  expect(isLinked('memory', undefined)).toBe(false);
  expect(isLinked(undefined, undefined)).toBe(false);
});

it('neither a change nor a symptom supports a mechanism', () => {
  const rowWith = (changes: object) => ({ row: { ...stateOf('app').row, ...changes } });
  expect([{}, { change: true }, { symptom: true }].map((one) => isSupport(rowWith(one)))).toEqual([
    true,
    false,
    false,
  ]);
});

it('the best of several states is one that is shown to be new', () => {
  const scope = { sources: [], answers: [], alertAt: 3_600_000, now: 7_200_000 };
  const [old, fresh] = [stateOf('app'), stateOf('OOMKilled')].map((one, index) => ({
    ...one,
    match: { ...one.match, at: index * 3_600_000 - 1 },
  })) as [Speaking, Speaking];
  const shown = { state: fresh, contrast: { state: 'shown', by: 'moment' } };
  expect(bestContrast([old, fresh], scope)).toEqual(shown);
  expect(bestContrast([fresh, old], scope)).toEqual(shown);
  expect(bestContrast([], scope)).toBeUndefined();
});

it('all logs are one writer, other results one of their tool and object each', () => {
  expect(identifyWriter('k8s.pods_log', '[["pod","a"]]')).toBe('log');
  expect(identifyWriter('k8s.pods_get', '[["pod","a"]]')).toBe('k8s.pods_get [["pod","a"]]');
});
