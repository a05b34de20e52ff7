// Keeps the variables of a service out of /proc/PID/environ, which every process of the same user can read,
// such as an MCP server that the service starts. The kernel shows there what a process was started with,
// whatever it deletes later. So the first process of a service replaces itself with the same program without
// them, and hands them over in a file without a name.

import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set in the replaced process only, until it has read the file. */
const MOVED = 'INQUEST_ENVIRONMENT_MOVED';
/** Node opens files so that programs do not inherit them, except the standard streams. */
const STDIN = 0;
/** Node, its libraries and the system read these before any code of ours runs. None holds a secret. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|TZ|TMPDIR|LANG|LC_\w+|LD_LIBRARY_PATH|MALLOC_ARENA_MAX|UV_\w+|SSL_CERT_(?:FILE|DIR)|NODE_(?:ENV|OPTIONS|PATH|COMPILE_CACHE|EXTRA_CA_CERTS|V8_COVERAGE))$/;
/** In memory where the system has such a folder. */
const FOLDERS = ['/dev/shm', tmpdir()];

/**
 * Moves the environment of this process. Call it before other modules are loaded. It does not return in a
 * process that was started with variables other than those of the machine: the same program starts again
 * under the same process id, where it restores `process.env` and returns.
 * @throws Error where no temporary file can be written: a service does not start with readable secrets.
 */
export function moveEnvironment(): void {
  const { env, execPath, execArgv, argv } = process;
  if (env[MOVED] !== undefined) {
    delete env[MOVED];
    Object.assign(env, JSON.parse(readFileSync(STDIN, 'utf8')));
    closeSync(STDIN);
    // No later file becomes the standard input.
    openSync('/dev/null', 'r');
    return;
  }
  const entries = Object.entries(env);
  const moved = entries.filter(([name]) => !KEPT.test(name));
  if (moved.length === 0) return;
  writeAsStdin(JSON.stringify(Object.fromEntries(moved)));
  const kept = Object.fromEntries(entries.filter(([name]) => KEPT.test(name)));
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...kept, [MOVED]: '1' });
  throw new Error(
    'this Node cannot replace its process; use the Node 24 of the deployment, on Linux or macOS',
  );
}

/** Makes an unnamed file, only readable by this user, the standard input: descriptor 0. */
function writeAsStdin(text: string): void {
  try {
    closeSync(STDIN);
  } catch {
    // It was closed already.
  }
  const file = openTemporary();
  if (file !== STDIN) throw new Error(`the environment is in descriptor ${file}, which a new program closes`);
  writeSync(file, text, 0);
}

function openTemporary(): number {
  let fault: unknown;
  for (const folder of FOLDERS) {
    const path = join(folder, `inquest-${process.pid}-${process.hrtime.bigint()}`);
    try {
      const file = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
      return file;
    } catch (error) {
      fault = error;
    }
  }
  throw new Error(`no temporary file for the environment in ${FOLDERS.join(' or ')}`, { cause: fault });
}
