// Builds the dashboard when it is missing or older than its sources.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WEB = new URL('../web/', import.meta.url);
const BUILT = new URL('dist/.vite/manifest.json', WEB);
/** What is built from. */
const SOURCES = ['src/', 'index.html', 'vite.config.ts', '../package-lock.json'];
const VITE = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url));
/** It takes two seconds; a machine may be busy with other things. */
const TIMEOUT_MS = 120_000;

/** Whether there is nothing built, or something older than a source. */
function isStale(): boolean {
  if (!existsSync(BUILT)) return true;
  const builtAt = statSync(BUILT).mtimeMs;
  return SOURCES.some((path) => newestIn(new URL(path, WEB)) > builtAt);
}

/** When a file, or the newest below a folder, was changed. */
function newestIn(url: URL): number {
  const own = statSync(url);
  if (!own.isDirectory()) return own.mtimeMs;
  const names = readdirSync(url, { recursive: true, encoding: 'utf8' });
  return Math.max(own.mtimeMs, ...names.map((name) => statSync(new URL(name, url)).mtimeMs));
}

/**
 * Builds the dashboard if that is needed. What cannot be built is reported, and everything else works without it.
 * @param onProgress Called with a line for people.
 * @param signal Ends it.
 */
export async function buildWeb(onProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
  if (!existsSync(VITE) || !isStale()) return;
  onProgress('dashboard: is being built');
  try {
    const args = [VITE, 'build', fileURLToPath(WEB), '--logLevel', 'error'];
    await promisify(execFile)(process.execPath, args, { signal, timeout: TIMEOUT_MS });
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = '' } = error as { stderr?: string };
    onProgress(`dashboard: could not be built, and is not served. ${stderr.trim().split('\n')[0] ?? ''}`);
  }
}
