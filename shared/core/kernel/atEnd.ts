// Actions at the end of a process, for which Cloud Run gives it ten seconds.

const ACTIONS = new Set<() => Promise<void>>();

/** Adds an action for the end of the process. */
export function addAtEnd(action: () => Promise<void>): void {
  ACTIONS.add(action);
}

/** Runs all actions once, side by side. Never rejects: a failure leaves the same as a kill. */
export async function runAtEnd(): Promise<void> {
  const actions = [...ACTIONS];
  ACTIONS.clear();
  await Promise.allSettled(actions.map((action) => action()));
}
