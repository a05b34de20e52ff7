// The archive of a deployment: a .tar.gz that is equal for equal files, wherever and whenever it is made.

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
/** 2000-01-01. Programs warn about the year 1970. */
const MODIFIED_S = 946_684_800;
const MODE = 0o644;
/** The largest name and prefix of the format ustar (POSIX.1-1988), in bytes. */
const MAX_NAME = 100;
const MAX_PREFIX = 155;

/** An archive that was written. */
export interface Archive {
  /** Its path. */
  file: string;
  /** SHA-256 in hexadecimal digits, which is also its name. */
  digest: string;
  /** Its size in bytes. */
  bytes: number;
  /** Number of its files. */
  files: number;
}

/**
 * Writes all files of `folder` into `folder/DIGEST.tar.gz`, sorted by path, with the same owner, mode and
 * time.
 * @throws Error for a file that is neither a file nor a folder, or whose path is too long for the format.
 */
export async function writeArchive(folder: string): Promise<Archive> {
  const paths = await listFiles(folder);
  const entries = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(folder, path))] as const),
  );
  const blocks = entries.flatMap(([path, content]) => [
    composeArchiveHeader(path, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  // The operating system, which zlib writes into the header: unknown.
  packed[9] = 255;
  const digest = createHash('sha256').update(packed).digest('hex');
  const file = join(folder, `${digest}.tar.gz`);
  await writeFile(file, packed);
  return { file, digest, bytes: packed.length, files: paths.length };
}

/** The paths of all files below a folder, with slashes, in the order of their bytes. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (entry.isDirectory()) return [];
    if (!entry.isFile()) throw new Error(`${path} is no file: an archive has files only`);
    return [path];
  });
  return paths.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** The header of a file, in the format ustar. */
function composeArchiveHeader(path: string, size: number): Buffer {
  const { name, prefix } = splitPath(path);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const fields: [offset: number, text: string][] = [
    [0, name],
    [100, octal(MODE, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(MODIFIED_S, 12)],
    // The checksum is that of a header with blanks in its place.
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
    [345, prefix],
  ];
  for (const [offset, text] of fields) header.write(text, offset, 'utf8');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148, 'latin1');
  return header;
}

/** A long path is split at a slash. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= MAX_NAME) return { name: path, prefix: '' };
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
  const at = slashes.find(
    (index) =>
      Buffer.byteLength(path.slice(index + 1)) <= MAX_NAME &&
      Buffer.byteLength(path.slice(0, index)) <= MAX_PREFIX,
  );
  if (at === undefined) throw new Error(`${path} is too long for an archive`);
  return { name: path.slice(at + 1), prefix: path.slice(0, at) };
}
