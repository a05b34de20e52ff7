// `inquest keys` on the command line: a key is printed once, and one that is revoked lets nobody in.

import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { findApiKey } from '../../shared/kits/access/createApiKey.ts';
import { createLogger } from '../../shared/log.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { callCommand } from '../support/callCommand.ts';
import { verifyKey } from '../support/signatures.ts';

/** `inquest keys` in a project of its own, and whose key a text is there. */
function project() {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const store = createFirestoreStore({ projectId });
  onTestFinished(() => store.close());
  const keys = (...args: string[]) => callCommand(['keys', ...args], { GOOGLE_CLOUD_PROJECT: projectId });
  const deps = { store, clock: systemClock, verify: verifyKey, log: createLogger({ LOG_LEVEL: 'silent' }) };
  return { keys, find: (text: string) => findApiKey(text, deps) };
}

it('makes a key that is printed once, lists it without its secret, and revokes it', async () => {
  const { keys, find } = project();
  const made = await keys('create', 'deploy-bot', '--role', 'responder', '--tenant', 'acme', '--by', 'anna');
  const [text = ''] = made.stdout;
  expect(text).toMatch(/^inq_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/);
  expect(made.stderr.join()).toMatch(/responder of acme in .*, until 20/);
  const found = { name: 'deploy-bot', role: 'responder', tenantId: 'acme', createdBy: 'anna' };
  expect(await find(text)).toMatchObject(found);

  const id = text.slice(4, 16);
  const lines = [...(await keys('list')).stdout, ...(await keys('list', '--json')).stdout].join('\n');
  expect(lines).toContain(id);
  expect(lines).toContain('deploy-bot');
  expect(lines).not.toContain(text.slice(17));
  expect(lines).not.toMatch(/[0-9a-f]{64}/);

  expect((await keys('revoke', id, '--by', 'bob')).stdout).toEqual([`${id}: revoked by bob`]);
  expect(await find(text)).toBeUndefined();
  expect((await keys('revoke', 'last', '--by', 'eve')).stdout).toEqual([`${id}: revoked by bob`]);
});

it.each([
  [['create', 'x', '--role', 'root'], 2, /viewer, responder, admin/],
  [['create', 'x', '--lifetime', '400d'], 2, /at most 366d/],
  [['create', 'x', '--lifetime', 'soon'], 2, /a duration such as 12h or 90d/],
  [['create', 'a\nb'], 2, /the name/],
  [['revoke', 'nosuch'], 2, /12 characters/],
  [['revoke', 'last'], 1, /has no keys/],
  [
    ['list', '--url', 'http://127.0.0.1:1'],
    2,
    /The API makes and revokes no keys, so that .*; leave out --url, and set/,
  ],
  [['revoke', '000000000000'], 1, /has no key 000000000000/],
])('refuses %j', async (args, code, message) => {
  const result = await project().keys(...args);
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: [] });
  expect(result.stderr.join('\n')).toMatch(message);
});
