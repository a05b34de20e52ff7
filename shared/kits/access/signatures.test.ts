import { describe, expect, it } from 'vitest';
import type { Statement } from '../../core/contract/signatures.ts';
import { createSigner, createVerifier, derivePublicKey, generateDecisionKeys } from './signatures.ts';

const statement: Statement = { kind: 'approval', fields: ['k7f3q-9mtxz', 'approved'] };

describe('a signature', () => {
  const { privateKey, publicKey } = generateDecisionKeys();
  const verify = createVerifier(publicKey);

  it('is valid for its statement only', async () => {
    const signature = await createSigner(privateKey)(statement);
    expect(verify(statement, signature)).toBe(true);
    const others: Statement[] = [
      { ...statement, kind: 'press' },
      { ...statement, fields: ['k7f3q-9mtxz', 'denied'] },
      { ...statement, fields: ['k7f3q-9mtxzapproved'] },
      { ...statement, fields: ['k7f3q-9mtxz","approved'] },
      { ...statement, fields: [...statement.fields, ''] },
    ];
    for (const other of others) expect(verify(other, signature)).toBe(false);
    for (const broken of [null, '', '.', signature.slice(0, -2), signature.split('.')[1] ?? ''])
      expect(verify(statement, broken)).toBe(false);
  });

  it('of an old key stays valid while its public key is listed beside the new one', async () => {
    const next = generateDecisionKeys();
    const [old, fresh] = [
      await createSigner(privateKey)(statement),
      await createSigner(next.privateKey)(statement),
    ];
    const both = createVerifier(`${next.publicKey},\n${publicKey}`);
    expect([both(statement, old), both(statement, fresh)]).toEqual([true, true]);
    const onlyNew = createVerifier(next.publicKey);
    expect([onlyNew(statement, old), onlyNew(statement, fresh)]).toEqual([false, true]);
    expect(createVerifier('')(statement, fresh)).toBe(false);
  });

  it('needs keys of Ed25519; an error does not quote them', () => {
    expect(derivePublicKey(privateKey)).toBe(publicKey);
    for (const text of ['', 'secret-text', publicKey])
      expect(() => createSigner(text)).toThrow(/private key of decisions is no Ed25519 key(?!.*secret-text)/);
    for (const text of ['secret-text', privateKey])
      expect(() => createVerifier(text)).toThrow(/public key of decisions is no Ed25519 key/);
  });
});
