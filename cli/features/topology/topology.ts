// `topology`: lists the edges between workloads that sessions learned.

import { Argument } from 'commander';
import { type Answer, command, linesOr } from '../../api/command.ts';
import { printableText } from '../../process/output.ts';

const HELP = `
  npx --no inquest topology
  npx --no inquest topology checkout
  npx --no inquest topology k8s:prod/shop/Deployment/checkout

Each line is an edge: its last time, its class, both ends, its count, and the event of the latest result. \`stated\` is by a control
plane, \`seen\` in text that workloads and their authors write. No verdict and no grouping counts learned edges; they are
forgotten 30 days after they were seen last. The page of a session draws them with those of resources.yaml.
`;
const LIST = 'GET /v1/topology';

/** The command `topology`. */
export const topology = command({
  name: 'topology',
  args: [new Argument('[resource]', 'a canonical name, or the name of a workload (default: all)')],
  json: 'print one edge a line',
  help: HELP,
  route: LIST,
  path: [],
  send: ({ args }) => ({ resource: args.resource }),
  items: 'edges',
  print: ({ edges }, { args }) =>
    linesOr(edges.map(formatEdge), `no edge${args.resource === undefined ? '' : ' of it'} within 30 days`),
  notes: ({ isCut }) => (isCut ? ['There are more edges; name a resource.'] : []),
});

const RELATIONS = { calls: 'calls', serves: 'has endpoint', owned: 'is controlled by' } as const;

function formatEdge({
  from,
  to,
  how,
  by,
  count,
  sessions,
  lastAt,
  evidence,
}: Answer<typeof LIST>['edges'][number]): string {
  const { sessionId, executionId, event, line } = evidence;
  const at = `${sessionId} ${executionId}.${event}${line === null ? '' : ` line ${line}`}`;
  return printableText(
    `${lastAt}  ${by.padEnd(6)}  ${from} ${RELATIONS[how]} ${to}  results: ${count}, sessions: ${sessions}  ${at}`,
  );
}
