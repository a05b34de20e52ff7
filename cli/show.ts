// `show`: a session with all that is stored about it.

import type { Command } from 'commander';
import { readSessionView, type SessionView } from '../shared/runtime/views/sessionView.ts';
import { hasColor } from './color.ts';
import { escapeHidden } from './database/documentText.ts';
import { checkDatabaseIsNamed, DATABASE_HELP } from './project.ts';
import { type ApiOptions, apiOf, urlOption } from './remote/apiClient.ts';
import { readSession } from './remote/sessions.ts';
import { findSession, SESSION_ARGUMENT } from './session/findSession.ts';
import { sessionPage } from './session/sessionPage.ts';
import { withSessions } from './session/withSessions.ts';
import { tenantOption } from './tenantOption.ts';

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
    .description('show a session: alert, agents, timeline, analysis, cost')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print one JSON document')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(show);
}

async function show(session: string, options: ShowOptions): Promise<void> {
  const api = apiOf(options);
  if (api !== undefined) return print(await readSession(api, await api.findSession(session)), options);
  checkDatabaseIsNamed(process.env);
  await withSessions(options, async ({ sessions, store, where }) => {
    const sessionId = await findSession(session, sessions, where);
    const view = await readSessionView(sessionId, store, new Date());
    if (view === undefined) throw new Error(`there is no session ${sessionId} in ${where}`);
    print(view, options);
  });
}

function print(view: SessionView, { json }: ShowOptions): void {
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  const lines = json
    ? [escapeHidden(JSON.stringify(view))]
    : sessionPage(view, columns, hasColor(process.stdout, process.env));
  for (const line of lines) process.stdout.write(`${line}\n`);
}
