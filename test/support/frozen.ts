/** The value, frozen with all it holds, as the messages of a conversation are: who changes one fails. */
export function frozen<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  for (const field of Object.values(value)) frozen(field);
  return Object.freeze(value);
}
