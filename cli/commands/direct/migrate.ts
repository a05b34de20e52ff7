// `migrate`: rewrites stored documents of older versions in the current version.

import { type Command, Option } from 'commander';
import { openCloud } from '../../../shared/wiring/openCloud.ts';
import { openOutdatedDocuments } from '../../../shared/wiring/openOutdatedDocuments.ts';
import { findNewer, OWN_VERSIONS } from '../../migration/findNewer.ts';
import { migrateDocuments, type Tally } from '../../migration/migrate.ts';
import { progressPrinter, summaryLines } from '../../migration/report.ts';
import { migrationTarget } from '../../migration/target.ts';
import { SYSTEM_HELP } from '../../options/project.ts';
import { Interrupted, interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';

const CHECK_HELP = `
Before a rollback, \`migrate --check\` of the older release tells whether it can read everything that the newer one has stored.
Its exit code is 1 if it cannot. \`deploy --rollback\` checks the same.
`;

interface MigrateCommandOptions {
  check?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** Adds the command to the program. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .option('--dry-run', 'read and check all documents without writing')
    .addOption(
      new Option('--check', 'list the documents of newer releases, which this one cannot read').conflicts([
        'dryRun',
        'yes',
      ]),
    )
    .option('--yes', 'confirm rewriting documents of a real project')
    .addHelpText('after', `${CHECK_HELP}${SYSTEM_HELP}`)
    .action(({ check, ...options }: MigrateCommandOptions) =>
      check ? checkCommand() : migrateCommand(options),
    );
}

/** Prints the collections with documents of newer releases. The exit code is 1 if there are any. */
async function checkCommand(): Promise<void> {
  const where = migrationTarget(process.env, { yes: false, dryRun: true });
  const lines = await findNewer(process.env, OWN_VERSIONS);
  for (const line of lines) write(line);
  if (lines.length === 0) write(`this release can read every document of ${where}`);
  else process.exitCode = 1;
}

async function migrateCommand({ dryRun = false, yes = false }: MigrateCommandOptions): Promise<void> {
  const where = migrationTarget(process.env, { yes, dryRun });
  const signal = interruptSignal();
  const progress = progressPrinter((text) => process.stderr.write(text), process.stderr.isTTY === true);
  const { store, close } = openCloud(process.env);
  const outdated = openOutdatedDocuments(process.env);
  const tallies = new Map<string, Tally>();
  let cutShort = true;
  report(`${dryRun ? 'looking at' : 'migrating'} ${where}`);
  try {
    for await (const tally of migrateDocuments({ outdated, store, dryRun, now: () => new Date() })) {
      tallies.set(tally.collection, tally);
      progress.show(tally);
      if (signal.aborted) break;
    }
    cutShort = false;
  } finally {
    progress.end();
    const summary = summaryLines([...tallies.values()], dryRun);
    if (tallies.size > 0) write(summary.join('\n'));
    // After a failure an SDK call can still be open, which would block closing.
    if (!cutShort) await Promise.allSettled([close(), outdated.close()]);
  }
  if (signal.reason instanceof Interrupted) {
    report(signal.reason.message);
    process.exitCode = signal.reason.exitCode;
  } else {
    process.exitCode = [...tallies.values()].some(({ failed }) => failed > 0) ? 1 : 0;
  }
}
