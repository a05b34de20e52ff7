// `agents push`, `agents pull`, `agents remove`: agents between files and the store.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { configFolderOf } from '../../../shared/environment.ts';
import { knownSecrets } from '../../../shared/masking/knownSecrets.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import {
  AGENT_MASKING,
  listStoredAgents,
  pushAgent,
  removeAgent,
} from '../../../shared/runtime/agents/editAgents.ts';
import { systemClock } from '../../../shared/runtime/kernel/deps.ts';
import { servedApi, urlOption } from '../../api/apiClient.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { reportUnreadable } from '../../print/reportUnreadable.ts';
import { UsageError } from '../../process/usageError.ts';
import { readAgentFile } from './agentFile.ts';
import { type FolderOption, readCatalog, report, withDatabase, write } from './catalog.ts';

interface PullOptions extends FolderOption {
  output?: string;
  force?: boolean;
}

/** Adds the commands to `agents`. @param user who edits unless `--by` says so. */
export function registerAgentEdits(agents: Command, folder: [string, string], user: string): void {
  agents
    .command('push')
    .description('check agents and store them; all of them, or none if one has faults')
    .argument('<files...>', 'files like agents/NAME.yaml')
    .option(...folder)
    .option('--by <name>', 'who writes them', user)
    .addOption(urlOption())
    .addHelpText('after', DATABASE_HELP)
    .action(push);
  agents
    .command('pull')
    .description('write stored agents into files, byte for byte as they were pushed')
    .argument('[names...]', 'of the agents (default: all that are stored)')
    .option(...folder)
    .option('--output <folder>', "where to (default: agents/ of the configuration's folder)")
    .option('--force', 'overwrite files that hold something else')
    .addHelpText('after', DATABASE_HELP)
    .action(pull);
  agents
    .command('remove')
    .description('take an agent out of the store, so that the files count again')
    .argument('<name>', 'of the agent')
    .option('--by <name>', 'who removes it', user)
    .addOption(urlOption())
    .addHelpText('after', DATABASE_HELP)
    .action(remove);
}

async function push(files: string[], { by, ...folder }: FolderOption & { by: string }): Promise<void> {
  const author = readName(by);
  const texts = files.map(readAgentFile);
  const repeated = texts.find(({ name }, index) => texts.findIndex((text) => text.name === name) !== index);
  if (repeated !== undefined) throw new UsageError(`two of the files define the agent ${repeated.name}`);
  const api = servedApi({ ...folder, by: author });
  if (api !== undefined) {
    for (const { name, yaml } of texts) {
      type Pushed = { outcome: string; remarks: string[] };
      const { outcome, remarks } = await api.post<Pushed>(`/v1/agents/${name}`, { yaml });
      for (const remark of remarks) report(`note: ${remark}`);
      write(`${name}: ${outcome} in ${api.where}`);
    }
    return;
  }
  const catalog = readCatalog(folder);
  for (const text of texts) catalog.check(text);
  const masker = createMasker({ known: knownSecrets(process.env), rules: AGENT_MASKING });
  await withDatabase(async ({ store, where }) => {
    const deps = { store, clock: systemClock };
    for (const text of texts) {
      const { edit, remarks } = await pushAgent(text, { by: author, catalog, masker }, deps);
      for (const remark of remarks) report(`note: ${remark}`);
      write(`${text.name}: ${edit} in ${where}`);
    }
  });
}

async function pull(names: string[], { output, force, config }: PullOptions): Promise<void> {
  const folder = output ?? path.join(config ?? configFolderOf(process.env), 'agents');
  await withDatabase(async ({ store, where }) => {
    const stored = await listStoredAgents(store, reportUnreadable);
    const missing = names.find((name) => !stored.some((agent) => agent.name === name));
    if (missing !== undefined)
      throw new Error(
        `${where} has no agent ${JSON.stringify(missing)}; it has ${stored.map(({ name }) => name).join(', ') || 'none'}`,
      );
    const wanted = stored.filter(({ name }) => names.length === 0 || names.includes(name));
    if (wanted.length === 0) return report(`${where} has no agents`);
    const files = wanted.map(({ name, yaml }) => ({
      file: path.join(folder, `${name}.yaml`),
      yaml: yaml ?? '',
    }));
    const other = files.find(({ file, yaml }) => existsSync(file) && readFileSync(file, 'utf8') !== yaml);
    if (other !== undefined && !force)
      throw new UsageError(
        `${other.file} holds something else; give --force to overwrite it, or --output FOLDER`,
      );
    mkdirSync(folder, { recursive: true });
    for (const { file, yaml } of files) {
      writeFileSync(file, yaml);
      write(file);
    }
  });
}

async function remove(name: string, { by, url }: { by: string; url?: string }): Promise<void> {
  const author = readName(by);
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name))
    throw new UsageError(`${JSON.stringify(name)} is not the name of an agent`);
  const api = servedApi({ by: author, ...(url !== undefined && { url }) });
  if (api !== undefined) {
    await api.post(`/v1/agents/${name}/remove`, {});
    return write(`${name}: removed from ${api.where}; the configuration's files count`);
  }
  await withDatabase(async ({ store, where }) => {
    if (!(await removeAgent(name, author, { store, clock: systemClock })))
      throw new Error(`${where} has no agent ${name}; \`inquest agents list\` lists those there are`);
    write(`${name}: removed from ${where}; the configuration's files count`);
  });
}
