// `knowledge reembed`: embeds the entries of the knowledge base again after a change of `embeddingModel`.

import type { Command } from 'commander';
import { readConfigFolder } from '../../../shared/environment.ts';
import type { Reembedded } from '../../../shared/features/knowledge/reembed.ts';
import { checkDatabaseAnswers, SYSTEM_HELP } from '../../options/project.ts';
import { Interrupted, interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';

/** Entries between two lines of progress. */
const PROGRESS = 100;
/** Consecutive failures after which a run ends: the model or the database is away. */
const MAX_FAILURES = 10;

const HELP = `
Embeds entries of all tenants with the embeddingModel of system.yaml, one at a time. Entries that have its embedding are left,
so a run that was ended continues where it was. Until then, SEARCH compares entries of another model by spelling. Entries that
investigations left have no embedding and get none. The exit code is 1 if an entry failed.
`;

interface ReembedCommandOptions {
  dryRun?: boolean;
  yes?: boolean;
}

/** Adds the command to `knowledge`. */
export function registerReembed(knowledge: Command): void {
  knowledge
    .command('reembed')
    .description('embed entries again after a change of embeddingModel, for all tenants')
    .option('--dry-run', 'count the entries without embedding or writing')
    .option('--yes', 'confirm rewriting entries of a real project')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(reembedCommand);
}

async function reembedCommand({ dryRun = false, yes = false }: ReembedCommandOptions): Promise<void> {
  // Loaded here, so that the help needs neither the database nor the configuration.
  const [{ migrationTarget }, { createCommandServices }, { operatorSigner }, { reembedEntries }, embedder] =
    await Promise.all([
      import('../../migration/target.ts'),
      import('../../../shared/wiring/commandServices.ts'),
      import('../../google/operatorKeys.ts'),
      import('../../../shared/features/knowledge/reembed.ts'),
      import('../../../shared/contract/embedder.ts'),
    ]);
  const where = migrationTarget(process.env, { yes, dryRun });
  await checkDatabaseAnswers(process.env);
  const signal = interruptSignal();
  const { deps, close } = createCommandServices(
    process.env,
    readConfigFolder(process.env),
    operatorSigner(process.env),
  );
  const { store, clock, embed, config } = deps;
  const model = config.embeddingModel ?? embedder.DEFAULT_EMBEDDING_MODEL;
  report(`${dryRun ? 'looking at' : 'embedding'} the entries of ${where}, with ${model}`);
  const counts = { embedded: 0, left: 0, failed: 0 };
  let failuresInARow = 0;
  try {
    if (embed === undefined) throw new Error('the services of commands embed');
    for await (const one of reembedEntries({ store, clock, embed, model, isDryRun: dryRun })) {
      counts[one.kind] += 1;
      failuresInARow = one.kind === 'failed' ? failuresInARow + 1 : 0;
      reportOne(one, counts);
      if (signal.aborted || failuresInARow === MAX_FAILURES) break;
    }
  } finally {
    await close();
  }
  const done = dryRun ? 'would be embedded' : 'embedded';
  write(`${counts.embedded} ${done}, ${counts.left} left, ${counts.failed} failed`);
  if (failuresInARow === MAX_FAILURES)
    report(`ended after ${MAX_FAILURES} failures in a row; the same command continues`);
  if (signal.reason instanceof Interrupted) {
    report(`${signal.reason.message}; the same command continues`);
    process.exitCode = signal.reason.exitCode;
  } else if (counts.failed > 0) process.exitCode = 1;
}

function reportOne(one: Reembedded, { embedded, left, failed }: Record<Reembedded['kind'], number>): void {
  if (one.kind === 'failed') report(`${one.id}: ${one.message}`);
  const seen = embedded + left + failed;
  if (seen % PROGRESS === 0) report(`${seen} entries`);
}
