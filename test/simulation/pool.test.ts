import { expect, it } from 'vitest';
import { runTasks } from '../mutants/pool.ts';

it('each task of several processes is run and reported, also after one process has no task left', async () => {
  const module = new URL(
    'data:text/javascript,export const runTask = (ms) => new Promise((end) => setTimeout(end, ms, ms));',
  );
  const results: number[] = [];
  await runTasks<number, number>({
    module,
    tasks: [300, 0, 300],
    jobs: 4,
    onResult: (ms) => results.push(ms) > 0,
  });
  expect(results.toSorted((a, b) => a - b)).toEqual([0, 300, 300]);
});
