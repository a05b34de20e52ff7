// `check` requests a check, `schedules` lists, runs, pauses and resumes schedules.

import { Argument, InvalidArgumentError, Option } from 'commander';
import { CHECK_ROUTES } from '../../../shared/features/checks/routes.ts';
import { type Answer, command, linesOr, plannedCommand, request, type Work } from '../../api/command.ts';
import { byOption, configOption } from '../../options/commandOptions.ts';
import { parameterOption } from '../../options/parameterOption.ts';
import { printableText } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const REQUEST = 'POST /v1/checks';
const LIST = 'GET /v1/schedules';
const ACTS = ['run', 'pause', 'resume'] as const;

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
    parameterOption(CHECK_ROUTES, REQUEST, 'after', '--after <duration>'),
    parameterOption(CHECK_ROUTES, REQUEST, 'chain', '--chain <name>'),
    parameterOption(CHECK_ROUTES, REQUEST, 'title', '--title <text>'),
    new Option('--label <name=value>', 'a label of its subject; repeatable').argParser(addLabel),
    parameterOption(CHECK_ROUTES, REQUEST, 'key', '--key <text>'),
    byOption('who requests it'),
    configOption(),
  ],
  json: 'print one JSON object',
  help: CHECK_HELP,
  publishes: true,
  route: REQUEST,
  send: ({ args, options }) => ({ question: args.question, labels: options.label }),
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
  const known = ACTS.find((one) => one === act);
  if (known === undefined && act !== 'list')
    throw new UsageError(`write list, ${ACTS.join(', ')}, not ${printableText(act)}`);
  if ((known === undefined) !== (schedule === undefined))
    throw new UsageError(known ? `name the schedule: inquest schedules ${act} NAME` : 'list takes no name');
  const needs = { publishes: act === 'run' };
  if (known !== undefined)
    return request(
      {
        route: `POST /v1/schedules/{name}/${known}`,
        path: [schedule ?? ''],
        print: ({ checkId, outcome }) => printableText(checkId ?? `schedule ${schedule}: ${outcome}`),
      },
      needs,
    );
  const none = 'there are no schedules; shared/features/checks/README.md has an example';
  return request(
    {
      route: LIST,
      items: 'schedules',
      print: ({ schedules }) => linesOr(schedules.flatMap(scheduleLines), none),
    },
    needs,
  );
}

type Schedule = Answer<typeof LIST>['schedules'][number];

function scheduleLines({ name, cron, timezone, nextAt, state, check }: Schedule): string[] {
  const next =
    state?.paused != null
      ? `paused by ${state.paused.by} since ${state.paused.at}`
      : `next ${nextAt ?? 'never'}`;
  const last = check === null ? 'no run yet' : `last ${check.checkId} ${describeCheckState(check)}`;
  const without = (state?.recent ?? []).filter(({ outcome }) => outcome !== 'requested');
  return [
    printableText(`${name}  ${cron} ${timezone}  ${next}  ${last}`),
    ...without.map(({ slot, outcome }) => `    ${slot} ${outcome}`),
  ];
}

function describeCheckState({ state, status, result, reason }: NonNullable<Schedule['check']>): string {
  if (state === 'refused') return `refused: ${reason}`;
  return result ?? status ?? state;
}
