import { expect, it } from 'vitest';
import type { SendResult } from '../../contract/destination.ts';
import { destinationStateType } from '../../kits/deliveries/delivery.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { enterCircuit, recordResult, refusalUntil, tryNow } from './destinationCircuit.ts';

const START = Date.parse('2026-11-26T09:00:00Z');
const DISABLED_UNTIL = new Date('9999-12-31T00:00:00Z');
const failure = { code: 'token_revoked', message: 'Install the app again.' };
const REFUSED: SendResult = { outcome: 'refused', failure };

/** A destination that has refused some messages. */
async function refusing(refusals: number) {
  const time = { now: START };
  const now = () => new Date(time.now);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const deps = { store: createMemoryStore(now), clock: { now } as never, log };
  const circuit = {
    /** Seconds until a message is sent; 0 for now. */
    enter: async (name = 'team') => {
      const until = await enterCircuit(name, deps);
      return until === null ? 0 : (until.getTime() - time.now) / 1_000;
    },
    record: (result: SendResult) => recordResult('team', result, deps),
    stored: async () =>
      (await deps.store.get(destinationStateType.paths.destination('team'), destinationStateType))?.value,
    tryNow: () => tryNow('team', deps),
    pass: (seconds: number) => {
      time.now += seconds * 1_000;
    },
  };
  for (let refusal = 0; refusal < refusals; refusal++) await circuit.record(REFUSED);
  return circuit;
}

it.each([
  [2, []],
  [2, [{ outcome: 'sent', ref: null }, REFUSED, REFUSED]],
  [2, [{ ...REFUSED, isOnlyThis: true }]],
  [2, [{ outcome: 'retry', failure, retryAfterMs: null }]],
  [2, [{ outcome: 'unknown', failure }]],
  [2, [{ outcome: 'gone', failure }]],
] as [number, SendResult[]][])('%i refusals and %j do not stop messages', async (refusals, results) => {
  const circuit = await refusing(refusals);
  for (const result of results) await circuit.record(result);
  expect(await circuit.enter()).toBe(0);
});

it('three refusals in a row stop the messages of this destination for ten minutes', async () => {
  const circuit = await refusing(3);
  expect(await circuit.enter()).toBe(600);
  expect(await circuit.enter('other')).toBe(0);
  circuit.pass(599);
  expect(await circuit.enter()).toBe(1);
});

it.each([
  ['the next ones are sent after it is accepted', { outcome: 'sent', ref: null }, 0, 0],
  ['the next ones wait ten minutes after it is refused', REFUSED, 600, 540],
  ['the next one tries it after a minute without a result', undefined, 60, 0],
] as [string, SendResult | undefined, number, number][])(
  'after the ten minutes one message tries the destination: %s',
  async (_, result, wait, afterMinute) => {
    const circuit = await refusing(3);
    circuit.pass(600);
    expect(await circuit.enter()).toBe(0);
    expect(await circuit.enter()).toBe(60);
    if (result !== undefined) await circuit.record(result);
    expect(await circuit.enter()).toBe(wait);
    circuit.pass(60);
    expect(await circuit.enter()).toBe(afterMinute);
  },
);

it('one message tries it at once where a person asks for that, and the others wait for its result', async () => {
  const circuit = await refusing(3);
  await circuit.tryNow();
  expect(await circuit.enter()).toBe(0);
  expect(await circuit.enter()).toBe(60);
});

const DAY_MS = 24 * 3_600_000;

it('the state of a destination has its refusals, and is kept for 30 days after a change', async () => {
  const circuit = await refusing(0);
  await circuit.record({ outcome: 'sent', ref: null });
  await circuit.tryNow();
  expect(await circuit.stored()).toBeUndefined();
  await circuit.record(REFUSED);
  const expireAt = new Date(START + 30 * DAY_MS);
  const none = { destination: 'team', hour: '', roots: 0, expireAt };
  expect(await circuit.stored()).toEqual({ ...none, refusals: 1, closedUntil: null, failure });
  await circuit.record({ outcome: 'sent', ref: null });
  expect(await circuit.stored()).toEqual({ ...none, refusals: 0, closedUntil: null, failure: null });
});

it('one that asks for no further messages gets none until a person asks', async () => {
  const circuit = await refusing(0);
  await circuit.record({ outcome: 'refused', failure, isLast: true });
  expect(await circuit.stored()).toMatchObject({ refusals: 3, failure, closedUntil: DISABLED_UNTIL });
  expect(refusalUntil(DISABLED_UNTIL)).toMatchObject({ code: 'destination_disabled' });
  expect(refusalUntil(new Date(START))).toBeUndefined();
  circuit.pass(365 * 86_400);
  expect(await circuit.enter()).toBeGreaterThan(0);
  await circuit.tryNow();
  expect(await circuit.enter()).toBe(0);
  await circuit.record({ outcome: 'sent', ref: null });
  expect(await circuit.enter()).toBe(0);
  expect(await circuit.stored()).toMatchObject({ refusals: 0, closedUntil: null, failure: null });
});
