// `notify`: tries destinations: a test message, a message's form, the manifest of a Slack app.

import { join } from 'node:path';
import type { Command } from 'commander';
import { loadDestinations } from '../../../shared/config/destinations.ts';
import {
  type ConfiguredDestination,
  type DeliveryEvent,
  NO_PARTS,
  type OutgoingMessage,
} from '../../../shared/contract/destination.ts';
import { isTerminal } from '../../../shared/core/schema/common.ts';
import type { Session } from '../../../shared/core/schema/session.ts';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import { slackManifest } from '../../../shared/destinations/slackManifest.ts';
import { readConfigFolder, readPublicUrl } from '../../../shared/environment.ts';
import { buildOutgoing } from '../../../shared/features/deliveries/composeMessage.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { readEmulatorAddress } from '../../../shared/store/emulator.ts';
import { destinationServices } from '../../../shared/wiring/destinationServices.ts';
import { withApi } from '../../api/withApi.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { LAST } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { escapeHidden, printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
Reads destinations.yaml of INQUEST_CONFIG (default: config/), with the variables that hold its secrets.

  test NAME                      checks the settings, then sends one message; exit code 1 when it is not accepted
  preview SESSION --to NAME      prints the message about a session as the destination would get it; sends nothing
  manifest slack [--url URL]     prints the manifest of a Slack app for your own workspace ("internal customer-built"); with the
                                 address of the deployed API also for buttons and mentions. It reads messages of the channels
                                 that it is invited to, and with --asks files of them (files:read), for destinations with asks
`;

interface Options {
  to?: string;
  url?: string;
  asks?: boolean;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerNotify(program: Command): void {
  program
    .command('notify')
    .argument('<action>', 'test, preview or manifest')
    .argument('<name>', 'a destination, a session, or slack')
    .option('--to <name>', 'the destination of a preview')
    .option('--url <url>', 'the address of the deployed API, for a manifest with buttons')
    .option('--asks', 'a manifest for questions without an alert; needs --url')
    .option('--json', 'print the result as a line of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(notify);
}

async function notify(
  action: string,
  name: string,
  { to, url, asks = false, json = false }: Options,
): Promise<void> {
  switch (action) {
    case 'test':
      return await testDestination(name, json);
    case 'preview':
      if (to === undefined) throw new UsageError('preview needs --to NAME, the destination');
      return await previewSession(name, to, json);
    case 'manifest':
      if (name !== 'slack') throw new UsageError('only Slack has a manifest: notify manifest slack');
      if (asks && url === undefined) throw new UsageError('--asks needs --url: questions come as mentions');
      return writeDocument(slackManifest(url === undefined ? null : parseNotifyAddress(url), asks), json);
    default:
      throw new UsageError(`there is no action ${action}; it is test, preview or manifest`);
  }
}

/** @throws UsageError for an address that Slack does not accept. */
function parseNotifyAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.username === '' && url.search === '' && url.hash === '')
    return url.href.replace(/\/+$/, '');
  throw new UsageError(
    `--url ${text}: must be an https address without credentials, such as https://api.example.com`,
  );
}

/** @throws UsageError for a name that destinations.yaml does not have, and for events without a project. */
async function openDestination(name: string): Promise<ConfiguredDestination> {
  const folder = readConfigFolder(process.env);
  loadVariables(folder, process.env);
  const configs = loadDestinations(folder, process.env);
  // Without both, events would go to the project of `inquest start` on the real Pub/Sub.
  const hasProject = readEmulatorAddress('pubsub', process.env) || process.env.GOOGLE_CLOUD_PROJECT;
  if (configs[name]?.kind === 'pubsub' && !hasProject)
    throw new UsageError(
      'no project is named: set GOOGLE_CLOUD_PROJECT, or the variables that `inquest start` printed',
    );
  const found = await createDestinations(configs, destinationServices(process.env))(name);
  if (found !== undefined) return found;
  const names = Object.keys(configs).join(', ') || 'none';
  throw new UsageError(`${join(folder, 'destinations.yaml')} has no destination ${name}; it has ${names}`);
}

/** Writes JSON as it is, or on one line. */
function writeDocument(text: string, onOneLine: boolean): void {
  const lines = onOneLine ? [JSON.stringify(JSON.parse(text))] : text.split('\n');
  for (const line of lines) write(escapeHidden(line));
}

async function testDestination(name: string, json: boolean): Promise<void> {
  const { destination } = await openDestination(name);
  const problems = (await destination.check?.()) ?? [];
  const result = problems.length > 0 ? undefined : await destination.send(testMessage(new Date()));
  if (result?.outcome !== 'sent') process.exitCode = 1;
  if (json)
    return write(
      escapeHidden(JSON.stringify({ name, kind: destination.kind, problems, result: result ?? null })),
    );
  for (const { code, message } of problems) write(`${name}: ${code}: ${printableText(message)}`);
  if (result?.outcome === 'sent') {
    return write(
      `${name}: ${destination.kind} accepted the message${result.ref === null ? '' : `, ${printableText(result.ref)}`}`,
    );
  }
  if (result !== undefined)
    write(`${name}: ${result.outcome}: ${result.failure.code}: ${printableText(result.failure.message)}`);
}

function testMessage(now: Date): OutgoingMessage {
  const text = 'A test message of Inquest. Messages about sessions come here.';
  return {
    id: `test.${now.getTime()}`,
    event: 'notice',
    thread: null,
    place: null,
    session: null,
    occurredAt: now,
    firstSentAt: now,
    message: {
      ...NO_PARTS,
      status: 'notice',
      title: 'Test',
      text,
      summary: [text],
      link: readPublicUrl(process.env),
    },
  };
}

async function previewSession(named: string, to: string, json: boolean): Promise<void> {
  const { destination, fields } = await openDestination(to);
  if (destination.preview === undefined) throw new UsageError(`${destination.kind} has no preview`);
  const sessionId = named === LAST ? await withApi({}, (api) => api.findSession(LAST)) : named;
  const outgoing = await withDatabase(async ({ store }) => {
    const session = (await store.get(paths.session(sessionId), sessionType))?.value;
    if (session === undefined) throw new UsageError(`there is no session ${sessionId}; use its whole id`);
    const delivery = { destination: to, event: chooseTestEvent(session), key: '1', isRepeated: false };
    const publicUrl = readPublicUrl(process.env);
    return await buildOutgoing({ session, delivery, fields, publicUrl, now: new Date() }, store);
  });
  const shown = destination.preview(outgoing);
  // The gaps of inert text have no width.
  if (typeof shown === 'string' && !json) return write(printableText(shown.replaceAll('\u200b', '')));
  writeDocument(JSON.stringify(shown, null, 2), json);
}

function chooseTestEvent({ status }: Session): DeliveryEvent {
  if (status === 'deferred') return 'deferred';
  if (!isTerminal(status)) return 'opened';
  return status === 'completed' ? 'ended' : 'failed';
}
