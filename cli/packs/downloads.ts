// The packages that npx downloads for a server of a pack, and their comparison with its lock file.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { McpServerConfig } from '../../shared/contract/mcpServer.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { asObject, asText } from '../../shared/text/json.ts';
import type { PackServer } from './pack.ts';

/** npm takes some seconds, more with a slow registry. */
const TIMEOUT_MS = 120_000;
/** Packages that a line names. */
const MAX_NAMED = 5;

/** Packages by their folder, each as `VERSION INTEGRITY`. */
type Packages = ReadonlyMap<string, string>;

/** The packages that npm would install now. */
interface ResolvedPackages {
  all: Packages;
  /** Folders of packages of other platforms, which are not everywhere in a registry. */
  optional: ReadonlySet<string>;
}

/** The packages of the lock file of a server. @throws Error without the file. */
export function readLock(server: string): Packages {
  const lines = readFileSync(lockFile(server), 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [folder = '', ...rest] = line.split(' ');
      return [folder, rest.join(' ')];
    }),
  );
}

/** The lock file of a server: a line for each package, sorted. */
const lockFile = (server: string): string => projectFile(`config/packs/locks/${server}.txt`);

/**
 * Asks npm which packages it would install for one; downloads none.
 * @param env variables of the server: `npm_config_before` decides about versions.
 * @throws Error when npm cannot tell.
 */
async function resolvePackages(
  name: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ResolvedPackages> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-lock-'));
  const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
  const settings = Object.entries(env).filter(([variable]) =>
    /^(?:npm_config_\w+|NODE_EXTRA_CA_CERTS)$/.test(variable),
  );
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    await promisify(execFile)('npm', [...args, '--prefix', folder, name], {
      cwd: folder,
      env: { ...process.env, ...Object.fromEntries(settings) },
      timeout: TIMEOUT_MS,
      signal,
    });
    return parseLock(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseLock(text: string): ResolvedPackages {
  const packages = Object.entries(asObject(asObject(JSON.parse(text)).packages)).filter(
    ([folder]) => folder !== '',
  );
  const describe = (one: unknown) => {
    const { version, integrity } = asObject(one);
    return `${asText(version)} ${asText(integrity) ?? '-'}`;
  };
  return {
    all: new Map(packages.map(([folder, one]) => [folder, describe(one)])),
    optional: new Set(packages.flatMap(([folder, one]) => (asObject(one).optional === true ? [folder] : []))),
  };
}

/** Lines about packages that differ from the lock of a server; none where all are equal. */
export function comparePackages(locked: Packages, { all, optional }: ResolvedPackages): string[] {
  const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, '');
  const changed = [...all].filter(([folder, text]) => locked.has(folder) && locked.get(folder) !== text);
  const added = [...all].filter(([folder]) => !locked.has(folder) && !optional.has(folder));
  const gone = [...locked].filter(([folder]) => !all.has(folder));
  const line = (what: string, some: readonly (readonly [string, string])[]): string[] => {
    if (some.length === 0) return [];
    const named = some.slice(0, MAX_NAMED).map(([folder, text]) => `${nameOf(folder)} ${text.split(' ')[0]}`);
    const more = some.length > MAX_NAMED ? ` and ${some.length - MAX_NAMED} more` : '';
    return [`download ${what}: ${named.join(', ')}${more}`];
  };
  return [...line('changed', changed), ...line('added', added), ...line('gone', gone)];
}

/** Compares a configured server's downloads with the pack's lock. Others download nothing. */
export async function checkDownloads(
  { name, downloads }: PackServer,
  config: McpServerConfig | undefined,
  signal: AbortSignal,
): Promise<{ differences: string[]; notes: string[] }> {
  if (downloads === undefined || config?.transport !== 'stdio' || config.command !== 'npx')
    return { differences: [], notes: [] };
  if (!config.args.includes(downloads))
    return { differences: [`download: servers.yaml does not start ${downloads} of the pack`], notes: [] };
  try {
    const resolved = await resolvePackages(downloads, config.env, signal);
    return { differences: comparePackages(readLock(name), resolved), notes: [] };
  } catch (error) {
    signal.throwIfAborted();
    const [first = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return {
      differences: [],
      notes: [`download not compared: npm could not resolve ${downloads}: ${first}`],
    };
  }
}
