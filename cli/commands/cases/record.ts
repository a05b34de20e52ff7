// `record`: a session as a case.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import {
  copyRecording,
  type Recording,
  readRecording,
  writeRecording,
} from '../../../shared/cases/recording.ts';
import { makeCase } from '../../../shared/cases/replay/makeCase.ts';
import { cleanText } from '../../../shared/masking/cleanText.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { isTerminal } from '../../../shared/schema/common.ts';
import { paths, sessionType } from '../../../shared/schema/documents.ts';
import { MECHANISMS } from '../../../shared/text/mechanisms.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

/** The file of a recording in its folder. */
export const RECORD_FILE = 'record.json';

const RECORD_HELP = `
Writes to FOLDER: ${RECORD_FILE}, the session's documents with every call and result, the lists of tools, agents and answers of
models, for \`inquest replay\`; case.yaml, its alert and tools, for \`inquest evaluate\`; truth.yaml, the cause, which no agent
sees: that of --component and --mechanism, else that of the newest review, with the evidence for it that the session quoted.
Texts are masked a second time, and the number of changed texts is printed; the key of masking is left out. Read the files before
you share them (docs/evaluation.md).
${DATABASE_HELP}`;

interface Options {
  component?: string;
  mechanism?: string;
  licence: string;
  tags: string[];
}

/** Adds the command to the program. */
export function registerRecord(program: Command): void {
  program
    .command('record')
    .argument('<session>', 'the whole id of an ended session')
    .argument('<folder>', 'a new or empty place for the case')
    .option('--component <name>', 'the true cause: the component that failed')
    .addOption(new Option('--mechanism <name>', 'the true cause: how it failed').choices(MECHANISMS))
    .option('--licence <name>', 'the licence of the case', 'private')
    .option('--tags <names...>', 'tags of the case; no agent sees them', [])
    .addHelpText('after', RECORD_HELP)
    .action(recordSession);
}

async function recordSession(sessionId: string, folder: string, options: Options): Promise<void> {
  const { component, mechanism, licence, tags } = options;
  if ((component === undefined) !== (mechanism === undefined))
    throw new UsageError('--component and --mechanism belong together; give both');
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
  const cause = component && mechanism ? { component, mechanism } : undefined;
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const made = await makeCase(recording, { licence, tags, cause, canary });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, writeRecording(recording), { mode: 0o600 });
  write(
    `recorded ${recording.store.documents().length} documents in ${file}; masked again: ${changed} texts`,
  );
  if (made === undefined) {
    write('no case.yaml: the session has no alert');
    return;
  }
  writeFileSync(join(folder, 'case.yaml'), made.caseYaml, { mode: 0o600 });
  if (made.truthYaml === undefined)
    write('no truth.yaml: give --component and --mechanism, or review the session with `inquest work`');
  else writeFileSync(join(folder, 'truth.yaml'), made.truthYaml, { mode: 0o600 });
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
