// `deliveries`: the messages about a session at its destinations. With `--again` one of them is sent again.

import { Option } from 'commander';
import { type Answer, linesOr, plannedCommand, request } from '../../api/command.ts';
import { SESSION_ARGUMENT } from '../../options/commandOptions.ts';
import { pageOptions } from '../../options/parameterOption.ts';
import { printableText } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const LIST = 'GET /v1/sessions/{sessionId}/deliveries';
const AGAIN = 'POST /v1/sessions/{sessionId}/deliveries/{deliveryId}/send-again';

const HELP = `
States: \`pending\`, \`sending\`, \`sent\`, \`unknown\` (accepted or not: no program sends it again), \`failed\`, \`skipped\` (a later
message covers it), \`awaited\` (an agent still writes the answer). --again sends a failed or unknown message again; an
unknown one can then be there twice.
`;

/** The command `deliveries`. */
export const deliveries = plannedCommand({
  name: 'deliveries',
  args: [SESSION_ARGUMENT],
  options: [...pageOptions(), new Option('--again <id>', 'send this message again').argParser(readId)],
  help: HELP,
  plan: (_, { again }: { again?: string }) =>
    again === undefined
      ? request({
          route: LIST,
          pages: 'deliveries',
          items: 'deliveries',
          print: ({ deliveries }, { sessionId }) =>
            linesOr(deliveries.map(formatDeliveryLine), `session ${sessionId} has no messages`),
        })
      : request(
          { route: AGAIN, path: [again], print: ({ state }) => `${printableText(again)} is ${state}` },
          { publishes: true },
        ),
});

function readId(text: string): string {
  if (/^[A-Za-z0-9][\w.~-]*$/.test(text)) return text;
  throw new UsageError(`--again ${text}: must be the id of a message, as \`inquest deliveries\` prints it`);
}

type Delivery = Answer<typeof LIST>['deliveries'][number];

function formatDeliveryLine({ deliveryId, state, attempts, sentAt, dueAt, failure }: Delivery): string {
  const when = sentAt ?? (dueAt === null ? '' : `due ${dueAt}`);
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  const error = failure === null ? '' : `  ${failure.code}: ${failure.message}`;
  return printableText(`${state.padEnd(8)} ${deliveryId}  ${when}${tries}${error}`);
}
