// `rerun`: investigates the alert of a session again with the current configuration.

import type { Command } from 'commander';
import { readAlert } from '../../shared/alerts/index.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { type NoRerun, prepareRerun } from '../../shared/runtime/session/rerun.ts';
import { type ApiClient, servedApi, urlOption } from '../api/apiClient.ts';
import { findSession, SESSION_ARGUMENT } from '../api/findSession.ts';
import { rerun as rerunThroughApi } from '../api/sending.ts';
import { withSessions } from '../api/withSessions.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from '../options/project.ts';
import { tenantOption } from '../options/tenantOption.ts';
import { beforeAbort, interruptSignal, STOP_DEADLINE_MS } from '../process/interrupt.ts';
import { printerFor, type SendCommandOptions, sendInput } from './send.ts';

const HELP = `
Publishes the alert as it is stored, with marks (\`[masked:…]\`) in place of secrets. It is handled like any alert: the current
configuration selects the chain unless \`--chain\` names one, and budgets can defer it. Each call opens a new session, whose
\`rerunOf\` names the old one. The old session is not changed.
`;

/** Adds the command to the program. */
export function registerRerun(program: Command): void {
  program
    .command('rerun')
    .argument('<session>', SESSION_ARGUMENT)
    .option('--chain <name>', 'the chain of chains.yaml to run (default: as for a new alert)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the timeline as lines of JSON')
    .option('--no-follow', 'do not wait for the investigation')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(rerun);
}

async function rerun(argument: string, options: SendCommandOptions & { tenant: string }): Promise<void> {
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const api = servedApi(options);
  if (api !== undefined) return await rerunThrough(api, argument, options, interrupted);
  checkSystemIsNamed(process.env);
  const { tenant } = options;
  const prepare = withSessions({ tenant, signal: interrupted }, async ({ sessions, store, where }) => {
    const sessionId = await findSession(argument, sessions, where);
    const prepared = await prepareRerun(sessionId, options.chain, { store });
    if (prepared.kind !== 'rerun') throw new Error(refusal(sessionId, prepared, where));
    return prepared;
  });
  const { session, data, attributes } = await beforeAbort(prepare, interrupted);
  const reading = readAlert(data, createMasker({}));
  if (!reading.ok) {
    const { code, message } = reading.failure;
    throw new Error(`the stored alert of ${session.sessionId} cannot be published: ${code}: ${message}`);
  }
  process.stderr.write(`rerun of ${session.sessionId}, which ran chain ${session.chain.name}\n`);
  await sendInput({ data, ...reading }, attributes, options, interrupted);
}

async function rerunThrough(
  api: ApiClient,
  argument: string,
  options: SendCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const sessionId = await api.findSession(argument);
  const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
  const printer = options.follow ? printerFor(options, options.tenant) : undefined;
  const session = await rerunThroughApi(sessionId, options.chain, { api, printer, onProgress, signal });
  process.exitCode = session === undefined || session.status === 'completed' ? 0 : 1;
}

/** The reason why a session cannot be rerun. */
function refusal(sessionId: string, { kind }: NoRerun, where: string): string {
  switch (kind) {
    case 'unknown_session':
      return `there is no session ${sessionId} in ${where}`;
    case 'no_alert':
      return `session ${sessionId} was opened by a question: it has no alert to investigate again`;
    case 'no_body':
      return `the alert of session ${sessionId} is not stored any more; publish it again from its source`;
  }
}
