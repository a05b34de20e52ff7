// `diff`: compares two sessions, stored or recorded.

import type { Command } from 'commander';
import { diffSessions } from '../../../shared/cases/diffSessions.ts';
import { openRecording } from '../../api/recordings.ts';
import { type TenantOptions, tenantCommand } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { printableText, write } from '../../process/output.ts';

/** Adds the command to the program. */
export function registerDiff(program: Command): void {
  tenantCommand(program, 'diff')
    .argument('<one>', 'a session, its id, a unique prefix of it or `last`, or the folder of a recording')
    .argument('<other>', 'as <one>')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nCalls are aligned in their order by tool and arguments, evidence by state and quote: - is in the first only, + in the second.\n${DATABASE_HELP}`,
    )
    .action(showDiff);
}

async function showDiff(one: string, other: string, options: TenantOptions): Promise<void> {
  const diff = await diffSessions(await openRecording(one, options), await openRecording(other, options));
  if (options.json) return write(JSON.stringify(diff));
  for (const { name, one: a, other: b } of diff.fields) {
    const isEqual = String(a) === String(b);
    write(
      `${isEqual ? ' ' : '*'} ${name}: ${printableText(String(a))}${isEqual ? '' : ` -> ${printableText(String(b))}`}`,
    );
  }
  for (const [name, lines] of Object.entries({ calls: diff.calls, evidence: diff.evidence })) {
    if (lines.length > 0) write(`${name}:`);
    for (const { side, call } of lines)
      write(`${{ both: ' ', one: '-', other: '+' }[side]} ${printableText(call)}`);
  }
}
