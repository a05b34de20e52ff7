// `agents push` and `agents pull`: agents between files and the store.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readPages } from '../../../shared/client/readPages.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { MARK } from '../../../shared/masking/scan/maskMarks.ts';
import { createFolder } from '../../../shared/projectFiles.ts';
import { withApi } from '../../api/withApi.ts';
import { readName } from '../../options/readLine.ts';
import { report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { type FolderOption, readAgentFile } from './validate.ts';

/** Checks all agents, then stores them. @throws UsageError, and the problem of an agent with faults. */
export async function pushAgents(
  files: string[],
  { by, ...options }: FolderOption & { by?: string },
): Promise<void> {
  const author = readName(by);
  const texts = files.map(readAgentFile);
  const repeated = texts.find(({ name }, index) => texts.findIndex((text) => text.name === name) !== index);
  if (repeated !== undefined) throw new UsageError(`two of the files define the agent ${repeated.name}`);
  const bodies = texts.map(({ name, yaml, file = name }) => [name, { yaml, file }] as const);
  await withApi({ ...options, by: author, withoutDatabase: true }, async (api) => {
    for (const [name, body] of bodies)
      await api.post('/v1/agents/{name}', { name }, { ...body, checkOnly: true });
  });
  await withApi({ ...options, by: author }, async (api) => {
    for (const [name, body] of bodies) {
      const { outcome, remarks } = await api.post('/v1/agents/{name}', { name }, body);
      for (const remark of remarks) report(`note: ${remark}`);
      write(`${name}: ${outcome} in ${api.where}`);
    }
  });
}

/** Writes stored agents to files. @throws Error for an unknown agent; UsageError where a file differs. */
export async function pullAgents(
  names: string[],
  { output, force, ...options }: FolderOption & { output?: string; force?: boolean },
): Promise<void> {
  const folder = output ?? path.join(options.config ?? readConfigFolder(process.env), 'agents');
  await withApi(options, async (api) => {
    const { agents } = await readPages('agents', (page) => api.get('/v1/agents', page));
    const stored = agents.filter((agent) => agent.stored !== null).map(({ name }) => name);
    const missing = names.find((name) => !stored.includes(name));
    if (missing !== undefined)
      throw new Error(
        `${api.where} has no agent ${JSON.stringify(missing)}; it has ${stored.join(', ') || 'none'}`,
      );
    const wanted = stored.filter((name) => names.length === 0 || names.includes(name));
    if (wanted.length === 0) return report(`${api.where} has no agents`);
    const files: { file: string; yaml: string }[] = [];
    for (const name of wanted) {
      const { yaml } = await api.get('/v1/agents/{name}', { name });
      // A push refuses secrets, so this one became known after the push.
      if (MARK.test(yaml))
        throw new Error(`the agent ${name} holds a secret; push it again without the secret`);
      files.push({ file: path.join(folder, `${name}.yaml`), yaml });
    }
    const other = files.find(({ file, yaml }) => existsSync(file) && readFileSync(file, 'utf8') !== yaml);
    if (other !== undefined && !force)
      throw new UsageError(
        `${other.file} holds something else; give --force to overwrite it, or --output FOLDER`,
      );
    createFolder(folder);
    for (const { file, yaml } of files) {
      writeFileSync(file, yaml);
      write(file);
    }
  });
}
