// `record`: a session as a case.

import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { writeRecording } from '../../../shared/cases/recording.ts';
import { makeCase } from '../../../shared/cases/replay/makeCase.ts';
import { cleanText } from '../../../shared/masking/cleanText.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { createFolder } from '../../../shared/projectFiles.ts';
import { MECHANISMS } from '../../../shared/text/mechanisms.ts';
import { RECORD_FILE, storedRecording } from '../../api/recordings.ts';
import { sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { escapeHidden, printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const RECORD_HELP = `
Writes to FOLDER: ${RECORD_FILE}, the session's documents with every call and result, the lists of tools, agents and answers of
models, for \`inquest replay\`; case.yaml, its alert and tools, for \`inquest evaluate\`; truth.yaml, the cause, which no agent
sees: that of --component and --mechanism, else that of the newest review, with the evidence for it that the session quoted.
Texts are masked a second time, and the number of changed texts is printed; the key of masking is left out. Read the files before
you share them (docs/evaluation.md).
${DATABASE_HELP}`;

interface Options extends TenantOptions {
  component?: string;
  mechanism?: string;
  licence: string;
  tags: string[];
}

/** Adds the command to the program. */
export function registerRecord(program: Command): void {
  sessionCommand(program, 'record')
    .argument('<folder>', 'a new or empty place for the case')
    .option('--component <name>', 'the true cause: the component that failed')
    .addOption(new Option('--mechanism <name>', 'the true cause: how it failed').choices(MECHANISMS))
    .option('--licence <name>', 'the licence of the case', 'private')
    .option('--tags <names...>', 'tags of the case; no agent sees them', [])
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', RECORD_HELP)
    .action(recordSession);
}

async function recordSession(session: string, folder: string, options: Options): Promise<void> {
  const { component, mechanism, licence, tags } = options;
  if ((component === undefined) !== (mechanism === undefined))
    throw new UsageError('--component and --mechanism belong together; give both');
  const file = join(folder, RECORD_FILE);
  if (existsSync(file)) throw new UsageError(`${file} exists; name another folder`);
  let changed = 0;
  const masker = createMasker({});
  const mask = (text: string) => {
    if (!masker.wouldChange(text)) return text;
    changed++;
    return cleanText(masker, text).text;
  };
  const recording = await storedRecording(session, options, { mask });
  const cause = component && mechanism ? { component, mechanism } : undefined;
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const made = await makeCase(recording, { licence, tags, cause, canary });
  createFolder(folder);
  writeFileSync(file, writeRecording(recording), { mode: 0o600 });
  if (made !== undefined) writeFileSync(join(folder, 'case.yaml'), made.caseYaml, { mode: 0o600 });
  if (made?.truthYaml !== undefined)
    writeFileSync(join(folder, 'truth.yaml'), made.truthYaml, { mode: 0o600 });
  const outcome: Outcome = {
    sessionId: recording.sessionId,
    file,
    documents: recording.store.documents().length,
    masked: changed,
    hasCase: made !== undefined,
    evidenceLines: made?.truthYaml === undefined ? null : made.lines,
    otherCauses: made?.others ?? [],
  };
  if (options.json) write(escapeHidden(JSON.stringify(outcome)));
  else outcomeLines(outcome).forEach(write);
}

/** A recorded session, as `--json` prints it. */
interface Outcome {
  sessionId: string;
  /** The path of the recording. */
  file: string;
  documents: number;
  /** How many texts were masked a second time. */
  masked: number;
  /** Whether there is a case.yaml. */
  hasCase: boolean;
  /** Lines of evidence in truth.yaml; null without that file. */
  evidenceLines: number | null;
  /** Causes of reviewers that truth.yaml does not have. */
  otherCauses: readonly string[];
}

function outcomeLines({ file, documents, masked, hasCase, evidenceLines, otherCauses }: Outcome): string[] {
  const recorded = `recorded ${documents} documents in ${file}; masked again: ${masked} texts`;
  if (!hasCase) return [recorded, 'no case.yaml: the session has no alert'];
  return [
    recorded,
    ...otherCauses.map((cause) =>
      printableText(`a reviewer names another cause, which is not in truth.yaml: ${cause}`),
    ),
    evidenceLines === null
      ? 'no truth.yaml: record it to another folder with --component and --mechanism, or after a review with `inquest work`'
      : `truth.yaml has ${evidenceLines} lines of evidence that the session quoted; add those that a good answer needs`,
  ];
}
