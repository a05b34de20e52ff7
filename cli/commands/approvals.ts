// `approvals`, `approve`, `deny`: lists tool calls that wait for approval, and decides about one.

import type { Command } from 'commander';
import { readApprovalId } from '../../shared/runtime/features/approval/approvalId.ts';
import type { Approval } from '../../shared/schema/control.ts';
import { type ApiOptions, urlOption } from '../api/apiClient.ts';
import * as steering from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { DATABASE_HELP, SYSTEM_HELP } from '../options/project.ts';
import { readLine, readName } from '../options/readLine.ts';
import { tenantOption } from '../options/tenantOption.ts';
import { printable } from '../print/printer.ts';
import { reportUnreadable } from '../print/reportUnreadable.ts';
import { UsageError } from '../process/usageError.ts';

/** Maximum length of a reason, in characters. People and models read it. */
const MAX_REASON = 2_000;

const ID_HELP = `
The timeline and \`inquest approvals\` show the id. Letter case and the dash do not matter.`;

interface DecisionOptions extends ApiOptions {
  by?: string;
  reason?: string;
  tenant: string;
  json?: boolean;
}

/** Adds the command `approvals` to the program. */
export function registerApprovals(program: Command): void {
  program
    .command('approvals')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print them as lines of JSON')
    .addHelpText('after', DATABASE_HELP)
    .action(list);
}

/** Adds the command `approve` to the program. */
export function registerApprove(program: Command): void {
  program
    .command('approve')
    .argument('<id>', 'its id, like k7f3q-9mtxz')
    .option('--by <name>', 'who approves (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the approval as a line of JSON')
    .addHelpText('after', `${ID_HELP}\n${SYSTEM_HELP}`)
    .action((id: string, options: DecisionOptions) => decide(id, 'approved', options));
}

/** Adds the command `deny` to the program. */
export function registerDeny(program: Command): void {
  program
    .command('deny')
    .argument('<id>', 'its id, like k7f3q-9mtxz')
    .option('--reason <text>', 'why, for the agent and for readers of the timeline')
    .option('--by <name>', 'who denies (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the approval as a line of JSON')
    .addHelpText('after', `${ID_HELP}\n${SYSTEM_HELP}`)
    .action((id: string, options: DecisionOptions) => decide(id, 'denied', options));
}

async function list(options: ApiOptions & { json?: boolean }): Promise<void> {
  const now = new Date();
  await withApi(options, async (api) => {
    const approvals = await steering.listApprovals(api, reportUnreadable);
    const lines = options.json
      ? approvals.map((approval) => JSON.stringify(approval))
      : approvals.flatMap((approval) => describe(approval, now));
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (!options.json && approvals.length === 0)
      process.stdout.write(`nothing waits for approval in ${api.where}\n`);
  });
}

function describe(approval: Approval, now: Date): string[] {
  const { approvalId, toolName, arguments: args, agentName, sessionId, createdAt, until } = approval;
  const minutes = (ms: number) => `${Math.max(1, Math.round(ms / 60_000))} min`;
  const since = minutes(now.getTime() - createdAt.getTime());
  const left = minutes(until.getTime() - now.getTime());
  return [
    `${approvalId}  ${printable(toolName)} ${printable(args)}`,
    `             ${printable(agentName)} in session ${sessionId}, since ${since}, for another ${left} (until ${until.toISOString()})`,
  ];
}

async function decide(text: string, verdict: 'approved' | 'denied', options: DecisionOptions): Promise<void> {
  const approvalId = readApprovalId(text);
  if (!/^[0-9a-z]{5}-[0-9a-z]{5}$/.test(approvalId)) {
    throw new UsageError(`${JSON.stringify(text)} is not the id of an approval; one looks like k7f3q-9mtxz`);
  }
  const by = readName(options.by);
  const reason = options.reason === undefined ? null : readLine('--reason', options.reason, MAX_REASON);
  await withApi({ ...options, by, publishes: true }, async (api) => {
    const { fields, line } = await steering.decide(api, approvalId, { verdict, reason });
    process.stdout.write(`${options.json ? JSON.stringify(fields) : line}\n`);
  });
}
