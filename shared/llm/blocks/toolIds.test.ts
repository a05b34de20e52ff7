import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistant, result, use, user } from './blocks.fixture.ts';
import { sanitizeToolId, sanitizeToolIds } from './toolIds.ts';

function idsAfter(ids: string[]): string[] {
  const messages = [assistant(...ids.map((id) => use(id))), user(...ids.map((id) => result(id)))];
  return sanitizeToolIds(messages).flatMap(({ blocks }) =>
    blocks.flatMap((block) => ('toolUseId' in block ? block.toolUseId : [])),
  );
}

describe('ids of calls', () => {
  it('1.6 [M] call:1.2 becomes call_1_2', () => {
    expect(sanitizeToolId('call:1.2')).toBe('call_1_2');
  });

  it('1.6 [M] calls and results are renamed alike', () => {
    expect(idsAfter(['call:1.2'])).toEqual(['call_1_2', 'call_1_2']);
  });

  it('1.6 [B] ids that become equal are kept apart, and a clean id is never taken away', () => {
    expect(idsAfter(['call:1', 'call.1', 'call_1']).slice(0, 3)).toEqual(['call_1_2', 'call_1_3', 'call_1']);
  });

  it('1.6 [B] different ids stay different, valid, and alike on both sides', () => {
    const id = fc.string({
      minLength: 1,
      maxLength: 60,
      unit: fc.constantFrom('a', '.', ':', '_', '1', 'ü'),
    });
    fc.assert(
      fc.property(fc.uniqueArray(id), (ids) => {
        const after = idsAfter(ids);
        expect(new Set(after).size).toBe(ids.length);
        expect(after.every((one) => /^[a-zA-Z0-9_-]{1,40}$/.test(one))).toBe(true);
        expect(after.slice(ids.length)).toEqual(after.slice(0, ids.length));
      }),
    );
  });
});
