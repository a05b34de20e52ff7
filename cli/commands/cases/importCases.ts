// `import-cases`: writes the cases of a public benchmark as folders for `evaluate`.

import { existsSync, readdirSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { IMPORTERS, importCases } from '../../../shared/cases/importers/importCases.ts';
import { printableText, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
Reads files that you downloaded, and connects to nothing. Writes FOLDER/CASE with case.yaml and truth.yaml, and FOLDER/config with
an agent. \`inquest evaluate FOLDER\` runs them (docs/evaluation.md has the files of each benchmark). The licence of the data stays
that of the benchmark. Cases that cannot be used are printed with the reason.`;

/** Adds the command to the program. */
export function registerImportCases(program: Command): void {
  program
    .command('import-cases')
    .addArgument(new Argument('<benchmark>', 'the benchmark').choices(Object.keys(IMPORTERS)))
    .argument('<source>', 'the folder with its files')
    .argument('<folder>', 'a new or empty folder for the cases')
    .addHelpText('after', HELP)
    .action(async (benchmark: string, source: string, folder: string) => {
      if (!existsSync(source)) throw new UsageError(`there is no folder ${source}`);
      if (existsSync(folder) && readdirSync(folder).length > 0)
        throw new UsageError(`${folder} is not empty; name another folder`);
      const { written, skipped } = await importCases(benchmark, source, folder);
      for (const { name, reason } of skipped) report(printableText(`skipped ${name}: ${reason}`));
      if (written.length === 0)
        throw new UsageError(`${source} has no case of ${benchmark} that can be used`);
      write(`imported ${written.length} cases, skipped ${skipped.length}: inquest evaluate ${folder}`);
    });
}
