// Names of hosts that a configuration allows: `wiki.example.com`, or `*.example.com` for all below it. Pure.

/** Whether one of the patterns is this host, or one above it. Both are in lower case. */
export function isAllowedHost(host: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}
