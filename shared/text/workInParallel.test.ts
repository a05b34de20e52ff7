import { expect, it } from 'vitest';
import { workInParallel } from './workInParallel.ts';

it('works on each entry once, and on as many at a time as asked for', async () => {
  const started: number[] = [];
  let running = 0;
  let most = 0;
  await workInParallel([0, 1, 2, 3, 4, 5, 6], 3, async (entry) => {
    started.push(entry);
    most = Math.max(most, ++running);
    for (let turn = 0; turn <= entry; turn++) await undefined;
    running--;
  });
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(3);
});

it('works on undefined and on no entries, and rejects with the error of an entry', async () => {
  const seen: unknown[] = [];
  await workInParallel([undefined, 1], 8, async (entry) => void seen.push(entry));
  await workInParallel([], 8, async () => void seen.push('none'));
  expect(seen).toEqual([undefined, 1]);
  const failing = workInParallel([1, 2], 1, async (entry) => {
    seen.push(entry);
    throw new Error('store');
  });
  await expect(failing).rejects.toThrow('store');
  expect(seen).toEqual([undefined, 1, 1]);
});
