// `knowledge`: the entries of the knowledge base, from files and in the store.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import {
  listEntries,
  pushEntry,
  removeEntry,
} from '../../shared/runtime/features/knowledge/editKnowledge.ts';
import { foundEntries, shownEntry } from '../../shared/runtime/features/knowledge/queryKnowledge.ts';
import { readMessage } from '../../shared/runtime/features/knowledge/readMessage.ts';
import { systemClock } from '../../shared/runtime/kernel/deps.ts';
import { createMaskers } from '../../shared/runtime/kernel/maskers.ts';
import { knowledgeKeyOf } from '../../shared/schema/knowledge.ts';
import { describeResult } from '../../shared/search/describeResult.ts';
import { parseQuery, QUERY_FORMS } from '../../shared/search/parseQuery.ts';
import { readEntry, type Scope } from '../../shared/search/readEntry.ts';
import { runQuery } from '../../shared/search/runQuery.ts';
import type { Cloud } from '../../shared/wiring/openCloud.ts';
import { openEmbedder } from '../../shared/wiring/openEmbedder.ts';
import { type ApiOptions, servedApi, urlOption } from '../api/apiClient.ts';
import * as remote from '../api/knowledge.ts';
import { ofTenant } from '../api/withSessions.ts';
import { readEntryFile } from '../knowledge/entryFile.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { readName } from '../options/readLine.ts';
import { tenantOption, userOption } from '../options/tenantOption.ts';
import { printable } from '../print/printer.ts';
import { reportUnreadable } from '../print/reportUnreadable.ts';
import { alignColumns, onOneLine } from '../print/textTable.ts';
import { UsageError } from '../process/usageError.ts';
import { report, withDatabase, write } from './agents/catalog.ts';

const FILE_HELP = `
A file is markdown behind front matter of YAML:
  ---
  key: payments-api            # default: the name of the file; letters and digits, with - between them
  title: Payments API
  kind: resource               # or runbook, message; default: resource
  labels: { team: payments }
  links: [ledger, { key: oom-killed, type: runbook }]
  ---
  Takes card payments…
The text may have 100 kB. Secrets that this process knows or that look like some are taken out. An entry with the same key is
replaced. Its meaning is embedded with Gemini, with the same credentials as agents; where that fails it is stored without,
and SEARCH compares it by spelling.`;

const QUERY_TEXT = `
Queries:
${QUERY_FORMS.map((form) => `  ${form}`).join('\n')}`;

interface ScopeOptions extends ApiOptions {
  tenant: string;
  user?: string;
  json?: boolean;
}

interface EditOptions extends ScopeOptions {
  by: string;
}

/** Adds the command to the program. */
export function registerKnowledge(program: Command): void {
  const knowledge = program
    .command('knowledge')
    .description('store, list, search, show and remove entries of the knowledge base')
    .addHelpText('after', `\n${DATABASE_HELP}`);
  const scoped = (command: Command) =>
    command
      .addOption(tenantOption())
      .addOption(urlOption())
      .addOption(userOption('with the entries of this user alone (default: those that all share)'))
      .option('--json', 'print JSON, one object a line');
  const edited = (command: Command) =>
    scoped(command).option('--by <name>', 'who does it', userInfo().username);
  edited(knowledge.command('push'))
    .description('check files and store them as entries; all of them, or none if one has faults')
    .argument('<files...>', 'markdown with front matter')
    .option('--no-embeddings', 'ask no model: SEARCH compares these entries by spelling')
    .addHelpText('after', `${FILE_HELP}\n${DATABASE_HELP}`)
    .action(push);
  scoped(knowledge.command('list'))
    .description('list entries by their keys, at most 1,000')
    .addHelpText('after', DATABASE_HELP)
    .action(list);
  scoped(knowledge.command('search'))
    .description('run a query, as agents do with the tool search')
    .argument('<query...>', 'LOOKUP, FUZZY, SEARCH or TRAVERSE with what belongs to it')
    .addHelpText('after', `${QUERY_TEXT}\n${DATABASE_HELP}`)
    .action(search);
  scoped(knowledge.command('show'))
    .description('print an entry')
    .argument('<key>', 'of the entry')
    .addHelpText('after', DATABASE_HELP)
    .action(show);
  edited(knowledge.command('remove'))
    .description('remove an entry, also one that an investigation left')
    .argument('<key>', 'of the entry')
    .addHelpText('after', DATABASE_HELP)
    .action(remove);
}

/** The API, where entries are those of `--user`, or of all. */
const remoteOf = ({ user, ...options }: ScopeOptions) =>
  servedApi({ ...options, ...(user !== undefined && { by: user }) });
const scopeOf = ({ tenant, user }: ScopeOptions): Scope => ({ tenantId: tenant, userId: user ?? null });

/** Runs `work` with the documents that the tenant may see, and closes the database. */
const withTenant = (tenant: string, work: (cloud: Cloud) => Promise<void>): Promise<void> =>
  withDatabase((cloud) => work(ofTenant(cloud, tenant)));

function readKey(text: string): string {
  const key = knowledgeKeyOf(text);
  if (key === '') throw new UsageError(`${JSON.stringify(text)} is no key: it holds no letter and no digit`);
  return key;
}

async function push(files: string[], options: EditOptions & { embeddings: boolean }): Promise<void> {
  const author = { ...scopeOf(options), by: readName(options.by) };
  // All of them are read before the first is stored.
  const entries = files.map((file) => ({ file, entry: readEntryFile(file) }));
  for (const [index, { file, entry }] of entries.entries()) {
    const other = entries.find((one, at) => at < index && one.entry.key === entry.key);
    if (other !== undefined)
      throw new UsageError(`${other.file} and ${file} have the same key, ${entry.key}; change one of them`);
  }
  const api = remoteOf(options);
  if (api !== undefined) {
    for (const { entry } of entries) {
      const done = await remote.push(api, entry, options.user !== undefined);
      if (done.masked > 0) report(`note: ${entry.key}: ${done.masked} secrets were taken out`);
      write(
        options.json
          ? JSON.stringify({ key: entry.key, ...done })
          : `${entry.key}: ${done.outcome} in ${api.where}`,
      );
    }
    return;
  }
  const secrets = knownSecrets(process.env);
  const maskerFor = createMaskers({ known: secrets });
  const embed = options.embeddings ? openEmbedder(process.env, secrets) : undefined;
  await withTenant(options.tenant, async ({ store, where }) => {
    const deps = { store, clock: systemClock, maskerFor, embed };
    for (const { entry } of entries) {
      const { key } = entry;
      const { outcome, masked, withoutEmbedding } = await pushEntry(entry, author, deps);
      if (outcome === 'foreign')
        throw new Error(
          `${key}: another user has this key, or all share it; choose another one, or give --user`,
        );
      if (masked > 0) report(`note: ${key}: ${masked} secrets were taken out`);
      if (options.embeddings && withoutEmbedding !== undefined)
        report(`note: ${key}: stored without its meaning: ${withoutEmbedding}`);
      const embedded = withoutEmbedding === undefined;
      write(
        options.json ? JSON.stringify({ key, outcome, masked, embedded }) : `${key}: ${outcome} in ${where}`,
      );
    }
  });
}

async function list(options: ScopeOptions): Promise<void> {
  const api = remoteOf(options);
  if (api !== undefined) {
    const { entries, isCut } = await remote.list(api);
    return printList(entries, isCut, api.where, options);
  }
  const scope = scopeOf(options);
  await withTenant(options.tenant, async ({ store, where }) => {
    const { entries, unreadable, isCut } = await listEntries(scope, { store, clock: systemClock });
    unreadable.forEach(reportUnreadable);
    printList(entries.map(shownEntry), isCut, where, options);
  });
}

function printList(
  entries: readonly remote.RemoteEntry[],
  isCut: boolean,
  where: string,
  { json }: ScopeOptions,
): void {
  if (json) for (const entry of entries) write(JSON.stringify(entry));
  else if (entries.length === 0) report(`${where} has no entries; \`inquest knowledge push\` stores some`);
  else {
    const rows = entries.map(({ key, kind, title }) => [key, kind, onOneLine(printable(title))]);
    for (const line of alignColumns(rows)) write(line.trimEnd());
  }
  if (isCut) report('note: there are more; these are the first 1,000 by their keys');
}

async function search(words: string[], options: ScopeOptions): Promise<void> {
  const scope = scopeOf(options);
  const parsed = parseQuery(words.join(' '));
  if (!parsed.ok) throw new UsageError(parsed.message);
  const api = remoteOf(options);
  if (api !== undefined) {
    const entries = await remote.search(api, words.join(' '));
    if (!options.json) return write(printable(remote.describeEntries(entries)));
    for (const entry of entries) write(JSON.stringify(entry));
    return;
  }
  const embed = openEmbedder(process.env, knownSecrets(process.env));
  await withTenant(options.tenant, async ({ store }) => {
    const result = await runQuery(parsed.query, scope, {
      ...{ store, embed, now: new Date() },
      readOther: (key) => readMessage(key, scope, store),
      onUnreadable: reportUnreadable,
    });
    if (!options.json) return write(printable(describeResult(result)));
    for (const row of foundEntries(result)) write(JSON.stringify(row));
  });
}

async function show(text: string, options: ScopeOptions): Promise<void> {
  const [key, scope] = [readKey(text), scopeOf(options)];
  const api = remoteOf(options);
  if (api !== undefined) {
    const entry = await remote.show(api, key);
    return write(options.json ? JSON.stringify(entry) : printable(remote.describeEntries([entry])));
  }
  await withTenant(options.tenant, async ({ store, where }) => {
    const entry = await readEntry(key, scope, { store, now: new Date() });
    if (entry === undefined)
      throw new Error(`${where} has no entry ${key}; \`inquest knowledge list\` lists them`);
    if (options.json) return write(JSON.stringify(shownEntry(entry)));
    write(printable(describeResult({ verb: 'lookup', found: [entry], missing: [] })));
    const { updatedBy, updatedAt, expireAt, embedding, userId } = entry;
    const facts = [
      `written by ${updatedBy} at ${updatedAt.toISOString()}`,
      ...(userId === null ? [] : [`of ${userId}`]),
      ...(expireAt === null ? [] : [`until ${expireAt.toISOString()}`]),
      embedding === null ? 'without an embedding' : 'with an embedding',
    ];
    report(printable(facts.join(', ')));
  });
}

async function remove(text: string, options: EditOptions): Promise<void> {
  const [key, scope] = [readKey(text), scopeOf(options)];
  const by = readName(options.by);
  const api = remoteOf(options);
  if (api !== undefined) {
    await remote.remove(api, key, options.user !== undefined);
    return write(
      options.json ? JSON.stringify({ key, outcome: 'removed' }) : `${key}: removed from ${api.where}`,
    );
  }
  await withTenant(options.tenant, async ({ store, where }) => {
    if (!(await removeEntry(key, { ...scope, by }, { store, clock: systemClock })))
      throw new Error(
        `${where} has no entry ${key} of ${scope.userId ?? 'all users'}; \`inquest knowledge list\` lists them`,
      );
    write(options.json ? JSON.stringify({ key, outcome: 'removed' }) : `${key}: removed from ${where}`);
  });
}
