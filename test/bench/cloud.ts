// The local cloud beside the official emulators: start, calls one after another and many at once, messages.

import { type Call, firestoreCalls, pubsubCalls } from './cloudCalls.ts';
import { type Contestant, contestants, type Start } from './contestants.ts';

const STARTS = 3;
const ROUNDS = 6;
const CALLS_A_ROUND = 15;
const WARM_UP = 20;
const AT_ONCE = 16;
/** Of each of those. */
const CALLS_EACH = 5;
const BULK_ROUNDS = 4;

/** In the order of the columns. */
const NAMES = ['local, memory', 'local, file', 'official', 'client only'];

/** Measures all and prints a line for each. @param folder for files, which are left there. */
export async function measureCloud(folder: string): Promise<void> {
  console.log(`Local cloud, medians${' '.repeat(26)}${NAMES.map((name) => name.padStart(14)).join('')}`);
  const all = contestants(folder);
  await startTimes([all.memory, all.file, all.official]);
  const running: Contestant[] = [];
  try {
    for (const start of Object.values(all)) {
      const contestant = await start();
      if (contestant === undefined) console.log('The official emulators are not installed.');
      else running.push(contestant);
    }
    await firestoreTimes(running);
    await pubsubTimes(running.filter(({ name }) => name !== 'client only'));
  } finally {
    await Promise.all(running.map((contestant) => contestant.stop()));
  }
}

/** Values by contestant. */
type Row = Map<string, number[]>;

function add(row: Row, contestant: string, values: number[]): void {
  row.set(contestant, [...(row.get(contestant) ?? []), ...values]);
}

/** From nothing to connections on both ports. */
async function startTimes(starts: Start[]): Promise<void> {
  const row: Row = new Map();
  for (let round = 0; round < STARTS; round++) {
    for (const start of starts) {
      const begin = performance.now();
      const contestant = await start();
      if (contestant === undefined) continue;
      add(row, contestant.name, [performance.now() - begin]);
      await contestant.stop();
    }
  }
  print('start, ms', row);
}

async function firestoreTimes(running: Contestant[]): Promise<void> {
  const calls = await Promise.all(
    running.map(async (contestant) => ({
      name: contestant.name,
      ...(await firestoreCalls(contestant, contestant.name === 'client only')),
    })),
  );
  for (const client of ['google', 'bare'] as const) {
    const title = client === 'bare' ? ', bare gRPC' : '';
    const candidates = (measurement: string) =>
      calls.flatMap(({ name, [client]: { [measurement]: call } }) => (call ? [{ name, call }] : []));
    for (const measurement of new Set(calls.flatMap((each) => Object.keys(each[client])))) {
      await takeTurns(`${measurement}${title}, ms`, candidates(measurement), oneAfterAnother);
    }
    for (const measurement of ['get', 'commit of 1', 'query of 100']) {
      const rate = `${measurement}${title}, ${AT_ONCE} at once, per s`;
      await takeTurns(rate, candidates(measurement), manyAtOnce);
    }
  }
  await Promise.all(calls.map((each) => each.close()));
}

async function pubsubTimes(running: Contestant[]): Promise<void> {
  const calls = await Promise.all(
    running.map(async (contestant) => ({ name: contestant.name, ...(await pubsubCalls(contestant)) })),
  );
  const pushes = calls.map(({ name, publishToPush }) => ({ name, call: publishToPush }));
  await takeTurns('publish until it is pushed, ms', pushes, oneAfterAnother);
  for (const measurement of Object.keys(calls[0]?.bulk ?? {})) {
    const row: Row = new Map();
    for (let round = 0; round < BULK_ROUNDS; round++) {
      for (const { name, bulk } of calls) {
        const rate = (await bulk[measurement]?.()) ?? 0;
        // The first warms up.
        if (round > 0) add(row, name, [rate]);
      }
    }
    print(`${measurement}, per s`, row);
  }
  await Promise.all(calls.map((each) => each.close()));
}

/** Round by round, so that the machine's moods hit all alike. */
async function takeTurns(
  measurement: string,
  candidates: { name: string; call: Call }[],
  measure: (call: Call) => Promise<number[]>,
): Promise<void> {
  const row: Row = new Map();
  for (const { call } of candidates) for (let index = 0; index < WARM_UP; index++) await call();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, call } of candidates) add(row, name, await measure(call));
  }
  print(measurement, row);
}

/** The milliseconds of each. */
async function oneAfterAnother(call: Call): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < CALLS_A_ROUND; index++) {
    const begin = performance.now();
    await call();
    times.push(performance.now() - begin);
  }
  return times;
}

/** How many a second. */
async function manyAtOnce(call: Call): Promise<number[]> {
  const begin = performance.now();
  const work = async () => {
    for (let index = 0; index < CALLS_EACH; index++) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [((AT_ONCE * CALLS_EACH) / (performance.now() - begin)) * 1000];
}

function print(measurement: string, row: Row): void {
  const values = NAMES.map((name) => {
    const sorted = (row.get(name) ?? []).toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)];
    return median === undefined ? '-' : median.toFixed(median < 100 ? 2 : 0);
  });
  console.log(`  ${measurement.padEnd(44)}${values.map((value) => value.padStart(14)).join('')}`);
}
