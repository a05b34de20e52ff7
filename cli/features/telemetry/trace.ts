// `trace`: prints the spans of a session, derived from its stored documents.

import type { Command } from 'commander';
import { documentsOfSession } from '../../../shared/features/telemetry/documentsOfSession.ts';
import { buildSpans } from '../../../shared/features/telemetry/spansOf.ts';
import { storedRecording } from '../../api/recordings.ts';
import { sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { traceLines } from '../../print/traceLines.ts';
import { escapeHidden, report, write } from '../../process/output.ts';

const HELP = `
Prints the finished spans of the session as a tree: start after the first span, duration, tokens (input > output), cost, and
attempts of model calls; waits are below their agent. The spans are those of shared/features/telemetry/README.md, without content. Telemetry does
not have to be on. Needs the role admin. Spans that have not ended are not printed, so those below them stand at the top.
${DATABASE_HELP}`;

/** Adds the command to the program. */
export function registerTrace(program: Command): void {
  sessionCommand(program, 'trace')
    .option('--json', 'print one JSON object a line: a span with its ids, times, attributes and events')
    .addHelpText('after', HELP)
    .action(printTrace);
}

async function printTrace(session: string, options: TenantOptions): Promise<void> {
  const { sessionId, store } = await storedRecording(session, options, { running: true });
  const spans = buildSpans(await documentsOfSession(sessionId, store));
  const lines = options.json ? spans.map((span) => escapeHidden(JSON.stringify(span))) : traceLines(spans);
  for (const line of lines) write(line);
  if (spans.length === 0) report('no span has ended');
}
