/** The value, frozen with all it holds, as the messages of a conversation are: who changes one fails. */
export function freezeDeep<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  for (const field of Object.values(value)) freezeDeep(field);
  return Object.freeze(value);
}
