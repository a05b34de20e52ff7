// `send`, with the alias `publish`: publishes an alert from a file to a running system, and follows its investigation.

import type { Command } from 'commander';
import { firstDeath } from '../../local/emulators/emulatorWatch.ts';
import { attributesOf } from '../../shared/runtime/tenants/alertContext.ts';
import { tenantOf } from '../../shared/runtime/tenants/context.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { emulatorOf } from '../../shared/store/emulator.ts';
import { type AlertInput, readAlertInput } from '../alert/alertInput.ts';
import { ALERT_FILE, collectAttribute } from '../alert/alertOptions.ts';
import { checkConsumers, emulatorsOf } from '../alert/checkConsumers.ts';
import { sendAlert } from '../alert/sendAlert.ts';
import { type ApiClient, type ApiOptions, servedApi, urlOption } from '../api/apiClient.ts';
import { sendAlert as sendAlertThroughApi } from '../api/sending.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from '../options/project.ts';
import { tenantOption, userOption } from '../options/tenantOption.ts';
import { commandFor } from '../print/commandFor.ts';
import { jsonPrinter, type Printer, textPrinter } from '../print/printer.ts';
import { hasColor } from '../process/color.ts';
import { beforeAbort, interruptSignal, STOP_DEADLINE_MS } from '../process/interrupt.ts';
import { UsageError } from '../process/usageError.ts';

/** The largest event that Eventarc delivers to a function. Pub/Sub and its emulator accept more. */
const EVENTARC_BYTES = 512 * 1024;

const HELP = `
Publishes the bytes of the file to the topic \`alerts\` unchanged, as a source does; \`adapt\` shows how they are read. An alert
that is resolved, acknowledged or a test is stored as deferred, and the command does not wait for an investigation.
`;

/** How an alert is published on the command line. */
export interface SendCommandOptions extends ApiOptions {
  json?: boolean;
  follow: boolean;
  chain?: string;
}

/** Adds the command to the program. */
export function registerSend(program: Command): void {
  program
    .command('send')
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
    .addOption(tenantOption())
    .addOption(urlOption())
    .addOption(userOption('the user for whom it is investigated (default: none)'))
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(send);
}

async function send(
  file: string,
  options: SendCommandOptions & { attribute: Record<string, string>; tenant: string; user?: string },
): Promise<void> {
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const { chain, attribute, tenant: tenantId, user: userId = null } = options;
  const api = servedApi({ ...options, ...(userId !== null && { by: userId }) });
  if (api !== undefined) return await sendThrough(api, file, options, interrupted);
  checkSystemIsNamed(process.env);
  const owner = attributesOf({ tenantId, userId });
  const attributes = { ...attribute, ...owner, ...(chain !== undefined && { chain }) };
  const input = await beforeAbort(readAlertInput(file, { attributes }), interrupted);
  await sendInput(input, attributes, options, interrupted);
}

async function sendThrough(
  api: ApiClient,
  file: string,
  options: SendCommandOptions & { attribute: Record<string, string> },
  signal: AbortSignal,
): Promise<void> {
  if (Object.keys(options.attribute).length > 0)
    throw new UsageError(
      '--attribute is for messages of Pub/Sub; the API takes none. Leave it out, or --url',
    );
  const { data } = await beforeAbort(readAlertInput(file, {}), signal);
  const printer = options.follow ? printerFor(options, options.tenant) : undefined;
  const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
  const session = await sendAlertThroughApi(data, options.chain, { api, printer, onProgress, signal });
  process.exitCode = session === undefined || session.status === 'completed' ? 0 : 1;
}

/** The printer of an investigation. */
export function printerFor({ json }: SendCommandOptions, tenant = DEFAULT_TENANT): Printer {
  const write = (line: string) => process.stdout.write(`${line}\n`);
  return json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandFor(tenant));
}

/** Publishes an alert, and follows it if `follow` is set. The exit code is 0 when its investigation completed. */
export async function sendInput(
  input: AlertInput,
  attributes: Record<string, string>,
  options: SendCommandOptions,
  interrupted: AbortSignal,
): Promise<void> {
  const printer = printerFor(options, tenantOf({ tenantId: attributes.tenant ?? '' }));
  const onProgress = (line: string) => process.stderr.write(`${line}\n`);
  await beforeAbort(checkConsumers(process.env), interrupted);
  if (emulatorOf('pubsub', process.env) === undefined && input.data.length > EVENTARC_BYTES) {
    onProgress(
      `warning: the alert has ${input.data.length} bytes; Eventarc delivers at most ${EVENTARC_BYTES}, so it can be lost`,
    );
  }
  const died = new AbortController();
  const ended = new AbortController();
  void firstDeath(emulatorsOf(process.env), ended.signal).then((error) => died.abort(error));
  try {
    const session = await sendAlert({
      input,
      attributes,
      onProgress,
      signal: AbortSignal.any([interrupted, died.signal]),
      ...(options.follow && { printer }),
    });
    process.exitCode = session === undefined || session.status === 'completed' ? 0 : 1;
  } finally {
    ended.abort();
  }
}
