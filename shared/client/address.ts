// The address of a request.

/** The values of parameters by name. Undefined values are left out, and a list repeats its parameter. */
export type Parameters = Readonly<Record<string, unknown>>;

/**
 * The address of a route. Parameters that its path names fill the path, and the others are the query, in
 * their order: `/v1/sessions/{sessionId}/alert` with `{ sessionId: 'a', part: 1 }` is
 * `/v1/sessions/a/alert?part=1`.
 */
export function composeAddress(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (!path.includes(`{${name}}`)) for (const one of [value ?? []].flat()) query.append(name, `${one}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(`${parameters[name]}`));
  return query.size === 0 ? filled : `${filled}?${query}`;
}
