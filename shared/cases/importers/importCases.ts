// Writes cases of a public benchmark as folders for `evaluate`. Their data is not in this repository.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createFolder } from '../../projectFiles.ts';
import { CLOUD_OPS_BENCH } from './cloudOpsBench.ts';
import { HOLMES_GPT } from './holmesGpt.ts';
import type { Importer } from './importedCase.ts';
import { IT_BENCH } from './itBench.ts';
import { KUBERNAUT } from './kubernaut.ts';
import { OPEN_RCA } from './openRca.ts';
import { RCA_100 } from './rca100.ts';

/** The importers, by the name of their benchmark. */
export const IMPORTERS: Readonly<Record<string, Importer>> = {
  'cloud-opsbench': CLOUD_OPS_BENCH,
  holmesgpt: HOLMES_GPT,
  kubernaut: KUBERNAUT,
  itbench: IT_BENCH,
  openrca: OPEN_RCA,
  rca100: RCA_100,
};

interface Imported {
  /** Names of the folders that were written. */
  written: string[];
  skipped: { name: string; reason: string }[];
}

const INSTRUCTIONS = `Find the root cause of the alert. Read the data of the tools. Look for what contradicts your explanation. Keep the ledger: state
hypotheses with component and mechanism, quote whole lines as evidence, and conclude only what they prove.`;

/**
 * Imports a benchmark: a folder for each case, and \`config/\` with an agent that has its tools.
 * @throws TerminalError `CASE_INVALID` with the file that cannot be read.
 */
export async function importCases(benchmark: string, source: string, folder: string): Promise<Imported> {
  const importer = IMPORTERS[benchmark];
  const read = (await importer?.read(source)) ?? [];
  const servers = new Set<string>();
  const imported: Imported = { written: [], skipped: [] };
  const save = (file: string, value: object) =>
    writeFileSync(join(folder, file), stringify(value, { lineWidth: 0 }));
  for (const one of read) {
    if ('reason' in one) {
      imported.skipped.push(one);
      continue;
    }
    const { name, at, alert, tools, causes, evidence, steps = [] } = one;
    createFolder(join(folder, name));
    for (const tool of tools) servers.add(tool.name.slice(0, tool.name.indexOf('.')));
    const startsAt = at.toISOString();
    const licence = importer?.licence;
    save(join(name, 'case.yaml'), {
      version: 1,
      licence,
      at: startsAt,
      alert: { ...alert, startsAt },
      tools,
    });
    save(join(name, 'truth.yaml'), { causes, evidence, steps, canary: deriveCaseCanary(benchmark, name) });
    imported.written.push(name);
  }
  if (imported.written.length > 0) writeConfig(join(folder, 'config'), [...servers].sort());
  return imported;
}

/**
 * Writes the configuration of an agent with the tools of recorded servers.
 * @param task further instructions.
 */
export function writeConfig(folder: string, servers: readonly string[], task = ''): void {
  createFolder(folder);
  const save = (file: string, value: object) =>
    writeFileSync(join(folder, file), stringify(value, { lineWidth: 0 }));
  const instructions = `${INSTRUCTIONS}\n${task}`.trimEnd();
  const responder = { description: 'Finds the root cause of an alert', instructions, tools: servers };
  save('agents.yaml', { agents: { responder } });
  const flash = { provider: 'google', model: 'gemini-3.8-flash' };
  save('models.yaml', { default: 'flash', models: { flash } });
  const stages = [{ name: 'investigation', agents: ['responder'] }];
  save('chains.yaml', { default: 'investigate', chains: { investigate: { ledger: 'on', stages } } });
  const server = { transport: 'recorded', readOnly: ['*'] };
  save('servers.yaml', { servers: Object.fromEntries(servers.map((name) => [name, server])) });
}

/** A canary for a truth: the same for the same case. */
const deriveCaseCanary = (benchmark: string, name: string): string =>
  `canary-${createHash('sha256').update(`${benchmark} ${name}`).digest('hex').slice(0, 16)}`;
