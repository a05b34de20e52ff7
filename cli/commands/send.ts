// `send`, alias `publish`, and `rerun`: publish an alert of a file or session, and follow it.

import { Argument, Option } from 'commander';
import type { Following } from '../alert/sendAlert.ts';
import { plannedCommand, type Work } from '../api/command.ts';
import { ALERT_FILE, attributeOption } from '../options/attributeOption.ts';
import { jsonOption, SESSION_ARGUMENT, type TenantOptions, userOption } from '../options/commandOptions.ts';
import { beforeAbort, interruptSignal, STOP_DEADLINE_MS } from '../process/interrupt.ts';
import { report } from '../process/output.ts';

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

const FOLLOW_OPTIONS = [
  jsonOption('print the timeline as lines of JSON'),
  new Option('--no-follow', 'do not wait for the investigation'),
];

/** How an alert is published on the command line. */
interface SendOptions extends TenantOptions {
  follow: boolean;
  chain?: string;
}

/** The command `send`. */
export const send = plannedCommand({
  name: 'send',
  args: [new Argument('<file>', ALERT_FILE)],
  options: [
    ...FOLLOW_OPTIONS,
    new Option(
      '--chain <name>',
      'the chain to run (default: the first whose rules match the alert, else the default chain; see `route`)',
    ),
    attributeOption(),
    userOption('the user for whom it is investigated (default: none)'),
  ],
  help: SEND_HELP,
  publishes: true,
  plan: sendFile,
});

/** The command `rerun`. */
export const rerun = plannedCommand({
  name: 'rerun',
  args: [SESSION_ARGUMENT],
  options: [
    new Option('--chain <name>', 'the chain of chains.yaml to run (default: as for a new alert)'),
    ...FOLLOW_OPTIONS,
  ],
  help: RERUN_HELP,
  publishes: true,
  plan: (_, options: SendOptions) =>
    followSent(options, interruptSignal({ deadlineMs: STOP_DEADLINE_MS }), async (following, sessionId) => {
      const { rerunAlert } = await import('../alert/sendAlert.ts');
      return rerunAlert(sessionId, options.chain, following);
    }),
});

async function sendFile(
  [file]: [string],
  options: SendOptions & { attribute: Record<string, string> },
): Promise<Work> {
  const { chain, attribute: attributes, url } = options;
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  // Loaded here, so that the help needs neither the adapters of alerts nor masking.
  const [{ readAlertInput }, { sendAlert }, { readEmulatorAddress }] = await Promise.all([
    import('../alert/alertInput.ts'),
    import('../alert/sendAlert.ts'),
    import('../../shared/store/emulator.ts'),
  ]);
  const input = await beforeAbort(readAlertInput(file, { attributes }), interrupted);
  const { length } = input.data;
  return followSent(options, interrupted, (following) => {
    if (!url && readEmulatorAddress('pubsub', process.env) === undefined && length > EVENTARC_BYTES)
      report(
        `warning: the alert has ${length} bytes; Eventarc delivers at most ${EVENTARC_BYTES}, so it can be lost`,
      );
    return sendAlert(input, { chain, attributes }, following);
  });
}

/**
 * Publishes an alert with `publish`, which follows its session unless `follow` is false. The exit code is 0
 * when the investigation completed.
 */
function followSent(
  options: SendOptions,
  interrupted: AbortSignal,
  publish: (following: Following, sessionId: string) => Promise<{ status: string } | undefined>,
): Work {
  return {
    needs: { publishes: 'alerts', signal: interrupted },
    async run({ api, signal, sessionId }) {
      const { printerFor } = await import('../print/printerFor.ts');
      const printer = options.follow ? printerFor(options) : undefined;
      const session = await publish({ api, printer, onProgress: report, signal }, sessionId);
      process.exitCode = session === undefined || session.status === 'completed' ? 0 : 1;
    },
  };
}
