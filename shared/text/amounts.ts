// Durations and costs as text in errors, messages and commands. The page has shorter forms of its own.

/** A limit in seconds, not rounded: `30 s`, `0.5 s`. */
export const secondsText = (ms: number): string => `${ms / 1000} s`;

/** The duration of a session or call: `45 s`, `2:05 min`, `1:02 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)} min`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))} h`;
}

/**
 * US dollars with four decimals: `$0.0123`. @param less precedes `$0.0001` for an amount that would be
 * rounded to 0.
 */
export function dollarsText(usd: number, less?: string): string {
  return less !== undefined && usd > 0 && usd < 0.0001 ? `${less}$0.0001` : `$${usd.toFixed(4)}`;
}

/** US dollars in a report: `0.0123 USD`. */
export const usdText = (usd: number): string => `${usd.toFixed(4)} USD`;
