import { expect, it } from 'vitest';
import { adviseLimit } from './limitAdvice.ts';

const LIMITS = {
  sessionTokens: 50_000,
  dailyTokens: [
    { chain: null, limit: 100 },
    { chain: 'shop', limit: 20 },
    { chain: null, limit: 7, budget: { name: 'night' } },
  ],
};

it('names the number, its file and its value', () => {
  expect(adviseLimit('sessionTokens', LIMITS)).toBe(
    'sessionTokens (50000) of its chain in chains.yaml, or in system.yaml',
  );
  expect(adviseLimit('dailyTokens', LIMITS)).toBe(
    'dailyTokens (100) in system.yaml or dailyTokens (20) of chain shop in chains.yaml or tokens (7) of budget night in system.yaml',
  );
  expect(adviseLimit('dailyTokens', {})).toBe('dailyTokens');
});
