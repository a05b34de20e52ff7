// `record` and `replay`: a session as a file, and its replay with the stored answers of models and tools.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { compareReplay } from '../../../shared/cases/compareReplay.ts';
import {
  copyRecording,
  type Recording,
  readRecording,
  writeRecording,
} from '../../../shared/cases/recording.ts';
import { replayStored } from '../../../shared/cases/replayStored.ts';
import { cleanText } from '../../../shared/masking/cleanText.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { isTerminal } from '../../../shared/schema/common.ts';
import { paths, sessionType } from '../../../shared/schema/documents.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const FILE = 'record.json';
const INCOMPLETE = 3;

const RECORD_HELP = `
Writes FOLDER/${FILE}: the session's documents with every call and result, the lists of tools, agents and answers of models.
Texts are masked a second time, and the number of changed texts is printed; the key of masking is left out. Read the file before
you share it. \`inquest replay FOLDER\` replays it (docs/evaluation.md).
${DATABASE_HELP}`;

const REPLAY_HELP = `
Runs the code of this version on the stored answers of models and tools, in memory, and compares documents: ids, order, timeline,
messages with the provider's own parts, bytes of results, ledger, verdict, statuses, entry of the knowledge base. Times, tokens,
cost, sizes and attempts are not compared.
Exit codes: 0 equal; 1 a difference, the first one is printed; 2 wrong usage; 3 equal, but parts could not be injected.
${DATABASE_HELP}`;

/** Adds \`record\` to the program. */
export function registerRecord(program: Command): void {
  program
    .command('record')
    .argument('<session>', 'the whole id of an ended session')
    .argument('<folder>', 'a new or empty place for the recording')
    .addHelpText('after', RECORD_HELP)
    .action(recordSession);
}

/** Adds \`replay\` to the program. */
export function registerReplay(program: Command): void {
  program
    .command('replay')
    .argument('<session>', 'the whole id of a session, or the folder of a recording')
    .addOption(
      new Option('--model <name>', 'none: the stored answers; to ask models, use `inquest evaluate`')
        .choices(['none'])
        .default('none'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', REPLAY_HELP)
    .action(replaySession);
}

async function recordSession(sessionId: string, folder: string): Promise<void> {
  const file = join(folder, FILE);
  if (existsSync(file)) throw new UsageError(`${file} exists; name another folder`);
  let changed = 0;
  const masker = createMasker({});
  const recording = await withDatabase(async ({ store }) => {
    const session = await store.get(paths.session(sessionId), sessionType);
    if (session === undefined) throw new UsageError(`there is no session ${sessionId}; give its whole id`);
    if (!isTerminal(session.value.status))
      throw new UsageError(`session ${sessionId} is ${session.value.status}; record it after its end`);
    return copyRecording(sessionId, store, (text) => {
      if (!masker.wouldChange(text)) return text;
      changed++;
      return cleanText(masker, text).text;
    });
  });
  if (recording === undefined) throw new UsageError(`session ${sessionId} was deleted meanwhile`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, writeRecording(recording), { mode: 0o600 });
  write(
    `recorded ${recording.store.documents().length} documents in ${file}; masked again: ${changed} texts`,
  );
}

async function replaySession(session: string, { json }: { json?: boolean }): Promise<void> {
  const recording = await openRecording(session);
  const { sessionId, store, leftOut } = await replayStored(recording);
  const difference = await compareReplay(sessionId, recording.store, store);
  if (json) write(JSON.stringify({ sessionId, isEqual: difference === undefined, difference, leftOut }));
  else {
    if (difference === undefined) write(`${sessionId}: the replay is equal`);
    else
      for (const line of [
        `${sessionId}: the replay differs at ${difference.place}`,
        `recorded: ${shown(difference.recorded)}`,
        `replayed: ${shown(difference.replayed)}`,
      ])
        write(line);
    for (const part of leftOut) write(`left out: ${part}`);
  }
  if (difference !== undefined) process.exitCode = 1;
  else if (leftOut.length > 0) process.exitCode = INCOMPLETE;
}

const shown = (value: unknown): string => printableText(JSON.stringify(value) ?? 'nothing').slice(0, 2_000);

/** The recording in a folder, or a copy of the stored session. @throws UsageError when there is neither. */
export async function openRecording(named: string): Promise<Recording> {
  if (existsSync(named) && statSync(named).isDirectory()) {
    const file = join(named, FILE);
    if (!existsSync(file)) throw new UsageError(`${named} has no ${FILE}; \`inquest record\` writes one`);
    return readRecording(readFileSync(file, 'utf8'), file);
  }
  const copied = await withDatabase(({ store }) => copyRecording(named, store));
  if (copied === undefined)
    throw new UsageError(`there is no session ${named}, and no folder of that name; give the whole id`);
  return copied;
}
