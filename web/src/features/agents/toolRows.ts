// The tools of an agent as rows of a table: server, tool, whether it reads or writes, and who approves.

import type { ToolRule } from './agent.ts';

/** A row of the table. */
export interface ToolRow {
  /** Null for a tool that Inquest brings. */
  server: string | null;
  /** Names and patterns; empty where only the server knows them. */
  tools: string[];
  /** Information that the names do not show. */
  note: string;
  /** Null where it is neither, or not known. */
  access: 'read' | 'write' | null;
  /** Who approves a call. */
  approval: string;
}

const NOT_REQUIRED = 'not required';
const HINTED = 'tools that the server marks as read-only';
/** A person approves each call. */
export const ASKS_PERSON = 'required';
const APPROVALS = { required: ASKS_PERSON, none: 'not required' };
/** Notes on the built-in tools. */
const OWN: Record<string, Pick<ToolRow, 'note' | 'access'>> = {
  search: { note: 'in the knowledge base', access: 'read' },
  action: { note: 'an observation in the timeline', access: null },
  ask_agent: { note: 'asks another agent', access: null },
};

/** The rows of all entries, in their order. */
export function toolRows(rules: readonly ToolRule[]): ToolRow[] {
  return rules.flatMap((rule) => {
    const { name, server, access } = rule;
    if (server === null)
      return [
        { server, tools: [name], approval: NOT_REQUIRED, ...(OWN[name] ?? { note: '', access: null }) },
      ];
    const tool = name.slice(server.length + 1);
    if (access === null)
      return [
        { server, tools: nameParts(tool), note: 'not set in servers.yaml', access, approval: 'unknown' },
      ];
    return tool === '' ? serverRows(rule, server) : [toolRow(rule, server, tool)];
  });
}

/** Rows of a whole server: one for its read-only tools, and one for each tool that changes something. */
function serverRows({ readOnly, trustHints, access, approvals }: ToolRule, server: string): ToolRow[] {
  const note = trustHints ? (readOnly.length > 0 ? `and ${HINTED}` : HINTED) : '';
  const reading: ToolRow = { server, tools: readOnly, note, access: 'read', approval: NOT_REQUIRED };
  const writing = approvals.map(
    ({ tool, approval }): ToolRow => ({
      server,
      tools: [tool],
      note: '',
      access: 'write',
      approval: APPROVALS[approval],
    }),
  );
  const rows = [
    ...(readOnly.length > 0 || trustHints ? [reading] : []),
    ...(access === 'write' ? writing : []),
  ];
  if (rows.length > 0) return rows;
  return [
    {
      server,
      tools: [],
      note: 'none is offered: servers.yaml allows none',
      access: null,
      approval: NOT_REQUIRED,
    },
  ];
}

/** A tool's row, by the first rule that applies. A read-only tool never needs approval. */
function toolRow(
  { readOnly, trustHints, access, approvals }: ToolRule,
  server: string,
  tool: string,
): ToolRow {
  const row = { server, tools: [tool], note: '' };
  if (readOnly.length > 0) return { ...row, access: 'read', approval: NOT_REQUIRED };
  const approval = access === 'write' ? approvals[0]?.approval : undefined;
  if (approval !== undefined) return { ...row, access: 'write', approval: APPROVALS[approval] };
  if (trustHints)
    return { ...row, note: 'if the server marks it as read-only', access: 'read', approval: NOT_REQUIRED };
  return {
    ...row,
    note: 'not offered: servers.yaml does not allow it',
    access: null,
    approval: NOT_REQUIRED,
  };
}

function nameParts(tool: string): string[] {
  return tool === '' ? [] : [tool];
}
