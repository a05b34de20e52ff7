// API keys that are written into the database or changed there: what `roles/datastore.user` allows.

import { Firestore, Timestamp } from '@google-cloud/firestore';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cloudAccess } from '../../shared/api/access/cloudAccess.ts';
import { KEY_SECRETS } from '../../shared/core/contract/signatures.ts';
import { generateSecret } from '../../shared/kits/access/macs.ts';
import { paths } from '../../shared/lists/documents.ts';
import { createLogger } from '../../shared/log.ts';
import { openKeyVerifier } from '../../shared/wiring/openKeys.ts';
import { startApiBench } from '../support/apiBench.ts';
import { callCommand } from '../support/callCommand.ts';

const FIRST = generateSecret();

/** A deployed API with these secrets, the command `keys`, and a client of the database. */
async function deployed() {
  let secrets = FIRST;
  const lines: string[] = [];
  const log = createLogger({}, { write: (line) => lines.push(line) });
  const api = await startApiBench({
    inMemory: false,
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    access: (_, { store, clock }) =>
      cloudAccess({
        memberOf: () => undefined,
        requestsPerMinute: 10_000,
        store,
        clock,
        log,
        // As after a deployment with other secrets.
        verifyKey: (statement, mac) => openKeyVerifier({ [KEY_SECRETS]: secrets })(statement, mac),
      }),
  });
  const firestore = new Firestore({ projectId: api.projectId, preferRest: false });
  onTestFinished(() => firestore.terminate());
  const keys = (...args: string[]) =>
    callCommand(['keys', ...args], { GOOGLE_CLOUD_PROJECT: api.projectId, [KEY_SECRETS]: secrets });
  return {
    lines,
    keys,
    setSecrets(...all: string[]) {
      secrets = all.join(',');
    },
    async create(name: string) {
      const [text = ''] = (await keys('create', name)).stdout;
      return { text, id: text.slice(4, 16) };
    },
    documentOf: (id: string) => firestore.doc(paths.apiKey(id)),
    statusOf: async (text: string) =>
      (await api.ask('/v1/me', { headers: { authorization: `Bearer ${text}` } })).status,
  };
}

describe('a key', () => {
  it('that a client of Firestore writes or changes is refused, and the log names cause and fix', async () => {
    const { create, documentOf, statusOf, lines } = await deployed();
    const [key, other] = [await create('bot'), await create('other')];
    expect(await statusOf(key.text)).toBe(200);
    const stored = (await documentOf(key.id).get()).data() ?? {};
    const ofOther = (await documentOf(other.id).get()).data() ?? {};
    const { mac: _, ...unsigned } = stored;
    const later = Timestamp.fromMillis(Date.now() + 10 * 365 * 86_400_000);
    const forged: [change: object, cause: RegExp][] = [
      [{ ...unsigned, schemaVersion: 1 }, /has no HMAC/],
      [{ ...stored, mac: null }, /has no HMAC/],
      [{ ...stored, mac: 'none' }, /HMAC is not valid/],
      [{ ...stored, mac: ofOther.mac }, /HMAC is not valid/],
      [{ ...ofOther, digest: stored.digest }, /HMAC is not valid/],
      ...Object.entries({
        role: 'admin',
        tenantId: 'acme',
        name: 'jane',
        createdBy: 'jane',
        createdAt: later,
        expireAt: later,
      }).map(([name, value]): [object, RegExp] => [{ ...stored, [name]: value }, /HMAC is not valid/]),
    ];
    for (const [index, [document, cause]] of forged.entries()) {
      // An id that was not asked for yet: a refusal is remembered for seconds.
      const id = `${index}`.padStart(12, '0');
      const text = key.text.replace(key.id, id);
      const before = lines.length;
      await documentOf(id).set({ ...document, keyId: id });
      expect(await statusOf(text), JSON.stringify(document)).toBe(401);
      const [line = ''] = lines.slice(before);
      expect(line).toMatch(cause);
      expect(line).toContain('keys create');
      expect(line).not.toContain(text.slice(17));
    }
    await documentOf('abcdefabcdef').set(stored);
    expect(await statusOf(key.text.replace(key.id, 'abcdefabcdef'))).toBe(401);
    await documentOf(other.id).update({ role: 'admin' });
    expect(await statusOf(other.text)).toBe(401);
    expect(await statusOf(key.text)).toBe(200);
  });

  it('works while its secret is listed, also beside a newer one that signs', async () => {
    const { create, statusOf, setSecrets, keys, lines } = await deployed();
    const old = await create('old');
    const second = generateSecret();
    setSecrets(second, FIRST);
    const made = await create('new');
    expect([await statusOf(old.text), await statusOf(made.text)]).toEqual([200, 200]);
    setSecrets(second);
    expect([await statusOf(old.text), await statusOf(made.text)]).toEqual([401, 200]);
    expect(lines.join()).toContain(KEY_SECRETS);
    setSecrets();
    expect((await keys('revoke', made.id)).code).toBe(0);
    setSecrets(second);
    expect(await statusOf(made.text)).toBe(401);
  });
});
