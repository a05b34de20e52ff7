// `show`: prints a session with its alert, agents, timeline, analysis and cost.

import type { Command } from 'commander';
import type { SessionView } from '../../shared/runtime/views/sessionView.ts';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import { readSession } from '../api/sessions.ts';
import { withApi } from '../api/withApi.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { tenantOption } from '../options/tenantOption.ts';
import { escapeHidden } from '../print/documentText.ts';
import { sessionPage } from '../print/sessionPage.ts';
import { hasColor } from '../process/color.ts';

const HELP = `
\`--json\` prints one document; docs/sessions.md names its fields.
`;

interface ShowOptions extends ApiOptions {
  tenant: string;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerShow(program: Command): void {
  program
    .command('show')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print one JSON document')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(show);
}

async function show(session: string, options: ShowOptions): Promise<void> {
  await withApi(options, async (api) =>
    print(await readSession(api, await api.findSession(session)), options),
  );
}

function print(view: SessionView, { json }: ShowOptions): void {
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  const lines = json
    ? [escapeHidden(JSON.stringify(view))]
    : sessionPage(view, columns, hasColor(process.stdout, process.env));
  for (const line of lines) process.stdout.write(`${line}\n`);
}
