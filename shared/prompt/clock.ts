// The time for agents. It is stored with the first message, so that every request repeats the same bytes.

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * The sentence with the start of an agent's work: weekday, date and time to the second, in UTC.
 * @param now when the execution is created.
 */
export function clockLine(now: Date): string {
  const [date, time] = now.toISOString().split('T');
  return `You begin on ${WEEKDAYS[now.getUTCDay()]}, ${date} ${time?.slice(0, 8)} UTC.`;
}
