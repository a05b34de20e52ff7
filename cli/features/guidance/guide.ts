// `guide`, or its alias: gives guidance to the agents of a running investigation.

import { text as readAll } from 'node:stream/consumers';
import { Argument, Option } from 'commander';
import { guidanceFault } from '../../../shared/kits/steering/addGuidance.ts';
import { type Answer, linesOr, plannedCommand, request, type Work } from '../../api/command.ts';
import { byOption, SESSION_ARGUMENT } from '../../options/commandOptions.ts';
import { pageOptions } from '../../options/parameterOption.ts';
import { printableText } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const GIVE = 'POST /v1/sessions/{sessionId}/guidance';
const LIST = 'GET /v1/sessions/{sessionId}/guidance';

/** The text argument that means standard input. */
const STDIN = '-';

const HELP = `
Inquest masks the text, stores it and shows it in the timeline. Every agent gets it with its next model call, as instructions
of a person and not as data; so do agents of later stages. At the end, the timeline reports guidance that no agent has read.
The same text by the same person is stored once. \`--list\` lists all guidance with its readers.
`;

/** The command `guide`. */
export const guide = plannedCommand({
  name: 'guide',
  args: [
    SESSION_ARGUMENT,
    new Argument('[text]', 'the guidance, at most 10,000 characters; `-` reads standard input'),
  ],
  options: [
    new Option('--list', 'list all guidance of the session, and which agents have read it'),
    ...pageOptions(),
    byOption('who gives the guidance'),
  ],
  json: 'print lines of JSON',
  help: HELP,
  plan: async ([, text]: [string, string?], { list }: { list?: boolean }) => {
    if (!list) return giveGuidance(text);
    if (text !== undefined) throw new UsageError('--list takes no text; leave one of them out');
    return request({
      route: LIST,
      pages: 'guidance',
      items: 'guidance',
      print: ({ guidance }, { sessionId }) =>
        linesOr(guidance.flatMap(guidanceLines), `session ${sessionId} has no guidance`),
    });
  },
});

async function giveGuidance(given: string | undefined): Promise<Work> {
  if (given === undefined)
    throw new UsageError('the text is missing: give it, or `-` to read standard input');
  const text = given === STDIN ? await readAll(process.stdin) : given;
  const fault = guidanceFault(text);
  if (fault !== undefined) throw new UsageError(`the text cannot be guidance: ${fault}. Nothing was stored.`);
  return request({
    route: GIVE,
    send: () => ({ text }),
    toJson: ({ outcome, isPaused, guidance }) => ({ outcome, isPaused, ...guidance }),
    print({ outcome, guidance, isPaused }, { sessionId }) {
      const has = `${outcome === 'told' ? 'has' : 'had the same'} guidance ${guidance.number}`;
      const when = isPaused ? 'once the session is resumed' : 'when they next ask their model';
      return `session ${sessionId} ${has}; its agents read it ${when}`;
    },
  });
}

type Guidance = Answer<typeof LIST>['guidance'][number];

function guidanceLines({ guidance, readBy, state }: Guidance): string[] {
  const { number, givenBy, createdAt, text } = guidance;
  const readers = readBy.length > 0 ? `read by ${readBy.join(', ')}` : UNREAD_STATES[state];
  return [
    `${number}  ${createdAt}  ${printableText(givenBy)}: ${readers}`,
    ...printableText(text)
      .split('\n')
      .map((line) => `   ${line}`),
  ];
}

const UNREAD_STATES: Record<Guidance['state'], string> = {
  read: 'read',
  pending: 'not read yet',
  unread: 'unread: no model was asked after it was given',
};
