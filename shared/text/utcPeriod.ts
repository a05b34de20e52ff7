// Hours and days of UTC, as parts of ids that sort by time.

/** The hour of UTC: `2026-11-05T10`. */
export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}

/** The day of UTC: `2026-11-05`. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
