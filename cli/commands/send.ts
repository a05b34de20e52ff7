// `send`, alias `publish`, and `rerun`: publish an alert of a file or session, and follow it.

import type { Command } from 'commander';
import { readEmulatorAddress } from '../../shared/store/emulator.ts';
import { ALERT_FILE, collectAttribute, readAlertInput } from '../alert/alertInput.ts';
import { type Following, rerunAlert, sendAlert } from '../alert/sendAlert.ts';
import { withApi } from '../api/withApi.ts';
import { sessionCommand, type TenantOptions, tenantCommand, userOption } from '../options/commandOptions.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { commandFor } from '../print/commandFor.ts';
import { jsonPrinter, type Printer, textPrinter } from '../print/printer.ts';
import { beforeAbort, interruptSignal, STOP_DEADLINE_MS } from '../process/interrupt.ts';
import { hasColor, report, write } from '../process/output.ts';

/** The largest event that Eventarc delivers to a function. Pub/Sub and its emulator accept more. */
const EVENTARC_BYTES = 512 * 1024;

const SEND_HELP = `
Publishes the bytes of the file to the topic \`alerts\` unchanged, as a source does; \`adapt\` shows how they are read. An alert
that is resolved, acknowledged or a test is not investigated: it joins the session of its problem, or is stored as deferred, and the
command ends with 0 when it is taken.
`;

const RERUN_HELP = `
Publishes the alert as it is stored, with marks (\`[masked:…]\`) in place of secrets. It is handled like any alert: the current
configuration selects the chain unless \`--chain\` names one, and budgets can defer it. Each call opens a new session, whose
\`rerunOf\` names the old one. The old session is not changed.
`;

/** How an alert is published on the command line. */
interface SendCommandOptions extends TenantOptions {
  follow: boolean;
  chain?: string;
}

/** Adds the command `send` to the program. */
export function registerSend(program: Command): void {
  tenantCommand(program, 'send')
    .argument('<file>', ALERT_FILE)
    .option('--json', 'print the timeline as lines of JSON')
    .option('--no-follow', 'do not wait for the investigation')
    .option(
      '--chain <name>',
      'the chain to run (default: the first whose rules match the alert, else the default chain; see `route`)',
    )
    .option(
      '--attribute <name=value>',
      'an attribute of the message, such as a header of the webhook; repeatable',
      collectAttribute,
      {},
    )
    .addOption(userOption('the user for whom it is investigated (default: none)'))
    .addHelpText('after', `${SEND_HELP}${SYSTEM_HELP}`)
    .action(sendFile);
}

/** Adds the command `rerun` to the program. */
export function registerRerun(program: Command): void {
  sessionCommand(program, 'rerun')
    .option('--chain <name>', 'the chain of chains.yaml to run (default: as for a new alert)')
    .option('--json', 'print the timeline as lines of JSON')
    .option('--no-follow', 'do not wait for the investigation')
    .addHelpText('after', `${RERUN_HELP}${SYSTEM_HELP}`)
    .action(rerunSession);
}

type SendOptions = SendCommandOptions & { attribute: Record<string, string> };

async function sendFile(file: string, { attribute: attributes, ...options }: SendOptions): Promise<void> {
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const input = await beforeAbort(readAlertInput(file, { attributes }), interrupted);
  const { length } = input.data;
  await followSent(options, interrupted, (following) => {
    if (!options.url && readEmulatorAddress('pubsub', process.env) === undefined && length > EVENTARC_BYTES)
      report(
        `warning: the alert has ${length} bytes; Eventarc delivers at most ${EVENTARC_BYTES}, so it can be lost`,
      );
    return sendAlert(input, { chain: options.chain, attributes }, following);
  });
}

async function rerunSession(session: string, options: SendCommandOptions): Promise<void> {
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  await followSent(options, interrupted, async (following) =>
    rerunAlert(await following.api.findSession(session), options.chain, following),
  );
}

/**
 * Publishes an alert with `work`, which follows its session unless `follow` is false. The exit code is 0 when
 * the investigation completed.
 */
async function followSent(
  options: SendCommandOptions,
  interrupted: AbortSignal,
  work: (following: Following) => Promise<{ status: string } | undefined>,
): Promise<void> {
  const printer = options.follow ? printerFor(options) : undefined;
  await withApi({ ...options, publishes: 'alerts', signal: interrupted }, async (api, signal) => {
    const session = await work({ api, printer, onProgress: report, signal });
    process.exitCode = session === undefined || session.status === 'completed' ? 0 : 1;
  });
}

/** The printer of an investigation. */
export function printerFor({ json, tenant }: Pick<SendCommandOptions, 'json' | 'tenant'>): Printer {
  return json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandFor(tenant), process.stdout.columns);
}
