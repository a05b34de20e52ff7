// `put-enrichment`: stores or deletes rows of a table of enrich.yaml in Firestore, which needs no deployment.

import path from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../../shared/config/configError.ts';
import { readRows } from '../../../shared/config/enrichTables.ts';
import { loadLookups } from '../../../shared/config/load.ts';
import type { Fault } from '../../../shared/config/yamlFile.ts';
import { systemClock } from '../../../shared/core/kernel/deps.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { deleteRows, putRows } from '../../../shared/features/enrichment/putRows.ts';
import { knownSecrets } from '../../../shared/masking/knownSecrets.ts';
import { createMaskers } from '../../../shared/masking/maskers.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { checkDatabaseIsNamed, DATABASE_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
enrich.yaml must have a lookup with \`firestore: TABLE\`: it names the columns that find a row, and those that it sets. Rows with
the same key are replaced; others stay. With --delete, the file needs only the columns that find a row, and a key without a row
is skipped. \`inquest db ls enrichments\` lists stored rows.
`;

/** Adds the command to the program. */
export function registerPutEnrichment(program: Command): void {
  program
    .command('put-enrichment')
    .argument('<table>', 'the table that enrich.yaml names')
    .argument('<file>', 'a .csv file with the columns in its first line, or a .yaml list of rows')
    .option('--config <folder>', 'the configuration with enrich.yaml (default: INQUEST_CONFIG, else config/)')
    .option('--delete', 'delete the rows with the keys of the file instead')
    .option('--by <name>', 'who writes them (default: the user of this machine)')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(putEnrichment);
}

async function putEnrichment(
  table: string,
  file: string,
  { config, by: name, delete: isDelete = false }: { config?: string; by?: string; delete?: boolean },
): Promise<void> {
  checkDatabaseIsNamed(process.env);
  const by = readName(name);
  const folder = config ?? readConfigFolder(process.env);
  const lookup = loadLookups(folder).find((one) => one.table === table);
  if (lookup === undefined)
    throw new UsageError(
      `${path.join(folder, 'enrich.yaml')} has no lookup with firestore: ${table}. Nothing was changed.`,
    );
  const faults: Fault[] = [];
  const rows = readRows(file, isDelete ? { by: lookup.by, set: [] } : lookup, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  await withDatabase(async ({ store }) => {
    if (isDelete) {
      await deleteRows({ table, keys: rows.map(({ key }) => key) }, { store });
      return write(`the rows of ${rows.length} keys are deleted from table ${table}`);
    }
    const maskerFor = createMaskers({ known: knownSecrets(process.env) });
    await putRows({ table, rows, by }, { store, clock: systemClock, maskerFor });
    write(`${rows.length} rows of table ${table} are stored`);
  });
}
