// Who is asked in runs in which agents ask others.

/** The agents that others ask, and may ask each other. The last one is asked, and configured no more. */
export const HELPERS = ['helper-1', 'helper-2', 'helper-3', 'helper-4'] as const;

/** A tool that is read-only. */
export const READ_TOOL = 'sim.pods_get';
