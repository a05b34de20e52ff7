import { expect, it } from 'vitest';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createThrottle } from './throttle.ts';

it('gives each message of a place its turn, and reports the due time to those that would wait too long', async () => {
  const clock = createTestClock();
  const start = clock.now().getTime();
  const pace = createThrottle(clock);
  const done: number[] = [];
  const turns = Array.from({ length: 3 }, async (_, index) => {
    expect(await pace('a', 1_000)).toBeNull();
    done.push(index, clock.now().getTime() - start);
  });
  expect(await pace('b', 1_000)).toBeNull();
  await turns[0];
  clock.advance(1_000);
  await turns[1];
  clock.advance(1_000);
  await Promise.all(turns);
  expect(done).toEqual([0, 0, 1, 1_000, 2, 2_000]);
  expect(await pace('c', 90_000)).toBeNull();
  expect(await pace('c', 1_000)).toEqual(new Date(start + 92_000));
});
