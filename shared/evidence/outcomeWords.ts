// Outcomes and probes in words, for messages, terminals and the page.

/** An outcome in words: `resolved itself`. */
export const outcomeWords = (value: string): string => WORDS[value] ?? value;

const WORDS: Readonly<Record<string, string>> = {
  held: 'held',
  self_resolved: 'resolved itself',
  overridden: 'overridden',
  recurred: 'recurred',
  unknown: 'unknown',
};

/** A probe with its latest result: `shop.memory: "memory at" below 400Mi: holds`. @param holds or null. */
export function probeWords(
  { tool, find, is, value }: { tool: string; find: string; is: string; value: string | null },
  holds: boolean | null,
): string {
  const expected = [JSON.stringify(find), is, value].filter((part) => part !== null).join(' ');
  return `${tool}: ${expected}: ${holds === null ? 'not answered' : holds ? 'holds' : 'does not hold'}`;
}
