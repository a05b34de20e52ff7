import { describe, expect, it } from 'vitest';
import type { Statement } from '../../core/contract/signatures.ts';
import { createMacSigner, createMacVerifier, generateSecret } from './macs.ts';

const statement: Statement = { kind: 'apiKey', fields: ['0123456789ab', 'viewer'] };

describe('an HMAC', () => {
  const secret = generateSecret();
  const verify = createMacVerifier(secret);

  it('is valid for its statement only', async () => {
    const mac = await createMacSigner(secret)(statement);
    expect(mac).not.toContain(secret);
    expect(verify(statement, mac)).toBe(true);
    const others: Statement[] = [
      { ...statement, kind: 'approval' },
      { ...statement, fields: ['0123456789ab', 'admin'] },
      { ...statement, fields: ['0123456789abviewer'] },
      { ...statement, fields: ['0123456789ab","viewer'] },
      { ...statement, fields: [...statement.fields, ''] },
    ];
    for (const other of others) expect(verify(other, mac)).toBe(false);
    for (const broken of [null, '', '.', mac.slice(0, -4), `${mac}AAAA`, mac.split('.')[0] ?? ''])
      expect(verify(statement, broken)).toBe(false);
  });

  it('is of the first secret, and valid while its secret is listed', async () => {
    const next = generateSecret();
    const old = await createMacSigner(secret)(statement);
    const fresh = await createMacSigner(`${next},\n${secret}`)(statement);
    expect([verify(statement, old), verify(statement, fresh)]).toEqual([true, false]);
    expect(createMacVerifier(next)(statement, fresh)).toBe(true);
    expect(createMacVerifier(`${next} ${secret}`)(statement, old)).toBe(true);
    expect(createMacVerifier('')(statement, fresh)).toBe(false);
  });

  it('needs secrets of 32 bytes; an error does not quote them', () => {
    const faults = ['secret-text', 'c2VjcmV0', `${secret}*`];
    for (const open of [createMacSigner, createMacVerifier])
      for (const text of faults)
        expect(() => open(`${secret},${text}`)).toThrow(/secret 2 does not have at least 32 bytes(?!.*c2Vj)/);
    expect(() => createMacSigner(' ')).toThrow('has no secret');
  });
});
