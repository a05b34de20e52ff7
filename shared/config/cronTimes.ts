// Times of cron expressions in a time zone. Pure. A local time that the start of daylight saving time skips
// counts at the end of the gap; one that its end repeats counts once, unless the expression matches a whole
// hour or less.

import { Cron } from 'croner';
import { errorMessage } from '../core/errors.ts';

/** The times that one look backwards finds at most. A longer silence counts as this many missed times. */
const MAX_TIMES = 1_000;

/** When a schedule runs. */
interface Rhythm {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** IANA name of a time zone. */
  timezone: string;
}

const parse = ({ cron, timezone }: Rhythm): Cron => new Cron(cron, { timezone, mode: '5-part' });

/** Why an expression is not valid, and the fix; undefined if it is valid. */
export function cronFault(cron: string): string | undefined {
  try {
    if (parse({ cron, timezone: 'UTC' }).nextRun() !== null) return undefined;
    return 'matches no time; correct the day or the month';
  } catch (error) {
    const reason = errorMessage(error).replace(/^CronPattern: /, '');
    return `is no cron expression of five fields (minute, hour, day of the month, month, day of the week), such as "0 7 * * mon-fri": ${reason}`;
  }
}

/** The first time after `after`; null if there is none. */
export function nextTime(rhythm: Rhythm, after: Date): Date | null {
  return parse(rhythm).nextRun(after);
}

/** The times after `from` up to and including `to`, the earliest first; at most `MAX_TIMES`. */
export function timesBetween(rhythm: Rhythm, from: Date, to: Date): Date[] {
  const cron = parse(rhythm);
  const times: Date[] = [];
  let last: Date | null = from;
  while (times.length < MAX_TIMES) {
    last = cron.nextRun(last);
    if (last === null || last > to) break;
    times.push(last);
  }
  return times;
}
