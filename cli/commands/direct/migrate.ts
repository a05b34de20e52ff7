// `migrate`: rewrites stored documents of older versions in the current version.

import type { Command } from 'commander';
import { openCloud } from '../../../shared/wiring/openCloud.ts';
import { openOutdatedDocuments } from '../../../shared/wiring/openOutdatedDocuments.ts';
import { migrate, type Tally } from '../../migration/migrate.ts';
import { progressPrinter, summaryLines } from '../../migration/report.ts';
import { migrationTarget } from '../../migration/target.ts';
import { SYSTEM_HELP } from '../../options/project.ts';
import { Interrupted, interruptSignal } from '../../process/interrupt.ts';

interface MigrateCommandOptions {
  dryRun?: boolean;
  yes?: boolean;
}

/** Adds the command to the program. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .option('--dry-run', 'read and check all documents without writing')
    .option('--yes', 'confirm rewriting documents of a real project')
    .addHelpText('after', SYSTEM_HELP)
    .action(migrateCommand);
}

async function migrateCommand(options: MigrateCommandOptions): Promise<void> {
  const dryRun = options.dryRun === true;
  const where = migrationTarget(process.env, { yes: options.yes === true, dryRun });
  const signal = interruptSignal();
  const progress = progressPrinter((text) => process.stderr.write(text), process.stderr.isTTY === true);
  const { store, close } = openCloud(process.env);
  const outdated = openOutdatedDocuments(process.env);
  const tallies = new Map<string, Tally>();
  let cutShort = true;
  process.stderr.write(`${dryRun ? 'looking at' : 'migrating'} ${where}\n`);
  try {
    for await (const tally of migrate({ outdated, store, dryRun, now: () => new Date() })) {
      tallies.set(tally.collection, tally);
      progress.show(tally);
      if (signal.aborted) break;
    }
    cutShort = false;
  } finally {
    progress.end();
    const summary = summaryLines([...tallies.values()], dryRun);
    if (tallies.size > 0) process.stdout.write(`${summary.join('\n')}\n`);
    // After a failure an SDK call can still be open, which would block closing.
    if (!cutShort) await Promise.allSettled([close(), outdated.close()]);
  }
  if (signal.reason instanceof Interrupted) {
    process.stderr.write(`${signal.reason.message}\n`);
    process.exitCode = signal.reason.exitCode;
  } else {
    process.exitCode = [...tallies.values()].some(({ failed }) => failed > 0) ? 1 : 0;
  }
}
