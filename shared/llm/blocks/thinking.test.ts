import { describe, expect, it } from 'vitest';
import type { BlockOf } from '../../core/schema/block.ts';
import { readOwnSignature, thinkingFor, thinkingOrText } from './thinking.ts';

function thinking(fields: Partial<BlockOf<'thinking'>> = {}): BlockOf<'thinking'> {
  return { blockType: 'thinking', textContent: 'x', ...fields };
}

describe('receiving a thought', () => {
  it.each([
    ['google', '{"thought_signature":"S"}'],
    ['anthropic', '{"signature":"S"}'],
  ])('1.2 [M] a signed thought of %s is a thinking block with provider and signature', (provider, data) => {
    expect(thinkingOrText({ text: 'Let me check', provider, signature: 'S' })).toEqual({
      blockType: 'thinking',
      textContent: 'Let me check',
      provider,
      providerData: data,
    });
  });

  it.each([undefined, ''])(
    '1.2 [M] a thought with signature %j is a text block without tags and data',
    (signature) => {
      expect(thinkingOrText({ text: 'x', provider: 'google', signature })).toEqual({
        blockType: 'text',
        textContent: 'x',
        provider: 'google',
      });
    },
  );
});

describe('sending a thought', () => {
  it('1.2 [M] its own provider gets it as it is', () => {
    const block = thinking({ provider: 'google', providerData: '{"thought_signature":"S"}' });
    expect(thinkingFor(block, 'google')).toBe(block);
  });

  it('1.2 [M] an empty signed thought is kept', () => {
    const block = thinking({ textContent: '', provider: 'anthropic', providerData: '{"signature":"S"}' });
    expect(thinkingFor(block, 'anthropic')).toBe(block);
  });

  it.each([
    ['of another provider', { provider: 'anthropic', providerData: '{"signature":"S"}' }, 'google'],
    ['without provider data', { provider: 'google' }, 'google'],
    ['with broken provider data', { provider: 'google', providerData: '{"thought_sig' }, 'google'],
    ['with an empty signature', { provider: 'google', providerData: '{"thought_signature":""}' }, 'google'],
    ['without provider', {}, 'google'],
    [
      'for a model that trusts no signature',
      { provider: 'google', providerData: '{"thought_signature":"S"}' },
      null,
    ],
  ])('1.2 [M] a thought %s becomes tagged text', (_, fields, target) => {
    expect(thinkingFor(thinking(fields), target)).toEqual({
      blockType: 'text',
      textContent: '<thinking>\nx\n</thinking>',
    });
  });

  it("1.2 [M] one provider's key is no signature for another", () => {
    const block = thinking({ provider: 'anthropic', providerData: '{"thought_signature":"S"}' });
    expect(readOwnSignature(block, 'anthropic')).toBeUndefined();
  });

  it('1.2 [M] a signature is given to its own provider only', () => {
    const block = thinking({ provider: 'google', providerData: '{"thought_signature":"S"}' });
    expect([readOwnSignature(block, 'google'), readOwnSignature(block, 'anthropic')]).toEqual([
      'S',
      undefined,
    ]);
  });

  it('an empty thought of another provider has no text', () => {
    expect(thinkingFor(thinking({ textContent: '', provider: 'anthropic' }), 'google')).toBeNull();
  });
});
