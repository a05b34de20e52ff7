// `approvals`, `approve`, `deny`: lists tool calls that wait for approval, and decides about one.

import { Argument, Option } from 'commander';
import { readApprovalId } from '../../../shared/kits/approvals/approvalId.ts';
import { type Answer, command, jsonLine, linesOr, plannedCommand, printLines } from '../../api/command.ts';
import { decideCall } from '../../api/decide.ts';
import { byOption, jsonOption } from '../../options/commandOptions.ts';
import { pageOptions } from '../../options/parameterOption.ts';
import { readReason } from '../../options/readLine.ts';
import { printableText } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const LIST = 'GET /v1/approvals';

const ID_HELP = `
The timeline and \`inquest approvals\` show the id. Letter case and the dash do not matter.
`;
const JSON_OPTION = jsonOption('print the approval as a line of JSON');

/** The command `approvals`. */
export const approvals = command({
  name: 'approvals',
  json: 'print them as lines of JSON',
  options: pageOptions(),
  route: LIST,
  pages: 'approvals',
  items: 'approvals',
  print: ({ approvals }, { api }) =>
    linesOr(approvals.flatMap(approvalLines), `nothing waits for approval in ${api.where}`),
});

/** The command `approve`. */
export const approve = decisionCommand('approve', 'approved', [byOption('who approves'), JSON_OPTION]);

/** The command `deny`. */
export const deny = decisionCommand('deny', 'denied', [
  byOption('who denies'),
  JSON_OPTION,
  new Option('--reason <text>', 'why, for the agent and for readers of the timeline').argParser(readReason),
]);

function approvalLines(approval: Answer<typeof LIST>['approvals'][number]): string[] {
  const { approvalId, toolName, arguments: args, agentName, sessionId, createdAt, until } = approval;
  const minutes = (ms: number) => `${Math.max(1, Math.round(ms / 60_000))} min`;
  const since = minutes(Date.now() - Date.parse(createdAt));
  const left = minutes(Date.parse(until) - Date.now());
  return [
    `${approvalId}  ${printableText(toolName)} ${printableText(args)}`,
    `             ${printableText(agentName)} in session ${sessionId}, since ${since}, for another ${left} (until ${until})`,
  ];
}

function decisionCommand(name: string, verdict: 'approved' | 'denied', options: Option[]) {
  return plannedCommand({
    name,
    args: [new Argument('<id>', 'its id, like k7f3q-9mtxz').argParser(readId)],
    options,
    help: ID_HELP,
    publishes: true,
    plan: ([approvalId]: [string], { reason }: { reason?: string }) => ({
      async run({ api, options: { json } }) {
        const approval = await decideCall(api, approvalId, { verdict, reason });
        const { toolName, sessionId, decidedBy } = approval;
        const line = `${verdict} ${printableText(toolName)} in session ${sessionId}, by ${printableText(decidedBy ?? '')}`;
        printLines(json ? jsonLine(approval) : line);
      },
    }),
  });
}

function readId(text: string): string {
  const approvalId = readApprovalId(text);
  if (/^[0-9a-z]{5}-[0-9a-z]{5}$/.test(approvalId)) return approvalId;
  throw new UsageError(`${JSON.stringify(text)} is not the id of an approval; one looks like k7f3q-9mtxz`);
}
