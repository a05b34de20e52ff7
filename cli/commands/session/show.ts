// `show`: prints a session with its alert, agents, timeline, analysis and cost.

import type { Command } from 'commander';
import { markedAnalysis, readSession } from '../../api/sessions.ts';
import { withApi } from '../../api/withApi.ts';
import { sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { sessionPage } from '../../print/sessionPage.ts';
import { escapeHidden, hasColor, write } from '../../process/output.ts';

const HELP = `
\`--json\` prints one document; docs/sessions.md names its fields. In the analysis of a session with a verdict, marks such as
"[in no result]" stand behind values and assertions that the results do not bear out (docs/trust.md).
`;

/** Adds the command to the program. */
export function registerShow(program: Command): void {
  sessionCommand(program, 'show')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(showSession);
}

async function showSession(session: string, options: TenantOptions): Promise<void> {
  await withApi(options, async (api) => {
    const view = await readSession(api, await api.findSession(session));
    const marked = options.json ? view : { ...view, finalAnalysis: await markedAnalysis(api, view) };
    const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
    const lines = options.json
      ? [escapeHidden(JSON.stringify(view))]
      : sessionPage(marked, columns, hasColor(process.stdout, process.env), new Date());
    for (const line of lines) write(line);
  });
}
