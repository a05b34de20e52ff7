// `agents show`: one agent as it counts.

import { agentYaml } from '../../../shared/config/agentYaml.ts';
import { expectedOneOf } from '../../../shared/config/suggest.ts';
import { servedApi } from '../../api/apiClient.ts';
import { UsageError } from '../../process/usageError.ts';
import { type FolderOption, readCatalog, readStored, report, write } from './catalog.ts';

interface ShowOptions extends FolderOption {
  prompt?: boolean;
  structured?: boolean;
}

/** Prints its text, or its prompt. @throws UsageError for a name that there is not. */
export async function showAgent(name: string, { prompt, structured, ...folder }: ShowOptions): Promise<void> {
  if (structured && !prompt)
    throw new UsageError('--structured changes the prompt alone; give --prompt, too');
  const api = servedApi(folder);
  if (api !== undefined) {
    if (structured) throw new UsageError('--structured is for the configuration; leave it out, or --url');
    type Described = { from: string; yaml: string; settings: { instructions: string } | null };
    const { from, yaml, settings } = await api.get<Described>(`/v1/agents/${encodeURIComponent(name)}`);
    report(`from ${from}`);
    return write(prompt ? (settings?.instructions ?? '') : yaml.trimEnd());
  }
  const catalog = readCatalog(folder);
  const stored = (await readStored()).get(name);
  const text = stored?.yaml == null ? undefined : { name, yaml: stored.yaml };
  const source = catalog.sourceOf(name);
  if (text === undefined && source === undefined)
    throw new UsageError(`there is no agent ${JSON.stringify(name)}; ${expectedOneOf(name, catalog.names)}`);
  report(
    stored === undefined
      ? `from ${source?.yaml.file}`
      : `from the store, since ${stored.updatedAt.toISOString()} by ${stored.updatedBy}`,
  );
  if (!prompt) return write((text?.yaml ?? (source && agentYaml(name, source)) ?? '').trimEnd());
  const agent = catalog.plan(name, structured ? { structuredOutput: true } : {}, text);
  write(agent.instructions);
  if (agent.outputSchema !== undefined) report(`answers in the form ${agent.outputSchema}`);
}
