// `knowledge` on the command line.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../../local/scriptedModel/startScriptedModel.ts';
import { callCommand } from '../../support/callCommand.ts';
import { writeFiles } from '../../support/ownConfig.ts';

/** `inquest knowledge` in a project of its own, with files of a folder of its own. */
async function project() {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-knowledge-'));
  const gemini = await startScriptedModel({ script: { conversations: [{ turns: [{ text: 'x' }] }] } });
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await gemini.stop();
  });
  const env = {
    GOOGLE_CLOUD_PROJECT: `demo-${randomUUID().slice(0, 8)}`,
    SHOP_PASSWORD: 'zebra-mountain-77',
    GOOGLE_GEMINI_BASE_URL: gemini.url,
    GEMINI_API_KEY: 'a-key',
  };
  const call = (...args: string[]) => callCommand(['knowledge', ...args], env);
  const push = (files: Record<string, string | Buffer>, ...options: string[]) => {
    writeFiles(files, folder);
    return call('push', ...Object.keys(files).map((name) => join(folder, name)), ...options);
  };
  return { call, push, gemini, folder };
}

const file = (front: string, text = 'Text.') => `---\n${front}\n---\n${text}\n`;
const LEDGER = file('title: Ledger\nlabels: { tier: 1 }', 'A database. Log in with zebra-mountain-77.');
const PAYMENTS = file(
  'key: Payments API\ntitle: Payments\nkind: runbook\nlinks: [ledger, { key: oom, type: Needs }]',
  'Takes card payments.',
);

describe('knowledge', () => {
  it('pushes files, embedded and without secrets, lists, searches, shows and removes them', async () => {
    const { call, push, gemini } = await project();
    const first = await push({ 'ledger.md': LEDGER, 'p.md': PAYMENTS }, '--by', 'ada');
    expect(first.code).toBe(0);
    expect(first.stdout.map((line) => line.split(' in ')[0])).toEqual([
      'ledger: created',
      'payments-api: created',
    ]);
    expect(first.stderr).toEqual(['note: ledger: 1 secrets were masked']);
    expect(gemini.embedded.join()).not.toContain('zebra');

    const again = await push({ 'ledger.md': LEDGER, 'p.md': PAYMENTS.replace('card', 'all') }, '--json');
    expect(again.stdout.map((line) => JSON.parse(line))).toEqual([
      { key: 'ledger', outcome: 'unchanged', masked: 1, embedded: true },
      { key: 'payments-api', outcome: 'replaced', masked: 0, embedded: true },
    ]);
    expect((await call('list')).stdout).toEqual([
      'ledger        resource  Ledger',
      'payments-api  runbook   Payments',
    ]);
    expect((await call('show', 'Payments API')).stdout).toEqual([
      'payments-api (runbook): Payments',
      'links: ledger, oom (needs)',
      '',
      'Takes all payments.',
    ]);
    const found = await call('search', 'SEARCH', 'who takes all payments', 'IN', 'runbooks', '--json');
    expect(JSON.parse(found.stdout[0] ?? '')).toMatchObject({ key: 'payments-api', embedded: true });
    expect((await call('search', 'FUZZY ledgr')).stdout[1]).toMatch(
      /^- ledger \(resource\): Ledger, 0\.\d\d$/,
    );
    expect((await call('search', 'TRAVERSE payments-api')).stdout).toContain(
      'Named by links and not there: oom.',
    );

    expect((await call('remove', 'ledger')).stdout[0]).toMatch(/^ledger: removed from /);
    expect((await call('show', 'ledger')).code).toBe(1);
    expect((await call('remove', 'ledger')).stderr[0]).toMatch(/there is no entry ledger in project/);
    expect((await call('search', 'LOOKUP ledger')).stdout[0]).toContain('Not found: ledger.');
    expect((await push({ 'ledger.md': LEDGER })).stdout[0]).toMatch(/^ledger: created/);
  });

  it('keeps the entries of users and of tenants apart', async () => {
    const { call, push } = await project();
    expect((await push({ 'a.md': file('title: A') }, '--user', 'anna', '--no-embeddings')).code).toBe(0);
    expect(
      (await push({ 'a.md': file('title: B') }, '--user', 'bert', '--no-embeddings')).stderr[0],
    ).toContain('the key a belongs to another user or to all users');
    expect((await push({ 'a.md': file('title: C') }, '--tenant', 'acme', '--no-embeddings')).code).toBe(0);
    expect((await call('list')).stdout).toEqual([]);
    expect((await call('list', '--user', 'anna')).stdout).toEqual(['a  resource  A']);
    expect((await call('list', '--tenant', 'acme')).stdout).toEqual(['a  resource  C']);
    expect((await call('remove', 'a', '--user', 'bert')).code).toBe(1);
  });

  it('stores entries without their embedding where no model answers, and prints a note', async () => {
    const { call, push, gemini } = await project();
    await gemini.stop();
    const { code, stderr } = await push({ 'a.md': file('title: Full disk') });
    expect(code).toBe(0);
    expect(stderr[0]).toMatch(/^note: a: stored without an embedding: /);
    const found = (await call('search', 'SEARCH disk full')).stdout;
    expect(found[0]).toMatch(/^\(Compared by spelling: /);
    expect(found[2]).toContain('- a (resource): Full disk');
  });

  it.each<[string, string | Buffer, string]>([
    ['none.md', 'Text', 'none.md:1:1 must start with front matter: a line ---'],
    ['open.md', '---\ntitle: x\n', 'open.md:1:1 must start with front matter'],
    ['empty.md', '---\n---\n', 'empty.md:2:1 title: '],
    ['typo.md', file('titel: x'), 'typo.md:2:1 titel: unknown key; '],
    ['kind.md', file('title: x\nkind: session'), 'kind.md:3:7 kind: '],
    [
      'link.md',
      file('title: x\nlinks: [a, 3]'),
      'link.md:3:12 links[1]: must be text or a mapping, not a number',
    ],
    ['label.md', file('title: x\nlabels:\n  a: [b]'), 'label.md:4:3 labels.a: must be text or a number'],
    ['key.md', file('key: Session 7\ntitle: x'), 'key.md:2:6 key: starts with "session-"'],
    ['--.md', file('title: x'), '--.md:1:1 the name of the file is not a valid key'],
    ['yaml.md', file('title: [x'), 'yaml.md:3:1 not valid YAML'],
    ['latin.md', Buffer.from([0xfc]), 'latin.md is not UTF-8 text'],
    [
      'long.md',
      file('title: x', 'x'.repeat(100_001)),
      'long.md:4:1 the text has 100002 bytes; at most 100000',
    ],
  ])('stores nothing when a file is no entry: %s', async (name, text, fault) => {
    const { call, push, folder } = await project();
    const { code, stdout, stderr } = await push({ 'good.md': file('title: x'), [name]: text });
    expect({ code, stdout }).toEqual({ code: 1, stdout: [] });
    expect(stderr.join('\n').replaceAll(`${folder}/`, '')).toContain(fault);
    expect((await call('list')).stdout).toEqual([]);
  });

  it.each([
    [['search', 'SELECT', '1'], 'Unknown verb "SELECT"'],
    [['show', '--', '-'], 'is no key'],
    [['list', '--tenant', 'a/b'], 'the name of a tenant: must start with a letter or digit'],
    [['push', 'does-not-exist.md'], 'does-not-exist.md cannot be read'],
  ])('%j names the fault', async (args, message) => {
    const { call } = await project();
    const { code, stderr } = await call(...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr.join('\n')).toContain(message);
  });

  it('refuses two files with the same key', async () => {
    const { push } = await project();
    const { code, stderr } = await push({ 'a.md': file('title: x'), 'b.md': file('title: y\nkey: A') });
    expect(code).toBe(2);
    expect(stderr[0]).toContain('have the same key, a; change one of them');
  });
});
