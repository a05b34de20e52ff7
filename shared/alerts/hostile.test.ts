// Payloads of all sources, damaged in every way: reading one never throws, gives an alert that can be stored,
// and keeps the original.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PAYLOADS, payloadOf } from '../../test/alerts/payloads.ts';
import { randomRuns } from '../../test/support/fullTests.ts';
import { createMasker } from '../masking/masker.ts';
import { makeVisible } from '../text/hiddenCharacters.ts';
import { ADAPTERS } from './adapters.ts';
import { decodeText } from './decodeAlert.ts';
import { createFieldReader } from './fields/fieldReader.ts';
import { readAlert } from './index.ts';
import { alertSchema } from './schema/alert.ts';

const SEED = 20261120;
/** Nothing is masked here: what is compared is the original. */
const masker = { mask: (text: string) => ({ text, count: 0 }), maskJson: (value: unknown) => ({ value }) };
const JSON_PAYLOADS = PAYLOADS.filter(({ file }) => file.endsWith('.json')).map(({ data }) =>
  JSON.parse(data.toString()),
);

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  [],
  {},
  [[[]]],
  'x'.repeat(50_000),
  '\u0000\u202e\u200b',
  '\ud800',
  JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {}}}'),
  '{"a":',
  '[FIRING]',
  'e30=',
  'javascript:alert(1)',
  '0001-01-01T00:00:00Z',
  '9999999999999999999',
  ['a', null, 7],
  { toString: 1, length: -1 },
  deep(200),
];

function deep(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { data: value };
  return value;
}

/** The payload with the value at the `target`th place (of all values) replaced, removed or wrapped. */
function mutate(payload: unknown, target: number, change: (value: unknown) => unknown): unknown {
  let index = 0;
  const total = countValues(payload);
  const walk = (value: unknown): unknown => {
    if (index++ === target % total) return change(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, walk(entry)]));
  };
  return walk(payload);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, entry) => sum + countValues(entry), 1);
}

const mutation = fc.record({
  target: fc.nat(500),
  odd: fc.nat(ODD_VALUES.length - 1),
  kind: fc.constantFrom('replace', 'remove', 'list', 'wrap', 'text'),
});

function apply(
  payload: unknown,
  { target, odd, kind }: { target: number; odd: number; kind: string },
): unknown {
  return mutate(payload, target, (value) => {
    if (kind === 'remove') return undefined;
    if (kind === 'list') return [value, ODD_VALUES[odd]];
    if (kind === 'wrap') return { data: value, message: ODD_VALUES[odd] };
    return kind === 'text' ? JSON.stringify(value) : ODD_VALUES[odd];
  });
}

function checkReading(bytes: Uint8Array): void {
  const reading = readAlert(bytes, masker);
  if (!reading.ok) {
    expect(['ALERT_EMPTY', 'ALERT_INVALID']).toContain(reading.failure.code);
    return;
  }
  const { alert, body, trace } = reading;
  expect(alertSchema.parse(alert)).toEqual(alert);
  expect(JSON.stringify(alert).length).toBeLessThan(150_000);
  expect(JSON.stringify(trace).length).toBeLessThan(50_000);
  if (!trace.envelopes.includes('base64')) expect(body).toBe(makeVisible(decodeText(bytes)));
  expect(Object.getPrototypeOf(alert.labels)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
}

it('a mutated payload never throws and never loses the original', () => {
  const property = fc.property(
    fc.nat(JSON_PAYLOADS.length - 1),
    fc.array(mutation, { minLength: 1, maxLength: 4 }),
    (index, mutations) => {
      const mutated = mutations.reduce<unknown>((value, one) => apply(value, one), JSON_PAYLOADS[index]);
      checkReading(Buffer.from(JSON.stringify(mutated ?? null)));
    },
  );
  fc.assert(property, { seed: SEED, numRuns: randomRuns(600) });
});

it('a payload with damaged bytes never throws and never loses the original', () => {
  const damage = fc.record({
    at: fc.nat(),
    bytes: fc.uint8Array({ maxLength: 4 }),
    kind: fc.constantFrom('overwrite', 'insert', 'cut'),
  });
  const property = fc.property(
    fc.nat(PAYLOADS.length - 1),
    fc.array(damage, { maxLength: 3 }),
    (index, damages) => {
      let bytes: Buffer = PAYLOADS[index]?.data ?? Buffer.of();
      for (const { at, bytes: odd, kind } of damages) {
        const place = at % (bytes.length + 1);
        const rest = kind === 'insert' ? place : place + odd.length;
        bytes =
          kind === 'cut'
            ? bytes.subarray(0, place)
            : Buffer.concat([bytes.subarray(0, place), odd, bytes.subarray(rest)]);
      }
      checkReading(bytes);
    },
  );
  fc.assert(property, { seed: SEED, numRuns: randomRuns(400) });
});

it('no adapter throws, whatever it is given and whether it recognises it or not', () => {
  const values = [...JSON_PAYLOADS, ...ODD_VALUES, undefined];
  for (const adapter of ADAPTERS) {
    for (const payload of values) {
      const input = { payload, attributes: {}, receivedAt: null };
      expect(() => adapter.recognise(input)).not.toThrow();
      expect(() => adapter.read(createFieldReader(payload), input)).not.toThrow();
    }
  }
});

it.each([
  [
    'duplicate keys: the last one counts',
    '{"title":"a","status":"firing","status":"resolved","title":"b"}',
    { title: 'b', status: 'resolved' },
  ],
  [
    'a huge text',
    JSON.stringify({ version: '4', groupKey: 'g', alerts: [], status: 'x'.repeat(900_000) }),
    { source: 'alertmanager' },
  ],
  [
    'very many alerts',
    JSON.stringify({ version: '4', groupKey: 'g', alerts: Array(20_000).fill({ status: 'firing' }) }),
    { source: 'alertmanager', status: 'firing' },
  ],
  [
    'very many entries of a list',
    JSON.stringify(
      Array(5_000)
        .fill(JSON.parse(payloadOf('aws.sns.firing.json').toString()))
        .slice(0, 900),
    ),
    { source: 'aws' },
  ],
  [
    'deep labels',
    `{"version":"4","groupKey":"g","alerts":[{"labels":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}]}`,
    { source: 'alertmanager' },
  ],
])('survives %s', (_, body, facts) => {
  const reading = readAlert(Buffer.from(body), createMasker({}));
  expect(reading).toMatchObject({ ok: true, alert: facts });
  if (reading.ok) expect(reading.alert.members.length).toBeLessThanOrEqual(30);
});
