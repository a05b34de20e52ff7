import { expect, it } from 'vitest';
import { parquetAsCsv } from './parquet.ts';

it('a missing reader of Parquet is an error with the package to install and the command that converts the file', async () => {
  const missing = () =>
    Promise.reject(Object.assign(new Error('no package'), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(parquetAsCsv('t001/logs.parquet', missing)).rejects.toThrow(
    `t001/logs.parquet is Parquet: install its reader (npm install hyparquet), or convert it: duckdb -c "COPY 't001/logs.parquet' TO 't001/logs.csv'"`,
  );
});
