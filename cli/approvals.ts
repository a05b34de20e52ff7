// `approvals`, `approve`, `deny`: the calls that wait for a person, and the decision about one.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { RetryableError } from '../shared/errors.ts';
import { createLogger } from '../shared/log.ts';
import { knownSecrets } from '../shared/masking/knownSecrets.ts';
import { createMasker } from '../shared/masking/masker.ts';
import { readApprovalId } from '../shared/runtime/features/approval/approvalId.ts';
import {
  type ApprovalDecision,
  decideApproval,
  type KnownOutcome,
} from '../shared/runtime/features/approval/decideApproval.ts';
import { systemClock } from '../shared/runtime/kernel/deps.ts';
import { createMaskers } from '../shared/runtime/kernel/maskers.ts';
import { listApprovals } from '../shared/runtime/views/listApprovals.ts';
import type { Approval } from '../shared/schema/control.ts';
import { SchemaVersionError } from '../shared/schema/documentType.ts';
import { type Cloud, openCloud } from '../shared/wiring/openCloud.ts';
import { printable } from './printer.ts';
import { checkDatabaseIsNamed, checkSystemIsNamed, DATABASE_HELP, SYSTEM_HELP } from './project.ts';
import { type ApiOptions, apiOf, urlOption } from './remote/apiClient.ts';
import * as remote from './remote/steering.ts';
import { reportUnreadable } from './reportUnreadable.ts';
import { ofTenant } from './session/withSessions.ts';
import { tenantOption } from './tenantOption.ts';
import { UsageError } from './usageError.ts';

const STORE_TIMEOUT_MS = 10_000;
/** Characters of a name and of a reason: people and models read them. */
export const MAX_NAME = 200;
const MAX_REASON = 2_000;

const ID_HELP = `
The id is in the timeline (\`inquest publish\` prints it) and in \`inquest approvals\`. Case and dash do not matter.`;

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
    .description('list the tool calls that wait for approval')
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
    .description('let a tool call run that waits for approval, with the arguments that are shown')
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
    .description(
      'have a tool call that waits for approval not run; the agent is told, and goes on without it',
    )
    .argument('<id>', 'its id, like k7f3q-9mtxz')
    .option('--reason <text>', 'why, for the agent and for readers of the timeline')
    .option('--by <name>', 'who denies (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the approval as a line of JSON')
    .addHelpText('after', `${ID_HELP}\n${SYSTEM_HELP}`)
    .action((id: string, options: DecisionOptions) => decide(id, 'denied', options));
}

async function list(options: ApiOptions & { tenant: string; json?: boolean }): Promise<void> {
  const now = new Date();
  const api = apiOf(options);
  if (api !== undefined) return print(await remote.listApprovals(api, reportUnreadable), api.where);
  checkDatabaseIsNamed(process.env);
  await withCloud(options.tenant, async ({ store, where }) =>
    print(await listApprovals(store, now, reportUnreadable), where),
  );

  function print(approvals: Approval[], where: string): void {
    const lines = options.json
      ? approvals.map((approval) => JSON.stringify(approval))
      : approvals.flatMap((approval) => describe(approval, now));
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (!options.json && approvals.length === 0)
      process.stdout.write(`nothing waits for approval in ${where}\n`);
  }
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

async function decide(
  text: string,
  verdict: ApprovalDecision['verdict'],
  options: DecisionOptions,
): Promise<void> {
  const approvalId = readApprovalId(text);
  if (!/^[0-9a-z]{5}-[0-9a-z]{5}$/.test(approvalId)) {
    throw new UsageError(`${JSON.stringify(text)} is not the id of an approval; one looks like k7f3q-9mtxz`);
  }
  const by = readLine('--by', options.by ?? userInfo().username, MAX_NAME);
  const reason = options.reason === undefined ? null : readLine('--reason', options.reason, MAX_REASON);
  const api = apiOf({ ...options, by });
  if (api !== undefined) {
    const { fields, line } = await remote.decide(api, approvalId, { verdict, reason });
    process.stdout.write(`${options.json ? JSON.stringify(fields) : line}\n`);
    return;
  }
  checkSystemIsNamed(process.env);
  await withCloud(options.tenant, async ({ where, store, publisher }) => {
    const log = createLogger({ LOG_LEVEL: 'silent' });
    const maskerFor = createMaskers({ known: knownSecrets(process.env) });
    const deps = { store, publisher, log, clock: systemClock, maskerFor };
    const outcome = await decideApproval(approvalId, { verdict, by, reason }, deps);
    if (outcome.kind === 'unknown') {
      throw new Error(
        `there is no approval ${approvalId} in ${where}; \`inquest approvals\` lists those that wait`,
      );
    }
    const { approval } = outcome;
    if (!isWanted(outcome, { verdict, by })) throw new Error(describeOutcome(outcome));
    const line = options.json
      ? JSON.stringify(approval)
      : `${verdict} ${printable(approval.toolName)} in session ${approval.sessionId}, by ${printable(by)}`;
    process.stdout.write(`${line}\n`);
  });
}

/** Whether what is stored is this decision, be it by this command or by the one before, whose answer was lost. */
function isWanted(outcome: KnownOutcome, { verdict, by }: Pick<ApprovalDecision, 'verdict' | 'by'>): boolean {
  if (outcome.kind === 'decided') return true;
  const { status, decidedBy } = outcome.approval;
  return outcome.kind === 'already_decided' && status === verdict && decidedBy === by;
}

/** What is stored instead of a decision that changed nothing, in one sentence. */
export function describeOutcome(outcome: KnownOutcome): string {
  const { approvalId, status, decidedBy, decidedAt, until, sessionId } = outcome.approval;
  switch (outcome.kind) {
    case 'decided':
    case 'already_decided':
      return `${approvalId} was already decided by ${printable(decidedBy ?? 'nobody')}: ${status} at ${decidedAt?.toISOString()}`;
    case 'expired':
      return `${approvalId} expired: nobody decided until ${until.toISOString()}, which counts as denied`;
    case 'ended':
      return `${approvalId} has ended: the investigation ${sessionId} was over, or is being cancelled, before anybody decided`;
  }
}

/** The value of an option as one line without secrets. @throws UsageError for one that is empty, too long or no plain text. */
export function readLine(option: string, text: string, longest: number): string {
  const line = text.trim();
  if (line === '') throw new UsageError(`${option} is empty; give it a text`);
  if (line.length > longest) throw new UsageError(`${option} is longer than ${longest} characters`);
  if (line !== printable(line) || line.includes('\n'))
    throw new UsageError(`${option} must be one line of plain text`);
  // It is stored and shown, whoever asks for it to be.
  return createMasker({ known: knownSecrets(process.env) }).mask(line).text;
}

async function withCloud(tenantId: string, work: (cloud: Cloud) => Promise<void>): Promise<void> {
  const cloud = openCloud(process.env, { storeTimeoutMs: STORE_TIMEOUT_MS });
  try {
    await work(ofTenant(cloud, tenantId));
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof SchemaVersionError) throw error;
    throw new Error(`${error.message}. Run the same command again.`, { cause: error });
  } finally {
    await cloud.close();
  }
}
