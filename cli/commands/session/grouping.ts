// `split` and `merge`: correct the grouping of alerts.

import type { Command } from 'commander';
import { withApi } from '../../api/withApi.ts';
import { SESSION_TEXT, sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { SYSTEM_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { write } from '../../process/output.ts';

const SPLIT_HELP = `
Takes an alert that a rule with \`join\` or a merge added to SESSION out of it. The alert is published again and opens a session of its own, or
waits for a budget as any other; further reports of its problem belong to that session, and join no other one. \`inquest why\` shows
the id of the message of an alert; of a merged session, its own id stands there. Repeating the command opens no second session.
`;
const MERGE_HELP = `
INTO has to be open. It takes the alert of SESSION, further reports of its problem, and alerts that would have joined SESSION. SESSION
ends as cancelled. Repeating the command has no effect. The agents of INTO do not see the findings of SESSION.
`;
const BY = ['--by <name>', 'who (default: the user of this machine)'] as const;
const JSON_OPTION = ['--json', 'print the outcome as a line of JSON'] as const;

/** Adds the command `split` to the program. */
export function registerSplit(program: Command): void {
  sessionCommand(program, 'split')
    .argument('<message>', 'the id of the message of the alert, or of the merged session')
    .option(...BY)
    .option(...JSON_OPTION)
    .addHelpText('after', `${SPLIT_HELP}${SYSTEM_HELP}`)
    .action(splitAlert);
}

/** Adds the command `merge` to the program. */
export function registerMerge(program: Command): void {
  sessionCommand(program, 'merge')
    .argument('<into>', SESSION_TEXT)
    .option(...BY)
    .option(...JSON_OPTION)
    .addHelpText('after', `${MERGE_HELP}${SYSTEM_HELP}`)
    .action(mergeSession);
}

async function splitAlert(session: string, messageId: string, options: TenantOptions): Promise<void> {
  await withApi({ ...options, by: readName(options.by), publishes: true }, async (api) => {
    const sessionId = await api.findSession(session);
    const answer = await api.post<{ outcome: string }>(`/v1/sessions/${sessionId}/split`, { messageId });
    const lines: Record<string, string> = {
      split: `message ${messageId} left session ${sessionId} and is published again`,
      already_split: `message ${messageId} had left session ${sessionId} before; it is published again`,
    };
    write(options.json ? JSON.stringify({ sessionId, ...answer }) : (lines[answer.outcome] ?? ''));
  });
}

async function mergeSession(session: string, other: string, options: TenantOptions): Promise<void> {
  await withApi({ ...options, by: readName(options.by), publishes: true }, async (api) => {
    const sessionId = await api.findSession(session);
    const into = await api.findSession(other);
    const answer = await api.post<{ outcome: string }>(`/v1/sessions/${sessionId}/merge`, { into });
    const before = answer.outcome === 'already_merged' ? 'was merged before' : 'is merged';
    write(
      options.json
        ? JSON.stringify({ sessionId, into, ...answer })
        : `session ${sessionId} ${before} into ${into}`,
    );
  });
}
