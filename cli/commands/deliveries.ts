// `deliveries`: the messages about a session at its destinations. With `--again` one of them is sent again.

import type { Command } from 'commander';
import type { Delivery } from '../../shared/schema/features/delivery.ts';
import type { Unreadable } from '../../shared/schema/readable.ts';
import { withDates } from '../api/apiClient.ts';
import { withApi } from '../api/withApi.ts';
import { sessionCommand, type TenantOptions } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { printableText, reportUnreadable, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const HELP = `
States: \`pending\`, \`sending\`, \`sent\`, \`unknown\` (accepted or not: no program sends it again), \`failed\`, \`skipped\` (a later
message covers it), \`awaited\` (an agent still writes the answer). --again sends a failed or unknown message again; an
unknown one can then be there twice.
`;

interface Options extends TenantOptions {
  again?: string;
}

type Shown = Omit<Delivery, 'expireAt'> & { deliveryId: string };

/** Adds the command to the program. */
export function registerDeliveries(program: Command): void {
  sessionCommand(program, 'deliveries')
    .option('--again <id>', 'send this message again')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(showDeliveries);
}

async function showDeliveries(session: string, { again, ...options }: Options): Promise<void> {
  if (again !== undefined && !/^[A-Za-z0-9][\w.~-]*$/.test(again))
    throw new UsageError(
      `--again ${again}: must be the id of a message, as \`inquest deliveries\` prints it`,
    );
  await withApi({ ...options, publishes: again !== undefined }, async (api) => {
    const sessionId = await api.findSession(session);
    const path = `/v1/sessions/${sessionId}/deliveries`;
    if (again !== undefined) {
      const answer = await api.post<{ state: string }>(`${path}/${encodeURIComponent(again)}/send-again`, {});
      return write(options.json ? JSON.stringify(answer) : `${printableText(again)} is ${answer.state}`);
    }
    type Listed = { deliveries: Shown[]; unreadable: Unreadable[] };
    const { deliveries, unreadable } = withDates(await api.get(path)) as Listed;
    unreadable.forEach(reportUnreadable);
    for (const one of deliveries) write(options.json ? JSON.stringify(one) : lineOf(one));
    if (deliveries.length === 0 && !options.json) write(`session ${sessionId} has no messages`);
  });
}

function lineOf({ deliveryId, state, attempts, sentAt, dueAt, failure }: Shown): string {
  const when = sentAt?.toISOString() ?? (dueAt === null ? '' : `due ${dueAt.toISOString()}`);
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  const error = failure === null ? '' : `  ${failure.code}: ${failure.message}`;
  return printableText(`${state.padEnd(8)} ${deliveryId}  ${when}${tries}${error}`);
}
