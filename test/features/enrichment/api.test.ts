// Tables of enrich.yaml: their labels decide triage, are shown, and cannot be escaped by hostile labels.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { ConfigError } from '../../../shared/config/configError.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { putRows } from '../../../shared/features/enrichment/putRows.ts';
import { rowId } from '../../../shared/kits/enrichment/enrichAlert.ts';
import { enrichmentType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { ownConfig, writeFiles } from '../../support/ownConfig.ts';
import { withRawDocument } from '../../support/rawDocument.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const ENRICH = `lookups:
  - by: service
    file: services.csv
    set: [owner, tier, runbook]
  - by: [cluster, owner]
    firestore: channels
    set: [channel]
`;
const CSV = `service,owner,tier,runbook
checkout,payments,1,https://runbooks.example.com/checkout
"a ""quoted"", name",search,3,
`;
const TRIAGE = `rules:
  - { name: unimportant, labels: { tier: "3" }, action: drop }
  - { name: important, labels: { channel: "#pay-*" }, action: record }
`;

function folderWith(files: Record<string, string | Uint8Array>): string {
  return writeFiles(files, ownConfig({ tools: [] }));
}

async function bench() {
  const folder = folderWith({ 'enrich.yaml': ENRICH, 'enrich/services.csv': CSV, 'triage.yaml': TRIAGE });
  const config = loadSessionConfig(folder);
  const one = await startApiBench({ script, inMemory: true, readConfig: () => config });
  const rows = [{ key: ['eu', 'payments'], values: { channel: '#pay-oncall', other: 'x' } }];
  await putRows({ table: 'channels', rows, by: 'ada' }, one.deps);
  const sessions = async () =>
    (await one.deps.store.list({ collection: paths.sessions }, sessionType)).map(({ value }) => value);
  return { ...one, folder, sessions };
}

describe('labels of tables', () => {
  it('are looked up in files and in Firestore, decide triage, and reach the session and its prompt', async () => {
    const one = await bench();
    const labels = { service: 'checkout', cluster: 'eu', tier: '9' };
    await one.publishAlert({ title: 'Slow', labels });
    await one.publishAlert({ title: 'Slow search', labels: { service: 'a "quoted", name' } });
    await one.drain();
    const [session, ...others] = await one.sessions();
    expect(others).toEqual([]);
    const looked = { owner: 'payments', tier: '1', channel: '#pay-oncall', runbook: expect.any(String) };
    expect(readSessionAlert(session)?.labels).toEqual({ ...labels, ...looked });
    expect(readSessionAlert(session)?.runbookUrl).toBe('https://runbooks.example.com/checkout');
    expect(session?.input).toContain('#pay-oncall');
    const fates = (await one.ask('/v1/alerts')).body.alerts as { outcome: string; subject: string }[];
    expect(fates.map(({ outcome, subject }) => `${outcome} ${subject}`).sort()).toEqual([
      'dropped unimportant',
      'recorded important',
    ]);
    const { body } = await one.ask('/v1/alerts/preview', { body: { title: 'Slow', labels } });
    expect(body.enriched).toMatchObject([
      { lookup: 'enrich/services.csv', found: 'row', values: { owner: 'payments', tier: '1' } },
      { lookup: 'Firestore table channels', found: 'row', values: { channel: '#pay-oncall' } },
    ]);
    expect(body.triage.rule).toBe('important');
  });

  it('are not found for labels that are paths, names of every object, or parts of a key', async () => {
    const one = await bench();
    for (const service of [
      '__proto__',
      'constructor',
      '../../sessions/x',
      'checkout","x',
      'check*',
      'x'.repeat(5_000),
    ]) {
      const body = { title: 'x', labels: { service, cluster: 'eu/../..', owner: 'payments' } };
      const answer = await one.ask('/v1/alerts/preview', { body });
      expect(answer.status).toBe(200);
      expect(answer.body.enriched.map(({ found }: { found: string }) => found)).toEqual(['no_row', 'no_row']);
    }
    expect(await one.deps.store.list({ collection: 'enrichments' }, enrichmentType)).toHaveLength(1);
  });

  it('have no secrets, and only an address becomes the link to the runbook', async () => {
    const secret = 'AKIAQ3EGRZ5XN7WLPM2K';
    const folder = folderWith({
      'enrich.yaml': ENRICH,
      'enrich/services.csv': `service,owner,tier,runbook\ncheckout,${secret},1,javascript:alert(1)\n`,
    });
    const config = loadSessionConfig(folder);
    const one = await startApiBench({ script, inMemory: true, readConfig: () => config });
    const key = ['eu', 'payments'];
    await putRows(
      { table: 'channels', rows: [{ key, values: { channel: `c ${secret}` } }], by: 'ada' },
      one.deps,
    );
    await one.publishAlert({ title: 'Slow', labels: { service: 'checkout', cluster: 'eu' } });
    await one.drain();
    const [session] = (await one.deps.store.list({ collection: paths.sessions }, sessionType)) ?? [];
    expect(readSessionAlert(session?.value)).toMatchObject({ labels: { tier: '1' }, runbookUrl: null });
    const [row] = await one.deps.store.list({ collection: 'enrichments' }, enrichmentType);
    for (const stored of [session, row]) expect(JSON.stringify(stored)).not.toContain(secret);
    expect(Object.keys(row?.value.values ?? {})).toEqual(['channel']);
  });

  it('of a row that cannot be read are missing, and the alert is still investigated', async () => {
    const one = await bench();
    const path = paths.enrichment(rowId('channels', JSON.stringify(['eu', 'payments'])));
    await withRawDocument(one.projectId, path, (document) => document.update({ values: 7 }));
    const alert = { title: 'Slow', labels: { service: 'checkout', cluster: 'eu' } };
    const { body } = await one.ask('/v1/alerts/preview', { body: alert });
    expect(body.enriched).toMatchObject([{ found: 'row' }, { found: 'not_read', values: {} }]);
    await one.publishAlert(alert);
    await one.drain();
    const [session] = await one.sessions();
    expect(session).toMatchObject({
      status: 'completed',
      parts: { alert: { labels: { owner: 'payments' } } },
    });
  });

  it('stay where the sender gives as many labels as an alert can have', async () => {
    const one = await bench();
    const many = Array.from({ length: 60 }, (_, index) => [`l${index}`, 'x']);
    const labels = { service: 'checkout', ...Object.fromEntries(many) };
    await one.publishAlert({ title: 'Slow', labels });
    await one.drain();
    const { labels: stored = {} } = readSessionAlert((await one.sessions())[0]) ?? {};
    expect(Object.keys(stored)).toHaveLength(50);
    expect(stored).toMatchObject({ service: 'checkout', owner: 'payments', tier: '1' });
  });

  it('are shown by adapt and route', async () => {
    const { folder } = await bench();
    const alert = join(folder, 'alert.json');
    writeFileSync(alert, JSON.stringify({ title: 'Slow', labels: { service: 'checkout' } }));
    const adapted = await callCommand(['adapt', alert, '--config', folder]);
    expect(adapted.stdout.join('\n')).toMatch(
      /enriched +enrich\/services.csv: owner=payments, tier=1[\s\S]*enriched +Firestore table channels: the alert lacks a label/,
    );
    const routed = await callCommand(['route', alert, '--config', folder]);
    expect(routed.stdout.join('\n')).toMatch(
      /enriched +enrich\/services.csv: owner=payments[\s\S]*labels +.*owner=payments/,
    );
  });
});

it('a configuration with mistakes in tables is refused, each with file, line and fix', () => {
  const folder = folderWith({
    'enrich.yaml': `lookups:
  - { by: service, file: a.csv, set: [owner, ownr] }
  - { by: service, file: none.csv, set: [owner] }
  - { by: service, set: [owner] }
  - { by: service, file: ../../triage.yaml, set: [owner] }
`,
    'enrich/a.csv': 'service,owner\ncheckout,payments\ncheckout,search\n,nobody\na,b,c\n',
  });
  const faultsIn = (): string[] => {
    try {
      loadSessionConfig(folder);
    } catch (error) {
      if (error instanceof ConfigError)
        return error.faults.map(
          ({ file, position, message }) => `${file.slice(folder.length + 1)}:${position?.line} ${message}`,
        );
    }
    return [];
  };
  expect(faultsIn()).toEqual([
    'enrich.yaml:4 needs either file or firestore, not both',
    'enrich.yaml:5 must be the name of a .csv or .yaml file in the folder enrich/',
  ]);
  writeFileSync(
    join(folder, 'enrich.yaml'),
    `lookups:
  - { by: service, file: a.csv, set: [owner, ownr] }
  - { by: service, file: none.csv, set: [owner] }
`,
  );
  expect(faultsIn()).toEqual([
    expect.stringMatching(/^enrich.yaml:2 unknown column "ownr" of a.csv; .*owner/),
    'enrich/a.csv:5 has 3 fields, and the first line 2; quote a field with a comma',
    'enrich/a.csv:3 an earlier row has the same key; remove one of them',
    'enrich/a.csv:4 has no value for service, which find the row',
    'enrich.yaml:3 enrich/none.csv cannot be read; create it beside enrich.yaml',
  ]);
});

it('a table is a CSV or YAML file with at most 2 MB and 20,000 rows of UTF-8 text; others are refused with the fix', () => {
  const wide = 'x'.repeat(98);
  const rows = (count: number, value = 'o') =>
    `service,owner\n${Array.from({ length: count }, (_, index) => `s${index},${value}`).join('\n')}`;
  const cases: [string, string | Uint8Array, string | number][] = [
    ['a.csv', rows(20_000), 20_000],
    [
      'a.csv',
      rows(20_001),
      '2 a.csv has 20001 rows; at most 20000 are read: store it in Firestore (inquest put-enrichment)',
    ],
    [
      'a.csv',
      rows(19_900, wide),
      expect.stringMatching(/^2 a.csv has 2\d{6} bytes; at most 2000000 are read: store/),
    ],
    ['a.csv', Buffer.from([0xff, 0xfe, 0x41]), '2 a.csv is not UTF-8 text; save it as UTF-8'],
    ['a.csv', '', '1 is empty; its first line has the names of the columns'],
    ['a.csv', 'service,owner\n"a,b\n', '2 a field starts with a quote and has no end; close it with "'],
    ['a.yaml', '- { service: a, owner: b }\n- { service: 7, owner: ~ }\n', 2],
    ['a.yaml', 'service: a\n', '1 must be a list of rows: - { service: checkout, owner: payments }'],
    [
      'a.yaml',
      '- { service: a, owner: b }\n- { service: b, owner: [c] }\n- d\n',
      '2 must be a mapping of column to text: { service: checkout, owner: payments }',
    ],
  ];
  for (const [file, content, expected] of cases) {
    const folder = folderWith({
      'enrich.yaml': `lookups:\n  - { by: service, file: ${file}, set: [owner] }\n`,
      [`enrich/${file}`]: content,
    });
    const read = (): string | number | undefined => {
      try {
        return loadSessionConfig(folder).enrich?.[0]?.rows?.size;
      } catch (error) {
        const [fault] = error instanceof ConfigError ? error.faults : [];
        return fault && `${fault.position?.line} ${fault.message}`;
      }
    };
    expect(read()).toEqual(expected);
  }
});
