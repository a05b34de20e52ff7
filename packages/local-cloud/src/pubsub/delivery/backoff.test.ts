import { describe, expect, it } from 'vitest';
import { checkSettings } from '../fields/settings.ts';
import { redeliveryMs } from './backoff.ts';

const backoffs = (settings: object, attempts: number[]) =>
  attempts.map((attempt) => redeliveryMs(checkSettings(settings), attempt));
const pushConfig = { pushEndpoint: 'http://host/' };

describe('the back-off', () => {
  it('is none for a pull subscription without a retry policy', () => {
    expect(backoffs({}, [1, 2, 100])).toEqual([0, 0, 0]);
  });

  it('doubles between the limits of the retry policy', () => {
    const retryPolicy = { minimumBackoff: { nanos: 500_000_000 }, maximumBackoff: { seconds: '3' } };
    expect(backoffs({ retryPolicy }, [1, 2, 3, 4, 100])).toEqual([500, 1000, 2000, 3000, 3000]);
    expect(backoffs({ retryPolicy: {} }, [1, 2, 6, 7, 100])).toEqual([
      10_000, 20_000, 320_000, 600_000, 600_000,
    ]);
  });

  it('of a push doubles from 100 ms to 10 s', () => {
    expect(backoffs({ pushConfig }, [1, 2, 7, 8, 100])).toEqual([100, 200, 6_400, 10_000, 10_000]);
  });

  it('of a push is added to the retry policy', () => {
    expect(backoffs({ pushConfig, retryPolicy: {} }, [1, 2, 100])).toEqual([10_100, 20_200, 610_000]);
  });
});
