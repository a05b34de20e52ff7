// The local cloud's database file: only for its owner and one process, with a format number.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage, StatusError } from '../protocol/status.ts';
import { resultCode, SQLITE } from './resultCodes.ts';
import { DAMAGED, WatchedDatabase } from './watchedDatabase.ts';

/** In SQLite's header: `INQU`. Another program's database has another id, as a rule 0. */
const APPLICATION_ID = 0x494e5155;
/** The format of the tables. Raise it for a change that older programs cannot read, and document it. */
const FORMAT = 1;
/** Of a new file. Documents have some 2 kB: of SQLite's own 4096 bytes each would use half. */
const PAGE_BYTES = 8192;
/** The log beside the file is truncated to this size. Only a large commit makes it larger. */
const LOG_BYTES = 16 * 1024 * 1024;
/** The index of a log, which each start makes. */
const INDEX_BYTES = 32 * 1024;
/** For a process that is ending and still has the file open. */
const LOCK_WAIT_MS = 3_000;

const OTHER_FILE = 'choose another file (--data)';
const NOT_WRITABLE = `cannot be written: the file must belong to this user, in a folder that this user can write; or ${OTHER_FILE}`;

/** A file that cannot be used. The message has its path and the fix. */
class DatabaseFileError extends Error {
  override name = 'DatabaseFileError';
}

/**
 * Opens a database exclusively for this process. Creates the file and its folder when missing, with access
 * for the owner only.
 * @throws DatabaseFileError when another process has it open, it is no file of the local cloud or of another
 *   format, it is damaged, or it cannot be written.
 */
export function openDatabaseFile(file: string): WatchedDatabase {
  return withFileErrors(file, () => {
    createFolder(dirname(file), 0o700);
    createForOwner(file);
    // SQLite would open a read-only file and fail later.
    for (const path of [file, dirname(file)]) accessSync(path, constants.R_OK | constants.W_OK);
    if (!statSync(file).isFile()) throw new DatabaseFileError(`${file} ${NOT_WRITABLE}`);
    checkReadable(file);
    const sql = new WatchedDatabase(file, file, LOCK_WAIT_MS);
    try {
      sql.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
      // Leaves files of other programs unchanged.
      if (checkFileFormat(sql, file) === 'empty') {
        sql.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT};`);
      }
      sql.exec('COMMIT');
      // One process writes, so the lock is held for good. The log survives SIGKILL of this process as it is;
      // a power cut can lose the last commits, never a part of one.
      sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      sql.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
      // For older and copied files. SQLite gives its other files the rights of this one.
      chmodSync(file, 0o600);
      return sql;
    } catch (error) {
      sql.close();
      throw error;
    }
  });
}

/**
 * Checks the format of a file, and reads all of it for damage. The connection is read-only: closing a
 * writable one would write the log into a faulty file.
 */
function checkReadable(file: string): void {
  const sql = new DatabaseSync(file, { readOnly: true, timeout: LOCK_WAIT_MS });
  try {
    if (checkFileFormat(sql, file) === 'empty') return;
    // About 3 ms per megabyte.
    const { quick_check: found } = sql.prepare('PRAGMA quick_check(1)').get() ?? {};
    if (found !== 'ok') throw new DatabaseFileError(`${file} ${DAMAGED}`, { cause: found });
  } finally {
    sql.close();
  }
}

/** Suffixes of a database and the files beside it. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Erases a database of the local cloud, in any format. Without effect when the file does not exist.
 * @throws DatabaseFileError when a process has it open, or it belongs to another program.
 */
export function eraseDatabase(file: string): void {
  if (existsSync(file)) checkErasable(file);
  for (const suffix of SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
}

/** @throws DatabaseFileError when a process has the file open, or it belongs to another program. */
function checkErasable(file: string): void {
  withFileErrors(file, () => {
    const sql = new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
    try {
      // Without an index of the log in a file, for which a full disk has no space.
      sql.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      identifyFileOwner(sql, file);
    } finally {
      sql.close();
    }
  });
}

/** Whether SQLite found no space on the disk. */
export const isDiskFull = (error: unknown): boolean => resultCode(error) === SQLITE.full;

function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** @throws DatabaseFileError when it is of another program. */
function identifyFileOwner(sql: DatabaseSync, file: string): 'none' | 'the local cloud' {
  const id = readSqlNumber(sql, 'PRAGMA application_id');
  if (id === APPLICATION_ID) return 'the local cloud';
  if (id === 0 && readSqlNumber(sql, 'SELECT COUNT(*) FROM sqlite_schema') === 0) return 'none';
  throw new DatabaseFileError(`${file} is a database of another program: ${OTHER_FILE}`);
}

/** @throws DatabaseFileError when it is of another program, or of a format that this one does not read. */
function checkFileFormat(sql: DatabaseSync, file: string): 'empty' | 'known' {
  if (identifyFileOwner(sql, file) === 'none') return 'empty';
  const format = readSqlNumber(sql, 'PRAGMA user_version');
  if (format === FORMAT) return 'known';
  const [age, remedy] =
    format > FORMAT
      ? ['a newer', 'use that one']
      : ['an older', 'use that one, or start over with --fresh, which removes the contents of the file'];
  throw new DatabaseFileError(
    `${file} was written by ${age} version (format ${format}; this one reads format ${FORMAT}): ${remedy}, or ${OTHER_FILE}`,
  );
}

const readSqlNumber = (sql: DatabaseSync, query: string): number =>
  Number(Object.values(sql.prepare(query).get() ?? {})[0]);

/**
 * Runs a function that uses a file.
 * @throws DatabaseFileError with the fault of the file and the fix, for every error other than a StatusError.
 */
export function withFileErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DatabaseFileError || error instanceof StatusError) throw error;
    throw new DatabaseFileError(`${file} ${describeSqlFault(fullDiskError(file, error) ?? error)}`, {
      cause: error,
    });
  }
}

/**
 * The error of a full disk behind a failed read or write; undefined for other errors. After a kill, SQLite
 * has to make an index of the log, and states only that it could not.
 */
function fullDiskError(file: string, error: unknown): unknown {
  if (resultCode(error) !== SQLITE.ioError) return undefined;
  const probe = `${file}-space`;
  try {
    writeFileSync(probe, Buffer.alloc(INDEX_BYTES), { mode: 0o600 });
    return undefined;
  } catch (failed) {
    return failed;
  } finally {
    rmSync(probe, { force: true });
  }
}

function describeSqlFault(error: unknown): string {
  switch (resultCode(error) ?? systemCode(error)) {
    case SQLITE.busy:
      return `is in use by another process: end the system that runs on it, or ${OTHER_FILE}`;
    case SQLITE.notADatabase:
      return `is no database: remove it if it is not needed, or ${OTHER_FILE}`;
    case SQLITE.corrupt:
      return DAMAGED;
    case SQLITE.full:
    case 'ENOSPC':
    case 'EDQUOT':
      return `has no space left on its disk: free some, or ${OTHER_FILE}`;
    case SQLITE.readOnly:
    case SQLITE.cannotOpen:
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return NOT_WRITABLE;
    case 'ENOTDIR':
    case 'EEXIST':
      return `cannot be made: a part of its path is no folder; ${OTHER_FILE}`;
    default:
      return `cannot be opened (${errorMessage(error)}): ${OTHER_FILE}`;
  }
}

const systemCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/**
 * Creates a folder that a user names, with its parents. Node's own recursive call never returns below
 * `/proc`.
 * @param mode the rights of the folders that are created.
 * @throws Error of the file system; with the fix for a symbolic link to nothing.
 */
function createFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder), mode);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `${folder} is a symbolic link to a place that does not exist; create it, or remove the link`,
    );
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // A different process can have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
