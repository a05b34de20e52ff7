// Copies a pack into a configuration: server, agent and runbook. Existing entries stay.

import { parseDocument, stringify } from 'yaml';
import type { FolderEdit } from './folderEdit.ts';
import { indentLines, insertYaml } from './insertYaml.ts';
import { describeList, describeTrial, type Pack } from './pack.ts';

/** Columns of comments. */
const WIDTH = 110;

/**
 * Adds the parts of a pack that the folder does not have. No chain gets the agent: without one nothing calls
 * its tools.
 * @returns a line for each part that was added.
 * @throws as `insertYaml`.
 */
export function addPack(edit: FolderEdit, pack: Pack): string[] {
  const { name, agentName, agent, servers, runbook } = pack;
  const added: string[] = [];
  for (const server of servers) {
    if (hasEntry(edit, 'servers', server.name)) continue;
    insertEntry(edit, 'servers', `${commentLines(pack)}\n${server.name}:\n${indentLines(server.yaml, 2)}`);
    added.push(`server ${server.name}, with ${Object.keys(server.tools).length} read-only tools`);
  }
  if (!hasEntry(edit, 'agents', agentName) && !edit.has(`agents/${agentName}.yaml`)) {
    const { description, instructions } = agent;
    const entry = stringify(
      { [agentName]: { description, tools: servers.map((server) => server.name), instructions } },
      { lineWidth: 0 },
    );
    insertEntry(edit, 'agents', entry.trimEnd());
    added.push(`agent ${agentName}`);
  }
  const runbookFile = `runbooks/${name}.md`;
  if (!edit.has(runbookFile)) {
    edit.set(runbookFile, `${runbook.trimEnd()}\n`);
    added.push(`runbook ${name}`);
  }
  return added;
}

/** The names of the entries of servers.yaml or agents.yaml. */
export function entryNames(
  edit: Pick<FolderEdit, 'read'>,
  key: 'servers' | 'agents' | 'destinations',
): string[] {
  const value: unknown = parseDocument(edit.read(`${key}.yaml`)).toJS();
  const entries = value !== null && typeof value === 'object' && key in value ? value[key as never] : {};
  return Object.keys(entries ?? {});
}

function hasEntry(edit: FolderEdit, key: 'servers' | 'agents', name: string): boolean {
  return entryNames(edit, key).includes(name);
}

function insertEntry(edit: FolderEdit, key: 'servers' | 'agents', lines: string): void {
  const file = `${key}.yaml`;
  edit.set(file, insertYaml(file, edit.read(file), [key], lines));
}

/** The origin of a server as comments. */
function commentLines(pack: Pack): string {
  const { name, description, source, roles } = pack;
  return [
    `${description}. From the pack ${name}: \`npx --no inquest packs check ${name}\` reports changes.`,
    `List checked ${describeList(pack)}. Tried on the service: ${describeTrial(pack)}.`,
  ]
    .concat(source, ...roles.map((role) => `Rights: ${role}`))
    .flatMap((text) => wrapText(text))
    .map((line) => `# ${line}`)
    .join('\n');
}

function wrapText(text: string): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
