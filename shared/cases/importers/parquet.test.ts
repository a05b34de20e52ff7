import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { parquetAsCsv } from './parquet.ts';

it('a missing reader of Parquet is an error with the package to install and the command that converts the file', async () => {
  const missing = () =>
    Promise.reject(Object.assign(new Error('no package'), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(parquetAsCsv('t001/logs.parquet', missing)).rejects.toThrow(
    `t001/logs.parquet is Parquet: install its reader (npm install hyparquet), or convert it: duckdb -c "COPY 't001/logs.parquet' TO 't001/logs.csv'"`,
  );
});

describe('Parquet as CSV', () => {
  const write = () => {
    const file = join(temporaryFolder(), 'rows.parquet');
    writeFileSync(file, 'bytes');
    return file;
  };
  /** A reader that is the package for tests. */
  const createReader = (read: (options: { file: ArrayBuffer }) => object[]) => () =>
    Promise.resolve({ parquetReadObjects: async (options: { file: ArrayBuffer }) => read(options) });

  it('has the columns of the first row, and a line for each row', async () => {
    const rows = [
      { time: new Date('2026-11-20T10:00:00Z'), text: 'a, "b"\r\n  c', list: [1n, { a: 2 }], none: null },
      { time: undefined, text: 'plain', list: {}, none: 5n, more: 1 },
    ];
    const read: string[] = [];
    const csv = await parquetAsCsv(
      write(),
      createReader(({ file }) => {
        read.push(Buffer.from(file).toString());
        return rows;
      }),
    );
    expect(csv.split('\n')).toEqual([
      'time,text,list,none',
      '2026-11-20T10:00:00.000Z,"a, ""b"" c","[""1"",{""a"":2}]",',
      ',plain,{},5',
    ]);
    expect(read).toEqual(['bytes']);
  });

  it('without rows is empty, and a file that cannot be read is named', async () => {
    expect(
      await parquetAsCsv(
        write(),
        createReader(() => []),
      ),
    ).toBe('');
    const broken = createReader(() => {
      throw new Error('bad magic');
    });
    await expect(parquetAsCsv('/nosuch.parquet', broken)).rejects.toThrow('ENOENT');
    await expect(parquetAsCsv(write(), broken)).rejects.toThrow(
      /rows\.parquet is no Parquet that can be read: Error: bad magic$/,
    );
  });
});
