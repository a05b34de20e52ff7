// `approvals`, `approve`, `deny`: lists tool calls that wait for approval, and decides about one.

import type { Command } from 'commander';
import { readApprovalId } from '../../shared/runtime/features/approval/approvalId.ts';
import type { Approval } from '../../shared/schema/features/approval.ts';
import type { Unreadable } from '../../shared/schema/readable.ts';
import { withDates } from '../api/apiClient.ts';
import { decideCall } from '../api/decide.ts';
import { withApi } from '../api/withApi.ts';
import { type TenantOptions, tenantCommand } from '../options/commandOptions.ts';
import { DATABASE_HELP, SYSTEM_HELP } from '../options/project.ts';
import { MAX_REASON, readLine, readName } from '../options/readLine.ts';
import { printableText, reportUnreadable, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const ID_HELP = `
The timeline and \`inquest approvals\` show the id. Letter case and the dash do not matter.`;

interface DecisionOptions extends TenantOptions {
  reason?: string;
}

/** Adds the command `approvals` to the program. */
export function registerApprovals(program: Command): void {
  tenantCommand(program, 'approvals')
    .option('--json', 'print them as lines of JSON')
    .addHelpText('after', DATABASE_HELP)
    .action(listApprovals);
}

/** Adds the command `approve` to the program. */
export function registerApprove(program: Command): void {
  decisionCommand(program, 'approve').action((id: string, options: DecisionOptions) =>
    decideApproval(id, 'approved', options),
  );
}

/** Adds the command `deny` to the program. */
export function registerDeny(program: Command): void {
  decisionCommand(program, 'deny')
    .option('--reason <text>', 'why, for the agent and for readers of the timeline')
    .action((id: string, options: DecisionOptions) => decideApproval(id, 'denied', options));
}

function decisionCommand(program: Command, name: 'approve' | 'deny'): Command {
  return tenantCommand(program, name)
    .argument('<id>', 'its id, like k7f3q-9mtxz')
    .option(
      '--by <name>',
      `who ${name === 'deny' ? 'denies' : 'approves'} (default: the user of this machine)`,
    )
    .option('--json', 'print the approval as a line of JSON')
    .addHelpText('after', `${ID_HELP}\n${SYSTEM_HELP}`);
}

async function listApprovals(options: TenantOptions): Promise<void> {
  const now = new Date();
  await withApi(options, async (api) => {
    type Listed = { approvals: Approval[]; unreadable: Unreadable[] };
    const { approvals, unreadable } = withDates(await api.get('/v1/approvals')) as Listed;
    unreadable.forEach(reportUnreadable);
    for (const approval of approvals)
      for (const line of options.json ? [JSON.stringify(approval)] : approvalLines(approval, now))
        write(line);
    if (!options.json && approvals.length === 0) write(`nothing waits for approval in ${api.where}`);
  });
}

function approvalLines(approval: Approval, now: Date): string[] {
  const { approvalId, toolName, arguments: args, agentName, sessionId, createdAt, until } = approval;
  const minutes = (ms: number) => `${Math.max(1, Math.round(ms / 60_000))} min`;
  const since = minutes(now.getTime() - createdAt.getTime());
  const left = minutes(until.getTime() - now.getTime());
  return [
    `${approvalId}  ${printableText(toolName)} ${printableText(args)}`,
    `             ${printableText(agentName)} in session ${sessionId}, since ${since}, for another ${left} (until ${until.toISOString()})`,
  ];
}

async function decideApproval(
  text: string,
  verdict: 'approved' | 'denied',
  options: DecisionOptions,
): Promise<void> {
  const approvalId = readApprovalId(text);
  if (!/^[0-9a-z]{5}-[0-9a-z]{5}$/.test(approvalId)) {
    throw new UsageError(`${JSON.stringify(text)} is not the id of an approval; one looks like k7f3q-9mtxz`);
  }
  const by = readName(options.by);
  const reason = options.reason === undefined ? null : readLine('--reason', options.reason, MAX_REASON);
  await withApi({ ...options, by, publishes: true }, async (api) => {
    const approval = await decideCall(api, approvalId, { verdict, reason });
    const { toolName, sessionId, decidedBy } = approval;
    const line = `${verdict} ${printableText(toolName)} in session ${sessionId}, by ${printableText(decidedBy ?? '')}`;
    write(options.json ? JSON.stringify(approval) : line);
  });
}
