// `knowledge`: stores, lists, searches, shows and removes entries of the knowledge base.

import { userInfo } from 'node:os';
import { Argument, Option } from 'commander';
import { wholeEntry } from '../../../shared/search/describeResult.ts';
import { toKnowledgeKey } from '../../../shared/search/knowledge.ts';
import { parseQuery, QUERY_FORMS } from '../../../shared/search/parseQuery.ts';
import {
  type Answer,
  type Call,
  command,
  groupCommand,
  plannedCommand,
  request,
  type Work,
} from '../../api/command.ts';
import { jsonOption, userOption } from '../../options/commandOptions.ts';
import { pageOptions } from '../../options/parameterOption.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { alignColumns, onOneLine } from '../../print/textTable.ts';
import { printableText, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { registerReembed } from './reembed.ts';

const LIST = 'GET /v1/knowledge';
const SEARCH = 'GET /v1/knowledge/search';
const SHOW = 'GET /v1/knowledge/{key}';
const TRACE = 'GET /v1/knowledge/{key}/trace';
const TEXT = 'GET /v1/knowledge/{key}/text';
const CONFIRM = 'POST /v1/knowledge/{key}/text';

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

interface ScopeOptions {
  user?: string;
  json?: boolean;
}

interface EditOptions extends ScopeOptions {
  by: string;
}

const KEY = new Argument('<key>', 'of the entry').argParser(requireEntryKey);
const JSON_OPTION = jsonOption('print JSON, one object a line');
const BY_OPTION = new Option('--by <name>', 'who does it').default(userInfo().username);
const USER_OPTION = userOption('with the entries of this user only (default: the shared ones)');

/** Reads shared entries and those of `--user`. */
const scopeOf = ({ user }: ScopeOptions) => ({
  ...(user !== undefined && { by: user }),
  user: user ?? null,
});

/** Changes entries in the name of `--by`: those of `--user`, otherwise shared ones. */
function editorOf({ by: name, user }: EditOptions) {
  const by = readName(name);
  return { by, user: user ?? by };
}

const scoped = (name: string, description: string, more: Option[] = []) => ({
  name,
  description,
  options: [USER_OPTION, JSON_OPTION, ...more],
  needs: scopeOf,
});

const edited = (name: string, description: string, more: Option[] = []) => ({
  ...scoped(name, description, [BY_OPTION, ...more]),
  needs: editorOf,
});

/** The command `knowledge`. */
export const knowledge = groupCommand('knowledge', `\n${DATABASE_HELP}`, [
  plannedCommand({
    ...edited('push', 'check files and store them as entries; all of them, or none if one has faults', [
      new Option('--no-embeddings', 'do not embed: SEARCH compares these entries by spelling'),
    ]),
    args: [new Argument('<files...>', 'markdown with front matter')],
    help: `${FILE_HELP}\n`,
    plan: pushEntries,
  }),
  command({
    ...scoped('list', 'list entries by their keys', pageOptions()),
    route: LIST,
    pages: 'entries',
    items: 'entries',
    print({ entries }, { api }) {
      if (entries.length === 0) report(`${api.where} has no entries; \`inquest knowledge push\` stores some`);
      return alignColumns(
        entries.map(({ key, kind, title }) => [key, kind, onOneLine(printableText(title))]),
      );
    },
  }),
  plannedCommand({
    ...scoped('search', 'run a query, as agents do with the tool search'),
    args: [new Argument('<query...>', 'LOOKUP, FUZZY, SEARCH or TRAVERSE with its arguments')],
    help: `${QUERY_TEXT}\n`,
    plan: ([words]: [string[]], options: ScopeOptions) => {
      const q = words.join(' ');
      const parsed = parseQuery(q);
      if (!parsed.ok) throw new UsageError(parsed.message);
      const print = ({ text }: Answer<typeof SEARCH>) => printableText(text);
      return request({ route: SEARCH, send: () => ({ q }), items: 'entries', print }, scopeOf(options));
    },
  }),
  command({ ...scoped('show', 'print an entry'), args: [KEY], route: SHOW, print: printEntry }),
  command({
    ...edited('remove', 'remove an entry, including one that an investigation stored'),
    args: [KEY],
    route: 'POST /v1/knowledge/{key}/remove',
    send: ({ options }) => ({ own: options.user !== undefined }),
    toJson: (_, { args: { key } }) => ({ key, outcome: 'removed' }),
    print: (_, { api, args: { key } }) => `${key}: removed from ${api.where}`,
  }),
  command({
    ...scoped('trace', 'show where an entry comes from, and which entries came from it'),
    args: [KEY],
    route: TRACE,
    print: traceText,
  }),
  plannedCommand({
    ...edited(
      'confirm',
      'show the text of an entry of a session whole; with --digest, confirm it, so that agents get it',
      [new Option('--digest <digest>', 'that of the shown text: you read it and vouch for each sentence')],
    ),
    args: [KEY],
    help: `${CONFIRM_HELP}\n`,
    plan: (_, options: EditOptions & { digest?: string }) =>
      request({ route: options.digest === undefined ? TEXT : CONFIRM, print: printText }, editorOf(options)),
  }),
  command({
    ...scoped(
      'forget',
      'remove what a session left, or a person wrote or confirmed, with all entries that came from it',
      [new Option('--session <id>', 'the session'), new Option('--by <person>', 'the person')],
    ),
    needs: forgottenFor,
    route: 'POST /v1/memory/forget',
    send: ({ options: { session: sessionId, by } }) => ({ sessionId, by }),
    items: ({ removed }) => removed.map((key) => ({ key, outcome: 'removed' })),
    print({ removed }) {
      if (removed.length === 0) report('nothing was left of it in the knowledge base');
      return removed.map((key) => `${key}: removed`);
    },
  }),
  registerReembed,
]);

/** @throws UsageError unless there is either a session or a person. */
function forgottenFor({ session, by }: { session?: string; by?: string }) {
  if ((session === undefined) === (by === undefined))
    throw new UsageError('name what is forgotten: --session ID, or --by PERSON');
  return { by: userInfo().username, user: null };
}

function printText(shown: Answer<typeof TEXT>, { args, options }: Call): string[] {
  const { text, digest, confirmedBy } = shown;
  const next = `if you vouch for each sentence: inquest knowledge confirm ${args.key} --digest ${digest}`;
  report(printableText(confirmedBy === null ? next : `${confirmedBy} confirmed the text: agents get it`));
  return options.digest === undefined ? [printableText(text)] : [];
}

function requireEntryKey(text: string): string {
  const key = toKnowledgeKey(text);
  if (key === '') throw new UsageError(`${JSON.stringify(text)} is no key: it holds no letter and no digit`);
  return key;
}

async function pushEntries(
  [files]: [string[]],
  options: EditOptions & { embeddings: boolean },
): Promise<Work> {
  const { readEntryFile } = await import('../../knowledge/entryFile.ts');
  // Reads all files before storing the first.
  const entries = files.map((file) => ({ file, entry: readEntryFile(file) }));
  for (const [index, { file, entry }] of entries.entries()) {
    const other = entries.find((one, at) => at < index && one.entry.key === entry.key);
    if (other !== undefined)
      throw new UsageError(`${other.file} and ${file} have the same key, ${entry.key}; change one of them`);
  }
  const { user, embeddings, json } = options;
  return {
    needs: editorOf(options),
    async run({ api }) {
      for (const { entry } of entries) {
        const { key, ...body } = entry;
        const stored = { ...body, own: user !== undefined, embed: embeddings };
        const pushed = await api.post('/v1/knowledge/{key}', { key }, stored);
        const { outcome, masked, embedded, withoutEmbedding } = pushed;
        if (masked > 0) report(`note: ${key}: ${masked} secrets were masked`);
        if (embeddings && withoutEmbedding !== null)
          report(`note: ${key}: stored without an embedding: ${withoutEmbedding}`);
        write(
          json ? JSON.stringify({ key, outcome, masked, embedded }) : `${key}: ${outcome} in ${api.where}`,
        );
      }
    },
  };
}

function printEntry(entry: Answer<typeof SHOW>): string {
  const { updatedBy, updatedAt, expireAt, embedded, userId } = entry;
  const facts = [
    `written by ${updatedBy} at ${updatedAt}`,
    ...(userId === null ? [] : [`of ${userId}`]),
    ...(expireAt === null ? [] : [`until ${expireAt}`]),
    embedded ? 'with an embedding' : 'without an embedding',
  ];
  report(printableText(facts.join(', ')));
  return printableText(wholeEntry(entry));
}

type TraceRow = Pick<Answer<typeof SHOW>, 'key' | 'title' | 'session'> & { depth?: number };

function traceText({ entry, from, descendants }: Answer<typeof TRACE>): string {
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
  return printableText(lines.join('\n'));
}

function rowText({ key, title, session, depth = 1 }: TraceRow): string {
  const trust = session === null ? '' : ` (${session.trust})`;
  return `${'  '.repeat(depth)}- ${key}${trust}: ${onOneLine(title)}`;
}
