// schedules.yaml: checks that run at the times of a cron expression, and some time after changes.

import * as z from 'zod';
import { CHECK_DELIVERIES } from '../alerts/schema/sessionCheck.ts';
import { nameSchema } from '../core/schema/common.ts';
import { DEFAULT_TENANT, TENANT_ID } from '../core/schema/session.ts';
import { changeChecksField } from './changeChecks.ts';
import { configFile, loadFile } from './configFile.ts';
import { cronFault } from './cronTimes.ts';
import { duration, type KnownNames, referenceTo, strictMapping } from './fields.ts';
import { timeZone } from './triageTimes.ts';

const MAX_SCHEDULES = 200;
const MAX_TITLE = 300;
const MAX_QUESTION = 10_000;
const MAX_LABELS = 50;
const DEFAULT_START_WITHIN_MS = 60 * 60_000;

const cron = z.string().superRefine((expression, context) => {
  const fault = cronFault(expression);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});
const label = z.string().trim().min(1).max(500);

/** A schedule. @param chains the names of chains. */
const schedule = (chains: KnownNames) =>
  strictMapping({
    cron,
    timezone: timeZone.default('UTC'),
    /** Absent: the default chain. */
    chain: referenceTo('chain', chains).optional(),
    title: z.string().trim().min(1).max(MAX_TITLE).optional(),
    question: z.string().trim().min(1).max(MAX_QUESTION).optional(),
    /** The body of an alert, as a source would send it. */
    alert: z.record(z.string(), z.json()).optional(),
    labels: z.record(label, label).default({}),
    tenant: z
      .string()
      .regex(TENANT_ID, 'must have letters, digits, "_" and "-", at most 63')
      .default(DEFAULT_TENANT),
    onlyIf: z.enum(CHECK_DELIVERIES).default('changed'),
    /** A run that is later is missed. */
    startWithin: duration('24h').default(DEFAULT_START_WITHIN_MS),
  }).superRefine(({ question, alert, labels }, context) => {
    const add = (message: string) => context.addIssue({ code: 'custom', message });
    if ((question === undefined) === (alert === undefined))
      add('needs either question or alert: the content of its checks');
    if (alert !== undefined && Object.keys(labels).length > 0)
      add('labels belong into alert, whose source they imitate; move them there');
    if (Object.keys(labels).length > MAX_LABELS) add(`has more than ${MAX_LABELS} labels`);
  });

/** schedules.yaml. @param chains the names of chains; undefined if they are unknown. */
export const schedulesFileSchema = (chains: KnownNames) =>
  strictMapping({
    schedules: z
      .record(nameSchema, schedule(chains))
      .refine((all) => Object.keys(all).length <= MAX_SCHEDULES, `has more than ${MAX_SCHEDULES} entries`)
      .default({}),
    afterChanges: changeChecksField(chains),
  });

export const schedulesFile = configFile({
  name: 'schedules',
  schema: ({ chains }) => schedulesFileSchema(chains),
});

/** A schedule. Durations are milliseconds. */
export type Schedule = z.output<ReturnType<typeof schedule>>;
/** The schedules by name. */
export type Schedules = Readonly<Record<string, Schedule>>;

/**
 * The schedules of a folder; none where the file or folder is missing. The names of chains are not checked.
 * @throws ConfigError with every fault of the file.
 */
export const loadSchedules = (folder: string): Schedules => loadFile(schedulesFile, folder).schedules;
