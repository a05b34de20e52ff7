// `put-enrichment` on the command line: it stores rows, replaces those with the same keys, and deletes rows.

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callCommand } from '../../support/callCommand.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const ENRICH = 'lookups:\n  - { by: [cluster, owner], firestore: channels, set: [channel] }\n';

it('stores rows, replaces those with the same keys, and deletes only the rows whose keys the file has', async () => {
  const folder = ownConfig({});
  writeFileSync(join(folder, 'enrich.yaml'), ENRICH);
  const env = { GOOGLE_CLOUD_PROJECT: `demo-${randomUUID().slice(0, 8)}` };
  const put = (csv: string, ...options: string[]) => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, csv);
    return callCommand(['put-enrichment', 'channels', file, '--config', folder, ...options], env);
  };
  const stored = async () => {
    const { stdout } = await callCommand(['db', 'ls', 'enrichments', '--json'], env);
    const channels: string[] = [];
    for (const line of stdout) {
      const { stdout: document } = await callCommand(['db', 'get', JSON.parse(line).path], env);
      channels.push(/channel: "(.*)"/.exec(document.join('\n'))?.[1] ?? '');
    }
    return channels.sort();
  };
  const rows = 'cluster,owner,channel\neu,pay,#pay\nus,pay,#pay-us\n';
  expect((await put(rows)).stdout).toEqual(['2 rows of table channels are stored']);
  await put('cluster,owner,channel\neu,pay,#pay-2\n');
  expect(await stored()).toEqual(['#pay-2', '#pay-us']);

  // A key without a row is skipped; `channel` is not needed.
  const deleted = await put('cluster,owner\neu,pay\nno,pay\n', '--delete');
  expect(deleted).toMatchObject({ code: 0, stdout: ['the rows of 2 keys are deleted from table channels'] });
  expect(await stored()).toEqual(['#pay-us']);

  const wrong = await put('cluster\nus\n', '--delete');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr[0]).toMatch(/unknown column "owner" of rows\.csv; expected one of cluster$/);
  expect(await stored()).toEqual(['#pay-us']);
});
