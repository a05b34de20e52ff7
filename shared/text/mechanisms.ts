// The closed list of the ways in which a component fails.

/** The mechanisms. `release`: a new version; `scheduling`: no place to run; `alert_rule`: a wrong rule. */
export const MECHANISMS = [
  ...(['memory', 'cpu', 'disk', 'quota', 'connections', 'config', 'release'] as const),
  ...(['dependency_down', 'dependency_slow', 'dns', 'network', 'certificate', 'permission'] as const),
  ...(['lock', 'load', 'scheduling', 'data', 'hardware', 'alert_rule', 'other'] as const),
] as const;

/** Mechanisms that are changes: confirmed by the change with its effect, never by a state alone. */
export const CHANGES: ReadonlySet<(typeof MECHANISMS)[number] | undefined> = new Set([
  'release',
  'config',
  'permission',
  'alert_rule',
]);
