import { describe, expect, it } from 'vitest';
import { usedTokens } from '../../../test/support/allowances.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { embedWithin } from './embedWithin.ts';
import { openDayLedger } from './tokenLedger.ts';

describe('an embedding within the tokens of a day', () => {
  const world = (limit: number) => {
    const clock = createTestClock();
    const store = createMemoryStore(clock.now);
    const log = createLogger({ LOG_LEVEL: 'silent' });
    const ledger = openDayLedger([{ chain: null, limit }], { store, clock, log });
    const counted = async () => {
      await ledger.close();
      return usedTokens({ store, clock });
    };
    return { ledger, counted };
  };

  it('counts its text, and is refused where that has no room', async () => {
    const { ledger, counted } = world(100);
    const used: number[] = [];
    const texts: string[] = [];
    const embed = embedWithin(
      async (text) => ({ model: 'm', vector: [texts.push(text)] }),
      ledger,
      (tokens) => used.push(tokens),
    );
    await embed('1'.repeat(40), 'query');
    await expect(embed('2'.repeat(40), 'document')).rejects.toMatchObject({ code: 'BUDGET_REACHED' });
    expect([texts.length, used, await counted()]).toEqual([1, [40], 40]);
  });

  it('counts nothing when it fails', async () => {
    const { ledger, counted } = world(100);
    const failing = embedWithin(() => Promise.reject(new Error('down')), ledger);
    await expect(failing('1'.repeat(40), 'query')).rejects.toThrow('down');
    expect(await counted()).toBe(0);
  });
});
