// `check` requests a check, `schedules` lists, runs, pauses and resumes schedules.

import { Argument, InvalidArgumentError, Option } from 'commander';
import { CHECK_ROUTES } from '../../shared/api/routes/checks/checks.ts';
import { byOption, configOption } from '../options/commandOptions.ts';
import { findRoute, parameterOption } from '../options/route.ts';
import { printableText } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';
import { type Answer, command, linesOr, plannedCommand, request, type Work } from './command.ts';

const REQUEST = findRoute(CHECK_ROUTES, 'POST /v1/checks');
const LIST = findRoute(CHECK_ROUTES, 'GET /v1/schedules');
const ACTS = {
  run: findRoute(CHECK_ROUTES, 'POST /v1/schedules/{name}/run'),
  pause: findRoute(CHECK_ROUTES, 'POST /v1/schedules/{name}/pause'),
  resume: findRoute(CHECK_ROUTES, 'POST /v1/schedules/{name}/resume'),
};

const CHECK_HELP = `
Prints the id of the check, which \`inquest watch ID\` waits for: its exit code is 0 for healthy and 6 for attention. With the same
--key, a second call is the same check: name the rollout.
`;
const SCHEDULES_HELP = `
Lists the schedules of schedules.yaml with their next time, their latest run and the times without one. run, pause and resume take
the name of a schedule. The times of a pause are not missed.
`;

/** The command `check`. */
export const check = command({
  name: 'check',
  args: [new Argument('<question>', 'what the agents find out')],
  options: [
    parameterOption(REQUEST, 'after', '--after <duration>'),
    parameterOption(REQUEST, 'chain', '--chain <name>'),
    parameterOption(REQUEST, 'title', '--title <text>'),
    new Option('--label <name=value>', 'a label of its subject; repeatable').argParser(addLabel),
    parameterOption(REQUEST, 'key', '--key <text>'),
    byOption('who requests it'),
    configOption(),
  ],
  json: 'print one JSON object',
  help: CHECK_HELP,
  publishes: true,
  route: REQUEST,
  send: ({ options }) => ({ labels: options.label }),
  print: ({ checkId }) => checkId,
});

/** The command `schedules`. */
export const schedules = plannedCommand({
  name: 'schedules',
  args: [
    new Argument('[act]', 'list (the default), run, pause or resume'),
    new Argument('[schedule]', 'the name of a schedule'),
  ],
  options: [byOption('who does it'), configOption()],
  help: SCHEDULES_HELP,
  publishes: true,
  plan: planSchedules,
});

function addLabel(text: string, labels: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write NAME=VALUE.');
  return { ...labels, [name]: value };
}

function planSchedules([act = 'list', schedule]: [string?, string?]): Work {
  const publishes = act === 'run';
  if (act !== 'list' && !Object.hasOwn(ACTS, act))
    throw new UsageError(`write list, ${Object.keys(ACTS).join(', ')}, not ${printableText(act)}`);
  if (act !== 'list' && schedule === undefined)
    throw new UsageError(`name the schedule: inquest schedules ${act} NAME`);
  if (act === 'list' && schedule !== undefined) throw new UsageError('list takes no name');
  if (act === 'list')
    return request(
      {
        route: LIST,
        items: 'schedules',
        print: ({ schedules }) =>
          linesOr(
            schedules.flatMap(scheduleLines),
            'there are no schedules; docs/schedules.md has an example',
          ),
      },
      { publishes },
    );
  return request(
    {
      route: ACTS[act as keyof typeof ACTS],
      path: [schedule ?? ''],
      print: ({ checkId, outcome }) => printableText(checkId ?? `schedule ${schedule}: ${outcome}`),
    },
    { publishes },
  );
}

type Schedule = Answer<typeof LIST>['schedules'][number];

function scheduleLines({ name, cron, timezone, nextAt, state, check }: Schedule): string[] {
  const next =
    state?.paused != null
      ? `paused by ${state.paused.by} since ${state.paused.at}`
      : `next ${nextAt ?? 'never'}`;
  const last = check === null ? 'no run yet' : `last ${check.checkId} ${stateOf(check)}`;
  const without = (state?.recent ?? []).filter(({ outcome }) => outcome !== 'requested');
  return [
    printableText(`${name}  ${cron} ${timezone}  ${next}  ${last}`),
    ...without.map(({ slot, outcome }) => `    ${slot} ${outcome}`),
  ];
}

function stateOf({ state, status, result, reason }: NonNullable<Schedule['check']>): string {
  if (state === 'refused') return `refused: ${reason}`;
  return result ?? status ?? state;
}
