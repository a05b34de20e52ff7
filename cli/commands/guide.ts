// `guide`, with the alias `tell`: gives guidance to the agents of a running investigation.

import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { guidanceFault } from '../../shared/runtime/features/guidance/tellSession.ts';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import * as steering from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { readName } from '../options/readLine.ts';
import { tenantOption } from '../options/tenantOption.ts';
import { printable } from '../print/printer.ts';
import { reportUnreadable } from '../print/reportUnreadable.ts';
import { UsageError } from '../process/usageError.ts';

/** The text argument that means standard input. */
const STDIN = '-';

const HELP = `
Inquest masks the text, stores it and shows it in the timeline. Every agent gets it with its next model call, as instructions
of a person and not as data; so do agents of later stages. At the end, the timeline reports guidance that no agent has read.
The same text by the same person is stored once. \`--list\` lists all guidance with its readers.
`;

interface Options extends ApiOptions {
  by?: string;
  tenant: string;
  json?: boolean;
  list?: boolean;
}

/** Adds the command to the program. */
export function registerGuide(program: Command): void {
  program
    .command('guide')
    .argument('<session>', SESSION_ARGUMENT)
    .argument('[text]', 'the guidance, at most 10,000 characters; `-` reads standard input')
    .option('--list', 'list all guidance of the session, and which agents have read it')
    .option('--by <name>', 'who gives the guidance (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print lines of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(guide);
}

async function guide(session: string, text: string | undefined, options: Options): Promise<void> {
  if (options.list) {
    if (text !== undefined) throw new UsageError('--list takes no text; leave one of them out');
    return list(session, options);
  }
  if (text === undefined) throw new UsageError('the text is missing: give it, or `-` to read standard input');
  const by = readName(options.by);
  const words = text === STDIN ? await readAll(process.stdin) : text;
  const fault = guidanceFault(words);
  if (fault !== undefined) throw new UsageError(`the text cannot be guidance: ${fault}. Nothing was stored.`);
  await withApi({ ...options, by }, async (api) => {
    const { fields, line } = await steering.guide(api, await api.findSession(session), words);
    process.stdout.write(`${options.json ? JSON.stringify(fields) : line}\n`);
  });
}

async function list(session: string, options: Options): Promise<void> {
  await withApi(options, async (api) => {
    const sessionId = await api.findSession(session);
    printGuidance(sessionId, await steering.listGuidance(api, sessionId, reportUnreadable), options);
  });
}

function printGuidance(sessionId: string, found: steering.GuidanceState[], { json }: Options): void {
  const lines = json ? found.map((one) => JSON.stringify(one)) : found.flatMap(describe);
  for (const line of lines) process.stdout.write(`${line}\n`);
  if (!json && found.length === 0) process.stdout.write(`session ${sessionId} has no guidance\n`);
}

function describe({ guidance, readBy, state }: steering.GuidanceState): string[] {
  const { number, givenBy, createdAt, text } = guidance;
  const readers = readBy.length > 0 ? `read by ${readBy.join(', ')}` : UNREAD_STATES[state];
  return [
    `${number}  ${createdAt.toISOString()}  ${printable(givenBy)}: ${readers}`,
    ...printable(text)
      .split('\n')
      .map((line) => `   ${line}`),
  ];
}

const UNREAD_STATES: Record<steering.GuidanceState['state'], string> = {
  read: 'read',
  pending: 'not read yet',
  unread: 'unread: no model was asked after it was given',
};
