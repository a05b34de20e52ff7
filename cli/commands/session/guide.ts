// `guide`, or its alias: gives guidance to the agents of a running investigation.

import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { guidanceFault } from '../../../shared/runtime/features/guidance/addGuidance.ts';
import type { Unreadable } from '../../../shared/schema/readable.ts';
import { withDates } from '../../api/apiClient.ts';
import { withApi } from '../../api/withApi.ts';
import { sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { printableText, reportUnreadable, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

/** The text argument that means standard input. */
const STDIN = '-';

const HELP = `
Inquest masks the text, stores it and shows it in the timeline. Every agent gets it with its next model call, as instructions
of a person and not as data; so do agents of later stages. At the end, the timeline reports guidance that no agent has read.
The same text by the same person is stored once. \`--list\` lists all guidance with its readers.
`;

interface Options extends TenantOptions {
  list?: boolean;
}

/** A piece of guidance as the API returns it. */
interface GuidanceState {
  guidance: { number: number; givenBy: string; createdAt: Date; text: string };
  readBy: string[];
  state: 'read' | 'pending' | 'unread';
}

/** Adds the command to the program. */
export function registerGuide(program: Command): void {
  sessionCommand(program, 'guide')
    .argument('[text]', 'the guidance, at most 10,000 characters; `-` reads standard input')
    .option('--list', 'list all guidance of the session, and which agents have read it')
    .option('--by <name>', 'who gives the guidance (default: the user of this machine)')
    .option('--json', 'print lines of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(giveGuidance);
}

async function giveGuidance(session: string, text: string | undefined, options: Options): Promise<void> {
  if (options.list) {
    if (text !== undefined) throw new UsageError('--list takes no text; leave one of them out');
    return listGuidance(session, options);
  }
  if (text === undefined) throw new UsageError('the text is missing: give it, or `-` to read standard input');
  const by = readName(options.by);
  const words = text === STDIN ? await readAll(process.stdin) : text;
  const fault = guidanceFault(words);
  if (fault !== undefined) throw new UsageError(`the text cannot be guidance: ${fault}. Nothing was stored.`);
  await withApi({ ...options, by }, async (api) => {
    type Answer = Pick<GuidanceState, 'guidance'> & { outcome: string; isPaused: boolean };
    const sessionId = await api.findSession(session);
    const answer = await api.post<Answer>(`/v1/sessions/${sessionId}/guidance`, { text: words });
    const { outcome, guidance, isPaused } = answer;
    if (options.json) return write(JSON.stringify({ outcome, isPaused, ...guidance }));
    const given = `${outcome === 'told' ? 'has' : 'had the same'} guidance ${guidance.number}`;
    const when = isPaused ? 'once the session is resumed' : 'when they next ask their model';
    write(`session ${sessionId} ${given}; its agents read it ${when}`);
  });
}

async function listGuidance(session: string, options: Options): Promise<void> {
  await withApi(options, async (api) => {
    const sessionId = await api.findSession(session);
    type Listed = { guidance: GuidanceState[]; unreadable: Unreadable[] };
    const listed = withDates(await api.get(`/v1/sessions/${sessionId}/guidance`)) as Listed;
    listed.unreadable.forEach(reportUnreadable);
    const found = listed.guidance;
    const lines = options.json ? found.map((one) => JSON.stringify(one)) : found.flatMap(guidanceLines);
    for (const line of lines) write(line);
    if (!options.json && found.length === 0) write(`session ${sessionId} has no guidance`);
  });
}

function guidanceLines({ guidance, readBy, state }: GuidanceState): string[] {
  const { number, givenBy, createdAt, text } = guidance;
  const readers = readBy.length > 0 ? `read by ${readBy.join(', ')}` : UNREAD_STATES[state];
  return [
    `${number}  ${createdAt.toISOString()}  ${printableText(givenBy)}: ${readers}`,
    ...printableText(text)
      .split('\n')
      .map((line) => `   ${line}`),
  ];
}

const UNREAD_STATES: Record<GuidanceState['state'], string> = {
  read: 'read',
  pending: 'not read yet',
  unread: 'unread: no model was asked after it was given',
};
