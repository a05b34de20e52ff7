// `record`: a session as a case.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  copyRecording,
  type Recording,
  readRecording,
  writeRecording,
} from '../../../shared/cases/recording.ts';
import { cleanText } from '../../../shared/masking/cleanText.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { isTerminal } from '../../../shared/schema/common.ts';
import { paths, sessionType } from '../../../shared/schema/documents.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

/** The file of a recording in its folder. */
export const RECORD_FILE = 'record.json';

const RECORD_HELP = `
Writes FOLDER/${RECORD_FILE}: the session's documents with every call and result, the lists of tools, agents and answers of models.
Texts are masked a second time, and the number of changed texts is printed; the key of masking is left out. Read the file before
you share it. \`inquest replay FOLDER\` replays it (docs/evaluation.md).
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

async function recordSession(sessionId: string, folder: string): Promise<void> {
  const file = join(folder, RECORD_FILE);
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

/** The recording in a folder, or a copy of the stored session. @throws UsageError when there is neither. */
export async function openRecording(named: string): Promise<Recording> {
  if (existsSync(named) && statSync(named).isDirectory()) {
    const file = join(named, RECORD_FILE);
    if (!existsSync(file))
      throw new UsageError(`${named} has no ${RECORD_FILE}; \`inquest record\` writes one`);
    return readRecording(readFileSync(file, 'utf8'), file);
  }
  const copied = await withDatabase(({ store }) => copyRecording(named, store));
  if (copied === undefined)
    throw new UsageError(`there is no session ${named}, and no folder of that name; give the whole id`);
  return copied;
}
