// Verdicts in words for people.

/** `not_an_incident` as `Not an incident`; null and `not_checked` as `Not checked`. */
export function verdictWords(verdict: string | null): string {
  const words = (verdict ?? 'not checked').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A verdict with its rule, the reasons for which it is not better, and its causes: `Likely (R7, text_only): service:a (memory).` */
export function describeVerdict({
  value,
  rule,
  caps,
  causes,
}: {
  value: string | null;
  rule: string;
  caps: readonly string[];
  causes: readonly { component: string | null; mechanism: string | null }[];
}): string {
  const about = causes.flatMap(({ component, mechanism }) =>
    component === null ? [] : [`${component}${mechanism === null ? '' : ` (${mechanism})`}`],
  );
  return `${verdictWords(value)} (${[rule, ...caps].join(', ')})${about.length === 0 ? '' : `: ${about.join(', ')}`}.`;
}
