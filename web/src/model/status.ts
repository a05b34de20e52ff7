// Which statuses are final.

const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

/** Whether nothing more happens. */
export function hasEnded(status: string | null): boolean {
  return status !== null && ENDED.has(status);
}
