// Hours, days and months of UTC, as parts of ids that sort by time.

/** The hour of UTC: `2026-11-05T10`. */
export function utcHour(at: Date): string {
  return at.toISOString().slice(0, 13);
}

/** The day of UTC: `2026-11-05`. */
export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The month of UTC: `2026-11`. */
export function utcMonth(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** The start of the next day or month of UTC. */
export function endOfPeriod(period: 'day' | 'month', at: Date): Date {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return new Date(period === 'day' ? Date.UTC(year, month, at.getUTCDate() + 1) : Date.UTC(year, month + 1));
}

/** The start of the day or month of UTC that contains a time. */
export function startOfPeriod(period: 'day' | 'month', at: Date): Date {
  return new Date(`${period === 'day' ? utcDay(at) : `${utcMonth(at)}-01`}T00:00:00Z`);
}
