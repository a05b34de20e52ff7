// `check` requests a check, `schedules` lists, runs, pauses and resumes schedules.

import { type Command, InvalidArgumentError } from 'commander';
import type { Check, ScheduleState } from '../../shared/schema/features/check.ts';
import { withDates } from '../api/apiClient.ts';
import { withApi } from '../api/withApi.ts';
import { type TenantOptions, tenantCommand } from '../options/commandOptions.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { readName } from '../options/readLine.ts';
import { printableText, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const CHECK_HELP = `
Prints the id of the check, which \`inquest watch ID\` waits for: its exit code is 0 for healthy and 6 for attention. With the same
--key, a second call is the same check: name the rollout.
`;
const SCHEDULES_HELP = `
Lists the schedules of schedules.yaml with their next time, their latest run and the times without one. run, pause and resume take
the name of a schedule. The times of a pause are not missed.
`;
const ACTS = ['run', 'pause', 'resume'];

interface CheckOptions extends TenantOptions {
  chain?: string;
  title?: string;
  label?: Record<string, string>;
  after?: string;
  key?: string;
  config?: string;
}

type ShownCheck = Check & { status: string | null; result: string | null };

/** Adds the command `check` to the program. */
export function registerCheck(program: Command): void {
  tenantCommand(program, 'check')
    .argument('<question>', 'what the agents find out')
    .option('--after <duration>', 'time until it starts, such as 10m (default: at once)')
    .option('--chain <name>', 'the chain that runs (default: the default chain)')
    .option('--title <text>', 'title of its session (default: the start of the question)')
    .option('--label <name=value>', 'a label of its subject; repeatable', addLabel)
    .option('--key <text>', 'a second call with the same key is the same check')
    .option('--by <name>', 'who requests it (default: the user of this machine)')
    .option('--config <folder>', 'the configuration, without --url (default: INQUEST_CONFIG, else config/)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', `${CHECK_HELP}${SYSTEM_HELP}`)
    .action(requestCheck);
}

/** Adds the command `schedules` to the program. */
export function registerSchedules(program: Command): void {
  tenantCommand(program, 'schedules')
    .argument('[act]', 'list (the default), run, pause or resume')
    .argument('[schedule]', 'the name of a schedule')
    .option('--by <name>', 'who does it (default: the user of this machine)')
    .option('--config <folder>', 'the configuration, without --url (default: INQUEST_CONFIG, else config/)')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${SCHEDULES_HELP}${SYSTEM_HELP}`)
    .action(runSchedules);
}

function addLabel(text: string, labels: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write NAME=VALUE.');
  return { ...labels, [name]: value };
}

async function requestCheck(question: string, options: CheckOptions): Promise<void> {
  const { label: labels, after, chain, title, key } = options;
  const body = { question, labels, after, chain, title, key };
  await withApi({ ...options, by: readName(options.by), publishes: true }, async (api) => {
    const check = await api.post<ShownCheck>('/v1/checks', body);
    write(options.json ? JSON.stringify(check) : check.checkId);
  });
}

async function runSchedules(
  act: string | undefined,
  schedule: string | undefined,
  options: CheckOptions,
): Promise<void> {
  if (act !== undefined && act !== 'list' && !ACTS.includes(act))
    throw new UsageError(`write list, ${ACTS.join(', ')}, not ${printableText(act)}`);
  const isAct = act !== undefined && act !== 'list';
  if (isAct !== (schedule !== undefined))
    throw new UsageError(isAct ? `name the schedule: inquest schedules ${act} NAME` : 'list takes no name');
  const needs = { ...options, by: readName(options.by), publishes: act === 'run' };
  await withApi(needs, async (api) => {
    if (isAct) {
      type Answer = { outcome: string; checkId: string | null };
      const answer = await api.post<Answer>(`/v1/schedules/${encodeURIComponent(schedule ?? '')}/${act}`, {});
      const shown = answer.checkId ?? `schedule ${schedule}: ${answer.outcome}`;
      return write(options.json ? JSON.stringify(answer) : printableText(shown));
    }
    const { schedules } = withDates(await api.get('/v1/schedules')) as { schedules: ShownSchedule[] };
    for (const one of schedules) for (const line of linesOf(one, options.json === true)) write(line);
    if (schedules.length === 0 && !options.json)
      write('there are no schedules; docs/schedules.md has an example');
  });
}

interface ShownSchedule {
  name: string;
  cron: string;
  timezone: string;
  nextAt: Date | null;
  state: ScheduleState | null;
  check: ShownCheck | null;
}

function linesOf(one: ShownSchedule, isJson: boolean): string[] {
  if (isJson) return [JSON.stringify(one)];
  const { name, cron, timezone, nextAt, state, check } = one;
  const next =
    state?.paused != null
      ? `paused by ${state.paused.by} since ${state.paused.at.toISOString()}`
      : `next ${nextAt?.toISOString() ?? 'never'}`;
  const last = check === null ? 'no run yet' : `last ${check.checkId} ${stateOf(check)}`;
  const without = (state?.recent ?? []).filter(({ outcome }) => outcome !== 'requested');
  return [
    printableText(`${name}  ${cron} ${timezone}  ${next}  ${last}`),
    ...without.map(({ slot, outcome }) => `    ${slot.toISOString()} ${outcome}`),
  ];
}

function stateOf({ state, status, result, reason }: ShownCheck): string {
  if (state === 'refused') return `refused: ${reason}`;
  return result ?? status ?? state;
}
