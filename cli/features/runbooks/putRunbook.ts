// `put-runbook`: stores runbooks in Firestore, which needs no deployment.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { MAX_RUNBOOK_BYTES, runbookKeySchema } from '../../../shared/alerts/schema/usedRunbook.ts';
import { systemClock } from '../../../shared/core/kernel/deps.ts';
import { putRunbook } from '../../../shared/features/runbooks/putRunbook.ts';
import { knownSecrets } from '../../../shared/masking/knownSecrets.ts';
import { createMaskers } from '../../../shared/masking/maskers.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { checkDatabaseIsNamed, DATABASE_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
The key of a runbook is its file name without the extension: oom-killed.md has the key oom-killed. Chains refer to the key. A
stored runbook takes precedence over a file of the configuration with the same key. Existing sessions keep their text.
\`inquest db ls runbooks\` lists stored runbooks.
`;

/** Adds the command to the program. */
export function registerPutRunbook(program: Command): void {
  program
    .command('put-runbook')
    .argument('<files...>', 'UTF-8 text files, at most 256 kB each, named KEY.md')
    .option('--by <name>', 'who writes them (default: the user of this machine)')
    .option('--json', 'print lines of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(putRunbooks);
}

async function putRunbooks(
  files: string[],
  { by: name, json }: { by?: string; json?: boolean },
): Promise<void> {
  checkDatabaseIsNamed(process.env);
  const by = readName(name);
  // Reads all files before storing the first.
  const runbooks = files.map(readRunbook);
  await withDatabase(async ({ store }) => {
    const maskerFor = createMaskers({ known: knownSecrets(process.env) });
    for (const { key, text } of runbooks) {
      const outcome = await putRunbook({ key, text, by }, { store, clock: systemClock, maskerFor });
      const line = json ? JSON.stringify({ key, outcome }) : `runbook ${key} is ${WORDS[outcome]}`;
      write(line);
    }
  });
}

const WORDS = { created: 'stored', replaced: 'replaced', unchanged: 'unchanged' } as const;

function readRunbook(file: string): { key: string; text: string } {
  const key = path.basename(file, path.extname(file));
  const fault = runbookKeySchema.safeParse(key).error?.issues[0]?.message;
  if (fault !== undefined) throw new UsageError(`${file}: the key "${key}" ${fault}. Nothing was stored.`);
  const text = readRunbookText(file);
  if (text.trim() === '') throw new UsageError(`${file} is empty. Nothing was stored.`);
  return { key, text };
}

function readRunbookText(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_RUNBOOK_BYTES)
      throw new UsageError(
        `${file} has ${bytes.length} bytes; at most ${MAX_RUNBOOK_BYTES}. Nothing was stored.`,
      );
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof TypeError ? 'is not UTF-8 text' : 'cannot be read';
    throw new UsageError(`${file} ${why}. Nothing was stored.`);
  }
}
