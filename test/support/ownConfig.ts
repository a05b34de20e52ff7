// A configuration and a script of a test's own, as files.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../shared/config/configError.ts';

/** For `start --data`: a file that is not there yet. */
export const createDataPath = (): string => join(temporaryFolder(), 'data', 'cloud.db');

/** An empty folder that the test leaves nothing of. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files below a folder, by default one of the test's own. @returns the folder. */
export function writeFiles(files: Record<string, string | Uint8Array>, folder = temporaryFolder()): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** The lines of the ConfigError of an action, without the folder of the test; none where it succeeds. */
export function listFaults(action: () => unknown): string[] {
  try {
    action();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(/[\w./-]*\/inquest-own-\w+\//g, '').split('\n');
  }
}

/** The servers, with every tool offered to agents and nobody asked, but for what they say themselves. */
function offerEveryTool(servers: object): object {
  const open = { access: 'write', tools: { '*': { approval: 'none' } } };
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, ...open }]));
}

/** Writes a configuration with one agent, `looker`. @returns its folder. */
export function ownConfig(options: {
  servers?: object;
  tools?: string[];
  system?: object;
  /** Models that may take over, by name. */
  fallback?: object;
}): string {
  const { servers = {}, tools = [], system = {}, fallback = {} } = options;
  const folder = temporaryFolder();
  const files = {
    agents: { agents: { looker: { instructions: 'Look.', tools, fallback: Object.keys(fallback) } } },
    chains: { default: 'look', chains: { look: { stages: [{ name: 'look', agents: ['looker'] }] } } },
    models: {
      default: 'flash',
      models: { flash: { provider: 'google', model: 'gemini-3.8-flash' }, ...fallback },
    },
    servers: { servers: offerEveryTool(servers) },
    system,
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.yaml`), stringify(content));
  }
  return folder;
}

/** Writes a script for the scripted Gemini. @returns its path. */
export function ownScript(...turns: object[]): string {
  const file = join(temporaryFolder(), 'model.yaml');
  writeFileSync(file, stringify({ conversations: [{ turns }] }));
  return file;
}
