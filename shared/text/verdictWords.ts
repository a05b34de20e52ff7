// Verdicts in words for people.

/** `not_an_incident` as `Not an incident`; null and `not_checked` as `Not checked`. */
export function verdictWords(verdict: string | null): string {
  const words = (verdict ?? 'not checked').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
