// `trace`: prints the spans of a session, derived from its stored documents.

import type { Command } from 'commander';
import { documentsOfSession } from '../../../shared/runtime/features/telemetry/documentsOfSession.ts';
import { spansOf } from '../../../shared/runtime/features/telemetry/spansOf.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { traceLines } from '../../print/traceLines.ts';
import { escapeHidden, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
Prints the finished spans of the session as a tree: start after the first span, duration, tokens (input > output), cost, and
attempts of model calls; waits are below their agent. The spans are those of docs/telemetry.md, without content. Telemetry does
not have to be on. Spans that have not ended are not printed, so those below them stand at the top.
${DATABASE_HELP}`;

/** Adds the command to the program. */
export function registerTrace(program: Command): void {
  program
    .command('trace')
    .argument('<session>', 'the whole id of a session')
    .option('--json', 'print one JSON object a line: a span with its ids, times, attributes and events')
    .addHelpText('after', HELP)
    .action(printTrace);
}

async function printTrace(sessionId: string, { json }: { json?: boolean }): Promise<void> {
  if (sessionId === '' || sessionId.includes('/'))
    throw new UsageError(`${JSON.stringify(sessionId)} is not the id of a session`);
  const documents = await withDatabase(({ store }) => documentsOfSession(sessionId, store));
  if (documents.length === 0)
    throw new UsageError(`there is no session ${escapeHidden(sessionId)}; give its whole id`);
  const spans = spansOf(documents);
  const lines = json ? spans.map((span) => escapeHidden(JSON.stringify(span))) : traceLines(spans);
  for (const line of lines) write(line);
  if (spans.length === 0) report('no span has ended');
}
