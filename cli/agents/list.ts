// `agents list`: every agent once, as it counts.

import type { AgentCatalog } from '../../shared/config/config.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { StoredAgent } from '../../shared/schema/storedAgent.ts';
import { printable } from '../printer.ts';
import { type FolderOption, readCatalog, readStored, write } from './catalog.ts';

/** An agent as it is listed. */
interface Row {
  name: string;
  /** `store`, or the file. */
  from: string;
  strategy: string;
  model: string;
  structured: boolean;
  description: string;
  /** Why a stored agent cannot be used; null for one that can. */
  fault: string | null;
}

/** Prints a line for each agent. */
export async function listAgents({ config, json }: FolderOption & { json?: boolean }): Promise<void> {
  const catalog = readCatalog({ ...(config !== undefined && { config }) });
  const stored = await readStored();
  const names = [...new Set([...catalog.names, ...stored.keys()])].sort();
  const rows = names.map((name) => rowOf(name, catalog, stored.get(name)));
  if (json) {
    for (const row of rows) write(JSON.stringify(row));
    return;
  }
  const width = (pick: (row: Row) => string) => Math.max(...rows.map((row) => pick(row).length));
  const widths = { name: width(({ name }) => name), from: width(({ from }) => from) };
  for (const row of rows) {
    const what =
      row.fault === null ? `${row.strategy}, ${row.model}${row.structured ? ', structured' : ''}` : '';
    const text = row.fault === null ? row.description : `cannot be used: ${row.fault}`;
    write(
      `${row.name.padEnd(widths.name)}  ${row.from.padEnd(widths.from)}  ${printable([what, text].filter((part) => part !== '').join('  '))}`,
    );
  }
}

function rowOf(name: string, catalog: AgentCatalog, stored: StoredAgent | undefined): Row {
  const from = stored === undefined ? (catalog.sourceOf(name)?.yaml.file ?? '') : 'store';
  const row = { name, from, strategy: '', model: '', structured: false, description: '', fault: null };
  try {
    const text = stored?.yaml == null ? undefined : { name, yaml: stored.yaml };
    const { strategy, model, outputSchema, description = '' } = catalog.plan(name, {}, text);
    return { ...row, strategy, model: model.model, structured: outputSchema !== undefined, description };
  } catch (error) {
    return { ...row, fault: errorMessage(error) };
  }
}
