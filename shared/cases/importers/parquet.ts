// Reads Parquet files of a benchmark as CSV, with a package that users install (decision 177).

import { readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { TerminalError } from '../../core/errors.ts';

/** A variable, so that neither a bundle nor the package contains it. */
const PACKAGE: string = 'hyparquet';

interface Reader {
  parquetReadObjects(options: {
    file: ArrayBuffer;
    compressors: Record<string, (input: Uint8Array) => Uint8Array>;
  }): Promise<Record<string, unknown>[]>;
}

/**
 * The rows of a Parquet file as CSV, with a head. Times are in ISO 8601, lists and objects are JSON.
 * @param load for tests. Default: the installed package.
 * @throws TerminalError `CASE_INVALID` for a file that cannot be read, or with the package to install.
 */
export async function parquetAsCsv(file: string, load = () => import(PACKAGE)): Promise<string> {
  let reader: Reader;
  try {
    reader = (await load()) as Reader;
  } catch {
    const csv = file.replace(/parquet$/, 'csv');
    throw new TerminalError(
      'CASE_INVALID',
      `${file} is Parquet: install its reader (npm install ${PACKAGE}), or convert it: duckdb -c "COPY '${file}' TO '${csv}'"`,
    );
  }
  const { buffer, byteOffset, byteLength } = await readFile(file);
  let rows: Record<string, unknown>[];
  try {
    rows = await reader.parquetReadObjects({
      file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
      // Snappy is part of the package, and Node has these.
      compressors: {
        GZIP: (input) => gunzipSync(input),
        BROTLI: (input) => brotliDecompressSync(input),
        ZSTD: (input) => zstdDecompressSync(input),
      },
    });
  } catch (error) {
    throw new TerminalError('CASE_INVALID', `${file} is no Parquet that can be read: ${String(error)}`);
  }
  const head = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => head.map((name) => formatCsvField(row[name])).join(','));
  return [head.join(','), ...lines].join('\n');
}

function formatCsvField(value: unknown): string {
  const text =
    value === null || value === undefined
      ? ''
      : value instanceof Date
        ? value.toISOString()
        : typeof value === 'object'
          ? JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
          : String(value);
  // A row is a line, which calls search.
  const line = text.replace(/\s*[\r\n]+\s*/g, ' ');
  return /[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}
