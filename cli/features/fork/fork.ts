// `fork`: continues the conversation of an agent from an event on, and compares both sessions.

import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { listForkPlaces } from '../../../shared/client/forkPlaces.ts';
import { usdText } from '../../../shared/text/amounts.ts';
import {
  type Answer,
  type Call,
  jsonLine,
  plannedCommand,
  printLines,
  type Work,
} from '../../api/command.ts';
import {
  byOption,
  configOption,
  jsonOption,
  SESSION_ARGUMENT,
  type TenantOptions,
} from '../../options/commandOptions.ts';
import { interruptSignal } from '../../process/interrupt.ts';
import { printableText, report } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
  npx --no inquest fork last                                        lists the events to fork at; of a fork, both sessions
  npx --no inquest fork last --at 01-lead.7 --say "The disk was replaced at nine"
  npx --no inquest fork last --at 01-lead.7 --model gemini-3.8-pro

Opens a session that has the conversation of an agent up to the event. An event of a result stands for all results of
its answer, any other event for the request before its answer. By default stored results answer equal calls, and other
calls are "Not recorded". With --live, servers answer calls that only read. Calls that can change something wait for a
new approval and reach no server. A fork sends no messages, belongs to no incident, and is erased with its source.
`;

interface Options extends TenantOptions {
  at?: string;
  model?: string;
  say?: string;
  agent?: string;
  live?: boolean;
  recorded?: boolean;
  config?: string;
  follow: boolean;
}

type Comparison = Answer<'GET /v1/sessions/{sessionId}/fork'>;

/** The command `fork`. */
export const fork = plannedCommand({
  name: 'fork',
  args: [SESSION_ARGUMENT],
  options: [
    new Option('--at <event>', 'the event, EXECUTION.NUMBER (default: lists them, or compares a fork)'),
    new Option('--model <name>', "the provider's id of the model of all agents (default: their own)"),
    new Option('--say <text>', 'text that is added to the conversation, as guidance'),
    new Option('--agent <file>', 'the agent that continues, as agents/NAME.yaml (default: its own)'),
    new Option('--recorded', 'stored results answer equal calls (default)').conflicts('live'),
    new Option('--live', 'servers answer calls that only read'),
    byOption('who forks it'),
    configOption(),
    new Option('--no-follow', 'do not wait for its end'),
    jsonOption('print lines of JSON'),
  ],
  help: HELP,
  publishes: true,
  plan: (_, options: Options): Work => {
    const { at, model, say, agent } = options;
    if (at === undefined && [model, say, agent].some((one) => one !== undefined))
      throw new UsageError('--model, --agent and --say need --at; without it the events are listed');
    const text = agent === undefined ? undefined : readAgentFile(agent);
    const signal = interruptSignal();
    return {
      acts: at !== undefined,
      needs: { signal },
      run: (call) => (at === undefined ? showPlaces(call, options) : openFork(call, at, text, options)),
    };
  },
});

function readAgentFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`--agent ${file}: cannot be read (${why})`);
  }
}

async function openFork(
  { api, sessionId, signal }: Call,
  at: string,
  agent: string | undefined,
  { model, say, live, follow, ...options }: Options,
): Promise<void> {
  const body = { at, model, say, agent, tools: live ? ('live' as const) : ('recorded' as const) };
  const opened = await api.post('/v1/sessions/{sessionId}/forks', { sessionId }, body);
  report(`session ${opened.sessionId}, a fork of ${sessionId} at ${at}`);
  if (!follow) return options.json ? printLines(jsonLine(opened)) : undefined;
  const [{ followToEnd }, { printerFor }] = await Promise.all([
    import('../../alert/sendAlert.ts'),
    import('../../print/printerFor.ts'),
  ]);
  const following = { api, printer: printerFor(options), onProgress: report, signal };
  const { status } = await followToEnd(opened.sessionId, following);
  const compared = await api.get('/v1/sessions/{sessionId}/fork', opened);
  printLines(options.json ? jsonLine({ type: 'fork', ...compared }) : ['', ...comparisonLines(compared)]);
  process.exitCode = status === 'completed' ? 0 : 1;
}

/** The events of a session to fork it at; of a fork, the comparison. */
async function showPlaces({ api, sessionId }: Call, { json }: Options): Promise<void> {
  const { readSession } = await import('../../api/sessions.ts');
  const view = await readSession(api, sessionId);
  const compared = view.fork && (await api.get('/v1/sessions/{sessionId}/fork', { sessionId }));
  const places = listForkPlaces(view.timeline);
  if (json) return printLines(compared ? jsonLine(compared) : places.map(jsonLine));
  const width = Math.max(...places.map(({ at }) => at.length));
  const lines = places.map(({ at, text }) => printableText(`${at.padEnd(width)}  ${text}`));
  printLines(compared ? [...comparisonLines(compared), '', ...lines] : lines);
}

/** Characters of an analysis. */
const MAX_TEXT = 90;

/** Both sessions beside each other. */
function comparisonLines({ event, tools, source, fork: own, first }: Comparison): string[] {
  const usd = (amount: number | null) => (amount === null ? 'unknown' : usdText(amount));
  const rows: [string, (side: Comparison['fork']) => string][] = [
    ['Session', (side) => side.sessionId],
    ['Status', ({ status }) => status],
    ['Verdict', ({ verdict }) => verdict ?? 'not checked'],
    ['Causes', ({ causes }) => causes.join('; ') || 'none'],
    ['Analysis', ({ analysis }) => analysis?.split('\n', 1)[0]?.slice(0, MAX_TEXT) ?? 'none'],
    ['Calls', ({ calls, notRecorded }) => `${calls} after the event, ${notRecorded} not recorded`],
    ['Cost', (side) => `${usd(side.usd)}, ${side.tokens} tokens`],
  ];
  const lines = [
    `Forked at ${event}, with ${tools} tools`,
    ...rows.flatMap(([name, show]) => [
      `${name.padEnd(9)} source  ${source === null ? 'cannot be read any more' : show(source)}`,
      `${''.padEnd(9)} fork    ${show(own)}`,
    ]),
    ...(first === null
      ? ['No step differs.']
      : [
          `First difference`,
          `${''.padEnd(9)} source  ${stepText(first.source)}`,
          `${''.padEnd(9)} fork    ${stepText(first.fork)}`,
        ]),
  ];
  return lines.map(printableText);
}

const stepText = (step: NonNullable<Comparison['first']>['fork']): string =>
  step === null ? 'has ended' : `${step.event}  ${step.text}`;
