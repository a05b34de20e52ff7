// The word of a verdict, for people.

const WORDS: Record<string, string> = {
  inconclusive: 'Not established',
  blocked: 'Could not be checked',
  not_an_incident: 'Not an incident',
};

/** The word of a verdict: `inconclusive` as `Not established`; null and `not_checked` as `Not checked`. */
export function verdictWord(verdict: string | null): string {
  const words = WORDS[verdict ?? ''] ?? (verdict ?? 'not checked').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
