// `agents list`: every agent once, as it counts.

import { type AgentRow, agentRow } from '../../../shared/runtime/agents/describeAgents.ts';
import { servedApi } from '../../api/apiClient.ts';
import { printable } from '../../print/printer.ts';
import { type FolderOption, readCatalog, readStored, write } from './catalog.ts';

/** Prints a line for each agent. */
export async function listAgents(options: FolderOption & { json?: boolean }): Promise<void> {
  const { config, json } = options;
  const api = servedApi(options);
  if (api !== undefined) return print((await api.get<{ agents: AgentRow[] }>('/v1/agents')).agents, json);
  const catalog = readCatalog({ ...(config !== undefined && { config }) });
  const stored = await readStored();
  const names = [...new Set([...catalog.names, ...stored.keys()])].sort();
  print(
    names.map((name) => agentRow(name, catalog, stored.get(name))),
    json,
  );
}

function print(rows: readonly AgentRow[], json = false): void {
  if (json) {
    for (const row of rows) write(JSON.stringify(row));
    return;
  }
  const width = (pick: (row: AgentRow) => string) => Math.max(...rows.map((row) => pick(row).length));
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
