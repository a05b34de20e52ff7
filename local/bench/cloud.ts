// The local cloud beside the official emulators: start, calls one after another and many at once, messages.

import { firestoreCalls, type Call, pubsubCalls } from './cloudCalls.ts';
import { type Contestant, contestants, type Start } from './contestants.ts';

const STARTS = 3;
const ROUNDS = 6;
const CALLS_A_ROUND = 15;
const WARM_UP = 20;
const AT_ONCE = 16;

/** Measures all and prints a table. @param folder for files, which are left there. */
export async function measureCloud(folder: string): Promise<void> {
  const all = contestants(folder);
  const table: Table = new Map();
  await startTimes([all.memory, all.file, all.official], table);
  const running: Contestant[] = [];
  try {
    for (const start of Object.values(all)) {
      const contestant = await start();
      if (contestant !== undefined) running.push(contestant);
    }
    await firestoreTimes(running, table);
    await pubsubTimes(
      running.filter(({ name }) => name !== 'client alone'),
      table,
    );
  } finally {
    await Promise.all(running.map((contestant) => contestant.stop()));
  }
  print(table, ['local, memory', 'local, file', 'official', 'client alone']);
  if (!running.some(({ name }) => name === 'official')) console.log('The official emulators are not installed.');
}

/** Values by measurement and contestant. */
type Table = Map<string, Map<string, number[]>>;

function add(table: Table, measurement: string, contestant: string, values: number[]): void {
  const row = table.get(measurement) ?? new Map<string, number[]>();
  table.set(measurement, row.set(contestant, [...(row.get(contestant) ?? []), ...values]));
}

/** From nothing to connections on both ports. */
async function startTimes(starts: Start[], table: Table): Promise<void> {
  for (let round = 0; round < STARTS; round++) {
    for (const start of starts) {
      const begin = performance.now();
      const contestant = await start();
      if (contestant === undefined) continue;
      add(table, 'start, ms', contestant.name, [performance.now() - begin]);
      await contestant.stop();
    }
  }
}

async function firestoreTimes(running: Contestant[], table: Table): Promise<void> {
  const calls = await Promise.all(
    running.map(async (contestant) => ({
      name: contestant.name,
      ...(await firestoreCalls(contestant, contestant.name === 'client alone')),
    })),
  );
  for (const client of ['google', 'bare'] as const) {
    const measurements = new Set(calls.flatMap((each) => Object.keys(each[client])));
    const title = client === 'bare' ? ', bare gRPC' : '';
    for (const measurement of measurements) {
      const candidates = calls.flatMap(({ name, [client]: { [measurement]: call } }) => (call ? [{ name, call }] : []));
      await takeTurns(candidates, `${measurement}${title}, ms`, table, oneAfterAnother);
    }
    for (const measurement of ['get', 'commit of 1', 'query of 100']) {
      const candidates = calls.flatMap(({ name, [client]: { [measurement]: call } }) => (call ? [{ name, call }] : []));
      await takeTurns(candidates, `${measurement}${title}, ${AT_ONCE} at once, per s`, table, manyAtOnce);
    }
  }
  await Promise.all(calls.map((each) => each.close()));
}

async function pubsubTimes(running: Contestant[], table: Table): Promise<void> {
  const calls = await Promise.all(
    running.map(async (contestant) => ({ name: contestant.name, ...(await pubsubCalls(contestant)) })),
  );
  const pushes = calls.map(({ name, publishToPush }) => ({ name, call: publishToPush }));
  await takeTurns(pushes, 'publish until it is pushed, ms', table, oneAfterAnother);
  for (let round = 0; round < 4; round++) {
    for (const { name, bulk } of calls) {
      const rate = await bulk();
      // The first warms up.
      if (round > 0) add(table, 'publish of 10,000, per s', name, [rate]);
    }
  }
  await Promise.all(calls.map((each) => each.close()));
}

/** Round by round, so that the machine's moods hit all alike. */
async function takeTurns(
  candidates: { name: string; call: Call }[],
  measurement: string,
  table: Table,
  measure: (call: Call) => Promise<number[]>,
): Promise<void> {
  for (const { call } of candidates) for (let index = 0; index < WARM_UP; index++) await call();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, call } of candidates) add(table, measurement, name, await measure(call));
  }
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
    for (let index = 0; index < CALLS_A_ROUND / 4; index++) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [((AT_ONCE * CALLS_A_ROUND) / 4 / (performance.now() - begin)) * 1000];
}

function print(table: Table, names: string[]): void {
  console.log(`Local cloud, medians${' '.repeat(26)}${names.map((name) => name.padStart(14)).join('')}`);
  for (const [measurement, row] of table) {
    const values = names.map((name) => {
      const median = (row.get(name) ?? []).toSorted((a, b) => a - b).at(Math.floor((row.get(name)?.length ?? 0) / 2));
      return median === undefined ? '-' : median < 100 ? median.toFixed(2) : median.toFixed(0);
    });
    console.log(`  ${measurement.padEnd(44)}${values.map((value) => value.padStart(14)).join('')}`);
  }
}
