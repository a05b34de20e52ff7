// Which tools of a server may be called twice, by the patterns of its configuration.

/** Whether a tool matches one of the patterns: a name, `*`, or a prefix and `*` (`get_*`). */
export function isConfiguredReadOnly(tool: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
}
