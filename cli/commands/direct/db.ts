// `db`: lists, prints and watches documents in Firestore as they are stored.

import type { Command } from 'commander';
import { firstDeath } from '../../../local/emulators/emulatorWatch.ts';
import type { RawDatabase } from '../../../shared/contract/rawDocuments.ts';
import { readDatabaseName, readProjectId } from '../../../shared/environment.ts';
import { EMULATOR_VARIABLES, readEmulatorAddress } from '../../../shared/store/emulator.ts';
import { openRawDocuments } from '../../../shared/wiring/openRawDocuments.ts';
import { wholeNumber } from '../../options/commandOptions.ts';
import { checkId, readDocumentPath, readPath } from '../../options/path.ts';
import { checkDatabaseAnswers, checkDatabaseIsNamed, DATABASE_HELP } from '../../options/project.ts';
import {
  type DocumentPrinter,
  jsonDocumentPrinter,
  SUMMARY_FIELDS,
  textDocumentPrinter,
} from '../../print/documentText.ts';
import { beforeAbort, interruptSignal } from '../../process/interrupt.ts';
import { escapeHidden, hasColor, report, write } from '../../process/output.ts';

/** Timeout of Firestore, including all retries. */
const TIMEOUT_MS = 10_000;
const DEFAULT_LIMIT = 50;
/** A page is held in memory as a whole. */
const MAX_LIMIT = 1_000;

interface PrintOptions {
  json?: boolean;
}

interface ListOptions extends PrintOptions {
  limit: number;
  after?: string;
}

/** Adds the command to the program. */
export function registerDb(program: Command): void {
  const db = program.command('db').addHelpText('after', DATABASE_HELP);
  db.command('ls')
    .description("list the root's collections, a collection's documents, or a document's collections")
    .argument('[path]', 'sessions, sessions/ID, sessions/ID/timeline, …; default: the root')
    .option(
      '--limit <number>',
      `how many documents, 1 to ${MAX_LIMIT}`,
      wholeNumber(MAX_LIMIT),
      DEFAULT_LIMIT,
    )
    .option('--after <id>', 'only documents after this id, such as the last of the previous page')
    .option('--json', 'print one JSON object a line, of documents with the fields of the summary')
    .addHelpText('after', DATABASE_HELP)
    .action(listPath);
  db.command('get')
    .description('print a document')
    .argument('<path>', 'of the document: sessions/ID, sessions/ID/executions/ID, …')
    .option('--json', 'print one JSON object')
    .addHelpText('after', DATABASE_HELP)
    .action(printDocument);
  db.command('watch')
    .description('print a document or the documents of a collection, then their changes, until Ctrl-C')
    .argument('<path>', 'of a document or of a collection: sessions/ID, sessions/ID/timeline, …')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', DATABASE_HELP)
    .action(watchPath);
}

async function listPath(argument: string | undefined, options: ListOptions): Promise<void> {
  const target = argument === undefined ? undefined : readPath(argument);
  if (options.after !== undefined) checkId('--after', options.after);
  await withDocuments(options, async (documents, printer) => {
    if (target?.kind === 'collection') return await listDocuments(documents, printer, target.path, options);
    const ids = await documents.collectionIds(target?.path);
    for (const id of ids) printer.collectionId(id);
    if (ids.length > 0) return;
    if (target === undefined) return report('the database is empty');
    if ((await documents.get(target.path)) === undefined) throw missing(target.path);
    report(`${escapeHidden(target.path)} has no collections`);
  });
}

async function listDocuments(
  documents: RawDatabase,
  printer: DocumentPrinter,
  collection: string,
  { limit, after: afterId }: ListOptions,
): Promise<void> {
  // Reads one more than is shown, to know whether there are more.
  const page = { collection, limit: limit + 1, afterId, fields: SUMMARY_FIELDS };
  const found = await documents.list(page);
  for (const document of found.slice(0, limit)) printer.summary(document);
  if (found.length === 0) {
    report(
      `${escapeHidden(collection)} has no documents${afterId === undefined ? '' : ` after ${escapeHidden(afterId)}`}`,
    );
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  if (last !== undefined) report(`there are more: --after ${escapeHidden(last.id)}`);
}

async function printDocument(argument: string, options: PrintOptions): Promise<void> {
  const path = readDocumentPath(argument);
  await withDocuments(options, async (documents, printer) => {
    const document = await documents.get(path);
    if (document === undefined) throw missing(path);
    printer.document(document);
  });
}

async function watchPath(argument: string, options: PrintOptions): Promise<void> {
  const { kind, path } = readPath(argument);
  await withDocuments(options, async (documents, printer, signal) => {
    let isFirst = true;
    // A cold database can need longer than a single read; Ctrl-C ends the wait.
    const timer = setInterval(
      () => report(`watching ${escapeHidden(path)}: no answer yet; still waiting`),
      TIMEOUT_MS,
    );
    const failed = new Promise<never>((_, reject) => {
      const stop = documents.watch(
        path,
        (changes) => {
          clearInterval(timer);
          const isMissing = isFirst && (changes.length === 0 || changes[0]?.type === 'removed');
          isFirst = false;
          if (isMissing) report(`${kind} ${escapeHidden(path)} is not there yet; waiting for it`);
          else for (const change of changes) printer.change(change);
        },
        reject,
      );
      signal.addEventListener('abort', stop, { once: true });
    });
    await beforeAbort(failed, signal).finally(() => clearInterval(timer));
  });
}

/** Opens the environment's database, reports its name on standard error, and runs `work`. */
async function withDocuments(
  { json }: PrintOptions,
  work: (documents: RawDatabase, printer: DocumentPrinter, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  checkDatabaseIsNamed(process.env);
  const host = readEmulatorAddress('firestore', process.env);
  const signal = interruptSignal();
  const where = host === undefined ? 'the real Firestore' : `${EMULATOR_VARIABLES.firestore}=${host}`;
  report(
    `${where}, project ${readProjectId(process.env)}, database ${readDatabaseName(process.env) ?? '(default)'}`,
  );
  await beforeAbort(checkDatabaseAnswers(process.env), signal);
  const printer = json
    ? jsonDocumentPrinter(write)
    : textDocumentPrinter(write, hasColor(process.stdout, process.env));
  const documents = openRawDocuments(process.env, TIMEOUT_MS);
  const died = new AbortController();
  const ended = new AbortController();
  if (host !== undefined) {
    const emulator = { name: `the Firestore emulator at ${host}`, host };
    void firstDeath([emulator], ended.signal).then((error) => died.abort(error));
  }
  const stopped = AbortSignal.any([signal, died.signal]);
  try {
    await beforeAbort(work(documents, printer, stopped), stopped);
    await documents.close();
  } finally {
    ended.abort();
  }
}

const missing = (path: string): Error =>
  new Error(`there is no document ${escapeHidden(path)} in project ${readProjectId(process.env)}`);
