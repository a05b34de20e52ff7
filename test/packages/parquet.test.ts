// RCA100's files as its authors distribute them: Parquet, read by the package that its user installs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readCase, readTruth } from '../../shared/cases/caseFile.ts';
import { importCases } from '../../shared/cases/importers/importCases.ts';
import { temporaryFolder } from '../support/ownConfig.ts';

interface Writer {
  parquetWriteBuffer(options: object): ArrayBuffer;
}
const WRITER: string = 'hyparquet-writer';

it.each([
  ['SNAPPY', {}],
  ['UNCOMPRESSED', {}],
  ['ZSTD', { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) }],
  ['GZIP', { GZIP: (bytes: Uint8Array) => gzipSync(bytes) }],
])(
  'Parquet of RCA100 becomes a table: times, lists and line breaks, compressed with %s',
  async (codec, compressors) => {
    const root = temporaryFolder();
    const folder = join(root, 'source', 'cases', 't001');
    mkdirSync(folder, { recursive: true });
    const { parquetWriteBuffer } = (await import(WRITER)) as Writer;
    const times = Array.from({ length: 3_000 }, (_, index) => new Date(Date.UTC(2026, 3, 20, 2, 0, index)));
    const written = parquetWriteBuffer({
      codec,
      compressors,
      columnData: [
        { name: 'time', data: times, type: 'TIMESTAMP' },
        {
          name: 'content',
          data: times.map((_, index) => `cart lookup ${index} failed,\n no such host`),
          type: 'STRING',
        },
        { name: 'count', data: times.map((_, index) => BigInt(index)), type: 'INT64' },
        { name: 'tags', data: times.map((_, index) => ({ index })), type: 'JSON' },
      ],
    });
    writeFileSync(join(folder, 'logs.parquet'), Buffer.from(written));
    const task = {
      task_id: 't001',
      alert_title: 'errors of checkout',
      alert_window: { end: '2026-04-20T10:50:00+08:00' },
      alert_entity: { entity_name: 'checkout' },
    };
    writeFileSync(join(folder, 'task.json'), JSON.stringify(task));
    const answer = { root_cause_entities: ['cart'], root_cause_types: ['dnsResolutionFailure'] };
    writeFileSync(join(root, 'source', 'answers.json'), JSON.stringify({ t001: answer }));
    const out = join(root, 'cases');
    expect(await importCases('rca100', join(root, 'source'), out)).toEqual({
      written: ['t001'],
      skipped: [],
    });
    const [tool] = readCase(out, 't001').tools;
    const [head, ...rows] = (tool?.rows ?? '').split('\n');
    expect([tool?.name, head, rows.length]).toEqual(['telemetry.logs', 'time,content,count,tags', 2_000]);
    // The alert is at the end of the table: the nearest rows are kept, in their order.
    expect(rows.at(-1)).toBe(
      '2026-04-20T02:49:59.000Z,"cart lookup 2999 failed, no such host",2999,"{""index"":2999}"',
    );
    expect(rows[0]).toContain('cart lookup 1000 failed');
    expect(readTruth(out, 't001').causes).toEqual([{ component: 'cart', mechanism: 'dns' }]);
  },
);

it('a file that is no Parquet is a skipped case with the reason', async () => {
  const root = temporaryFolder();
  writeFileSync(join(root, 'task.json'), '{"task_id":"t001"}');
  writeFileSync(join(root, 'logs.parquet'), 'PAR1 and no more');
  const answer = { root_cause_entities: ['cart'], root_cause_types: ['dns'] };
  writeFileSync(join(root, 'answers.json'), JSON.stringify({ t001: answer }));
  const { skipped } = await importCases('rca100', root, join(root, 'cases'));
  expect(skipped).toEqual([
    { name: 'task.json', reason: expect.stringMatching(/logs\.parquet is no Parquet/) },
  ]);
});
