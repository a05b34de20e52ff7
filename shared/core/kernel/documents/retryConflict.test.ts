import { expect, it, vi } from 'vitest';
import { RACE_LOST, retryLostRaces } from './retryConflict.ts';

it('repeats an attempt that lost, and returns the result of the winning one', async () => {
  const attempt = vi.fn().mockResolvedValueOnce(RACE_LOST).mockResolvedValueOnce('won');
  expect(await retryLostRaces('execution e', 5, attempt)).toBe('won');
  expect(attempt).toHaveBeenCalledTimes(2);
});

it('undefined is a result like any other', async () => {
  expect(await retryLostRaces('execution e', 1, async () => undefined)).toBeUndefined();
});

it('knows its last attempt, and fails with the name of the document that kept changing', async () => {
  const attempt = vi.fn().mockResolvedValue(RACE_LOST);
  await expect(retryLostRaces('execution e', 3, attempt)).rejects.toMatchObject({
    code: 'STORE_CONFLICT',
    message: 'execution e kept changing under 3 tries',
  });
  expect(attempt.mock.calls).toEqual([[{ isLast: false }], [{ isLast: false }], [{ isLast: true }]]);
});

it('returns a result of its own when every attempt lost, if it has one', async () => {
  const attempt = vi.fn().mockResolvedValue(RACE_LOST);
  expect(await retryLostRaces('execution e', 3, attempt, () => 'lost')).toBe('lost');
  expect(attempt).toHaveBeenCalledTimes(3);
});

it('an error of an attempt ends the repetitions', async () => {
  const attempt = vi.fn().mockRejectedValue(new Error('store'));
  await expect(retryLostRaces('execution e', 3, attempt)).rejects.toThrow('store');
  expect(attempt).toHaveBeenCalledTimes(1);
});
