// `knowledge`: stores, lists, searches, shows and removes entries of the knowledge base.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { ShownEntry } from '../../shared/runtime/features/knowledge/queryKnowledge.ts';
import { knowledgeKeyOf } from '../../shared/schema/features/knowledge.ts';
import type { Unreadable } from '../../shared/schema/readable.ts';
import { wholeEntry } from '../../shared/search/describeResult.ts';
import { parseQuery, QUERY_FORMS } from '../../shared/search/parseQuery.ts';
import { type ApiClient, withDates } from '../api/apiClient.ts';
import { withApi } from '../api/withApi.ts';
import { readEntryFile } from '../knowledge/entryFile.ts';
import { type TenantOptions, tenantCommand, userOption } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { readName } from '../options/readLine.ts';
import { alignColumns, onOneLine } from '../print/textTable.ts';
import { printableText, report, reportUnreadable, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';
import { registerReembed } from './reembed.ts';

const FILE_HELP = `
A file is markdown with YAML front matter:
  ---
  key: payments-api            # default: the name of the file; letters and digits, with - between them
  title: Payments API
  kind: resource               # or runbook, message; default: resource
  labels: { team: payments }
  links: [ledger, { key: oom-killed, type: runbook }]
  ---
  Takes card payments…
The limit of the text is 100 kB. Known secrets and text that looks like a secret are masked. An entry with the same key is
replaced. The text is embedded with Gemini, with the same credentials as agents. If that fails, the entry is stored without
an embedding, and SEARCH compares it by spelling.`;

const QUERY_TEXT = `
Queries:
${QUERY_FORMS.map((form) => `  ${form}`).join('\n')}`;

const CONFIRM_HELP = `
Only a reviewer can confirm, who rated the analysis as right (\`inquest work\`). Without it agents get the component, the
mechanism and the reviewers' own words. Hidden characters and long gaps of the text are visible.`;

interface ScopeOptions extends TenantOptions {
  user?: string;
}

interface EditOptions extends ScopeOptions {
  by: string;
}

/** Adds the command to the program. */
export function registerKnowledge(program: Command): void {
  const knowledge = program.command('knowledge').addHelpText('after', `\n${DATABASE_HELP}`);
  const scoped = (name: string) =>
    tenantCommand(knowledge, name)
      .addOption(userOption('with the entries of this user only (default: the shared ones)'))
      .option('--json', 'print JSON, one object a line');
  const edited = (name: string) => scoped(name).option('--by <name>', 'who does it', userInfo().username);
  edited('push')
    .description('check files and store them as entries; all of them, or none if one has faults')
    .argument('<files...>', 'markdown with front matter')
    .option('--no-embeddings', 'do not embed: SEARCH compares these entries by spelling')
    .addHelpText('after', `${FILE_HELP}\n${DATABASE_HELP}`)
    .action(pushEntries);
  scoped('list')
    .description('list entries by their keys, at most 1,000')
    .addHelpText('after', DATABASE_HELP)
    .action(listEntries);
  scoped('search')
    .description('run a query, as agents do with the tool search')
    .argument('<query...>', 'LOOKUP, FUZZY, SEARCH or TRAVERSE with its arguments')
    .addHelpText('after', `${QUERY_TEXT}\n${DATABASE_HELP}`)
    .action(searchEntries);
  scoped('show')
    .description('print an entry')
    .argument('<key>', 'of the entry')
    .addHelpText('after', DATABASE_HELP)
    .action(showEntry);
  edited('remove')
    .description('remove an entry, including one that an investigation stored')
    .argument('<key>', 'of the entry')
    .addHelpText('after', DATABASE_HELP)
    .action(removeEntry);
  scoped('trace')
    .description('show where an entry comes from, and which entries came from it')
    .argument('<key>', 'of the entry')
    .addHelpText('after', DATABASE_HELP)
    .action(traceEntry);
  edited('confirm')
    .description(
      'show the text of an entry of a session whole; with --digest, confirm it, so that agents get it',
    )
    .argument('<key>', 'of the entry')
    .option('--digest <digest>', 'that of the shown text: you read it and vouch for each sentence')
    .addHelpText('after', `${CONFIRM_HELP}\n${DATABASE_HELP}`)
    .action(confirmText);
  scoped('forget')
    .description(
      'remove what a session left, or a person wrote or confirmed, with all entries that came from it',
    )
    .option('--session <id>', 'the session')
    .option('--by <person>', 'the person')
    .addHelpText('after', DATABASE_HELP)
    .action(forgetEntries);
  registerReembed(knowledge);
}

/** Reads shared entries and those of `--user`. */
const reading = (
  { user, ...options }: ScopeOptions,
  work: (api: ApiClient) => Promise<void>,
): Promise<void> =>
  withApi({ ...options, ...(user !== undefined && { by: user }), user: user ?? null }, work);

/** Changes entries in the name of `--by`: those of `--user`, otherwise shared ones. */
const editing = (
  { user, ...options }: EditOptions,
  work: (api: ApiClient) => Promise<void>,
): Promise<void> => {
  const by = readName(options.by);
  return withApi({ ...options, by, user: user ?? by }, work);
};

function readKey(text: string): string {
  const key = knowledgeKeyOf(text);
  if (key === '') throw new UsageError(`${JSON.stringify(text)} is no key: it holds no letter and no digit`);
  return key;
}

async function pushEntries(files: string[], options: EditOptions & { embeddings: boolean }): Promise<void> {
  // Reads all files before storing the first.
  const entries = files.map((file) => ({ file, entry: readEntryFile(file) }));
  for (const [index, { file, entry }] of entries.entries()) {
    const other = entries.find((one, at) => at < index && one.entry.key === entry.key);
    if (other !== undefined)
      throw new UsageError(`${other.file} and ${file} have the same key, ${entry.key}; change one of them`);
  }
  const { user, embeddings, json } = options;
  await editing(options, async (api) => {
    type Pushed = { outcome: string; masked: number; embedded: boolean; withoutEmbedding: string | null };
    for (const { entry } of entries) {
      const { key, ...body } = entry;
      const stored = { ...body, own: user !== undefined, embed: embeddings };
      const pushed = await api.post<Pushed>(`/v1/knowledge/${key}`, stored);
      const { outcome, masked, embedded, withoutEmbedding } = pushed;
      if (masked > 0) report(`note: ${key}: ${masked} secrets were masked`);
      if (embeddings && withoutEmbedding !== null)
        report(`note: ${key}: stored without an embedding: ${withoutEmbedding}`);
      write(json ? JSON.stringify({ key, outcome, masked, embedded }) : `${key}: ${outcome} in ${api.where}`);
    }
  });
}

async function listEntries(options: ScopeOptions): Promise<void> {
  await reading(options, async (api) => {
    type Listed = { entries: Omit<ShownEntry, 'text'>[]; unreadable: Unreadable[]; isCut: boolean };
    const { entries, unreadable, isCut } = await api.get<Listed>('/v1/knowledge');
    unreadable.forEach(reportUnreadable);
    const rows = entries.map(({ key, kind, title }) => [key, kind, onOneLine(printableText(title))]);
    const lines = options.json ? entries.map((entry) => JSON.stringify(entry)) : alignColumns(rows);
    for (const line of lines) write(line);
    if (entries.length === 0 && !options.json)
      report(`${api.where} has no entries; \`inquest knowledge push\` stores some`);
    if (isCut) report('note: there are more; these are the first 1,000 by their keys');
  });
}

async function searchEntries(words: string[], options: ScopeOptions): Promise<void> {
  const q = words.join(' ');
  const parsed = parseQuery(q);
  if (!parsed.ok) throw new UsageError(parsed.message);
  await reading(options, async (api) => {
    type Found = { entries: ShownEntry[]; text: string; unreadable: Unreadable[] };
    const { entries, text, unreadable } = await api.get<Found>('/v1/knowledge/search', { q });
    unreadable.forEach(reportUnreadable);
    for (const line of options.json ? entries.map((one) => JSON.stringify(one)) : [printableText(text)])
      write(line);
  });
}

async function showEntry(text: string, options: ScopeOptions): Promise<void> {
  const key = readKey(text);
  await reading(options, async (api) => {
    const answer = await api.get(`/v1/knowledge/${key}`);
    if (options.json) return write(JSON.stringify(answer));
    const entry = withDates(answer) as ShownEntry;
    const { updatedBy, updatedAt, expireAt, embedded, userId } = entry;
    write(printableText(wholeEntry(entry)));
    const facts = [
      `written by ${updatedBy} at ${updatedAt.toISOString()}`,
      ...(userId === null ? [] : [`of ${userId}`]),
      ...(expireAt === null ? [] : [`until ${expireAt.toISOString()}`]),
      embedded ? 'with an embedding' : 'without an embedding',
    ];
    report(printableText(facts.join(', ')));
  });
}

async function removeEntry(text: string, options: EditOptions): Promise<void> {
  const key = readKey(text);
  await editing(options, async (api) => {
    await api.post(`/v1/knowledge/${key}/remove`, { own: options.user !== undefined });
    write(options.json ? JSON.stringify({ key, outcome: 'removed' }) : `${key}: removed from ${api.where}`);
  });
}

async function confirmText(text: string, { digest, ...options }: EditOptions & { digest?: string }) {
  const key = readKey(text);
  await editing(options, async (api) => {
    type Shown = { text: string; digest: string; confirmedBy: string | null };
    const path = `/v1/knowledge/${key}/text`;
    const shown = digest === undefined ? await api.get<Shown>(path) : await api.post<Shown>(path, { digest });
    if (options.json) return write(JSON.stringify(shown));
    if (digest === undefined) write(printableText(shown.text));
    const { confirmedBy } = shown;
    const next = `if you vouch for each sentence: inquest knowledge confirm ${key} --digest ${shown.digest}`;
    report(printableText(confirmedBy === null ? next : `${confirmedBy} confirmed the text: agents get it`));
  });
}

interface TraceAnswer {
  entry: TraceRow;
  from: TraceRow[];
  descendants: TraceRow[];
}

type TraceRow = Pick<ShownEntry, 'key' | 'kind' | 'title' | 'session' | 'updatedBy'> & { depth?: number };

async function traceEntry(text: string, options: ScopeOptions): Promise<void> {
  const key = readKey(text);
  await reading(options, async (api) => {
    const traced = await api.get<TraceAnswer>(`/v1/knowledge/${key}/trace`);
    if (options.json) return write(JSON.stringify(traced));
    const { entry, from, descendants } = traced;
    const { session } = entry;
    const origin =
      session === null
        ? [`written by ${entry.updatedBy}`]
        : [
            `from session ${session.sessionId}: ${session.trust}`,
            ...(session.reviewedBy.length === 0 ? [] : [`reviewed by ${session.reviewedBy.join(', ')}`]),
            session.textBy === null
              ? 'agents get no text of it'
              : `agents get its text: ${session.textBy} confirmed it`,
            `servers: ${session.hosts.join(', ') || 'none'}`,
            `evidence: ${session.evidence.join(', ') || 'none'}`,
          ];
    const lines = [
      `${entry.key} (${entry.kind}): ${onOneLine(entry.title)}`,
      ...origin.map((line) => `  ${line}`),
      from.length === 0 ? 'Its session was shown no other entry.' : 'Its session was shown:',
      ...from.map(rowText),
      descendants.length === 0 ? 'No entry came from it.' : 'Came from it:',
      ...descendants.map(rowText),
    ];
    write(printableText(lines.join('\n')));
  });
}

function rowText({ key, title, session, depth = 1 }: TraceRow): string {
  const trust = session === null ? '' : ` (${session.trust})`;
  return `${'  '.repeat(depth)}- ${key}${trust}: ${onOneLine(title)}`;
}

async function forgetEntries(options: ScopeOptions & { session?: string; by?: string }): Promise<void> {
  const { session, by, ...scope } = options;
  if ((session === undefined) === (by === undefined))
    throw new UsageError('name what is forgotten: --session ID, or --by PERSON');
  await withApi({ ...scope, by: userInfo().username, user: null }, async (api) => {
    const from = session === undefined ? { by } : { sessionId: session };
    const { removed } = await api.post<{ removed: string[] }>('/v1/memory/forget', from);
    for (const key of removed)
      write(options.json ? JSON.stringify({ key, outcome: 'removed' }) : `${key}: removed`);
    if (removed.length === 0 && !options.json) report('nothing was left of it in the knowledge base');
  });
}
