import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deriveApprovalId, readApprovalId } from './approvalId.ts';

const execution = { sessionId: 's', executionId: '01-a', iteration: 1 };

it('derives from the call: the same for the same, another for any other', () => {
  const id = deriveApprovalId(execution, 0);
  expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
  const others = [
    deriveApprovalId(execution, 1),
    deriveApprovalId({ ...execution, iteration: 2 }, 0),
    deriveApprovalId({ ...execution, executionId: '01-b' }, 0),
    deriveApprovalId({ ...execution, sessionId: 't' }, 0),
  ];
  expect(deriveApprovalId(execution, 0)).toBe(id);
  expect(new Set([id, ...others]).size).toBe(5);
});

it('is read however a person types it', () => {
  fc.assert(
    fc.property(fc.nat(1_000), (iteration) => {
      const id = deriveApprovalId({ ...execution, iteration }, 0);
      expect(readApprovalId(id)).toBe(id);
      expect(readApprovalId(` ${id.toUpperCase().replace('-', '')} `)).toBe(id);
      expect(readApprovalId(id.replaceAll('0', 'o').replaceAll('1', 'l'))).toBe(id);
    }),
  );
});
