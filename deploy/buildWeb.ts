// Builds the dashboard when it is missing or older than its sources.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { errorMessage } from '../shared/core/errors.ts';
import { projectFile } from '../shared/projectFiles.ts';

const WEB = pathToFileURL(projectFile('web/'));
const BUILT = new URL('dist/.vite/manifest.json', WEB);
/** Inputs of the build. */
const SOURCES = ['src/', 'index.html', 'vite.config.ts', '../package-lock.json', '../docs/errors.md'];
const VITE = projectFile('node_modules/vite/bin/vite.js');
/** A build takes two seconds, longer on a busy machine. */
const TIMEOUT_MS = 120_000;

/** Whether the build is missing or older than a source. */
function isStale(): boolean {
  if (!existsSync(BUILT)) return true;
  const builtAt = statSync(BUILT).mtimeMs;
  return SOURCES.some((path) => newestIn(new URL(path, WEB)) > builtAt);
}

/** The modification time of a file, or the latest one below a folder, in epoch milliseconds. */
function newestIn(url: URL): number {
  const own = statSync(url);
  if (!own.isDirectory()) return own.mtimeMs;
  const names = readdirSync(url, { recursive: true, encoding: 'utf8' });
  return Math.max(own.mtimeMs, ...names.map((name) => statSync(new URL(name, url)).mtimeMs));
}

/**
 * Builds the dashboard when necessary.
 * @param onProgress called with a readable line.
 * @param signal cancels the build. Its reason is thrown.
 * @throws Error with the first line of Vite's errors when it cannot be built.
 */
export async function buildWeb(onProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
  if (!existsSync(VITE) || !isStale()) return;
  onProgress('dashboard: is being built');
  try {
    await buildPage(projectFile('web/dist'), signal);
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = '' } = error as { stderr?: string };
    const [reason] = stderr.trim().split('\n');
    throw new Error(`the dashboard could not be built: ${reason || errorMessage(error)}`, { cause: error });
  }
}

/**
 * Builds the dashboard as users load it into `folder`, which is emptied first.
 * @throws Error with `stderr` when Vite fails.
 */
export async function buildPage(folder: string, signal?: AbortSignal): Promise<void> {
  const args = [
    VITE,
    'build',
    projectFile('web'),
    '--logLevel',
    'error',
    '--outDir',
    folder,
    '--emptyOutDir',
  ];
  // Tests set NODE_ENV, and Vite would build for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, args, { env, signal, timeout: TIMEOUT_MS });
}
