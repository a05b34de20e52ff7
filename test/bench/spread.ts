// How the bench prints many measurements of one thing.

/** `min / median / max`, with one decimal. */
export function spread(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[0] ?? 0, median(values), sorted.at(-1) ?? 0].map((value) => value.toFixed(1)).join(' / ');
}

/** The value in the middle; 0 for none. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
