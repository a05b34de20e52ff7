/** Settings of a server that has every one of its tools offered, read-only as it hints, and nobody asked. */
export const EVERY_TOOL = {
  access: 'write',
  trustHints: true,
  tools: { '*': { approval: 'none' } },
} as const;
