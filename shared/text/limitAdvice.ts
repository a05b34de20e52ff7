// The numbers of the configuration that end an investigation or a wait for tokens sooner when they are small:
// page, commands and events name them alike.

/** A limit of tokens or sessions, and the part of the configuration that sets it. */
interface RaisableLimit {
  /** The chain that counts it; null for all. */
  chain: string | null;
  limit: number;
  /** The budget of system.yaml that sets it. Absent: a limit of the chain or of the system. */
  budget?: { name: string } | undefined;
}

/** `dailyTokens (100) in system.yaml`, `dailyTokens (100) of chain shop in chains.yaml`. */
export function limitWords(key: string, { chain, limit, budget }: RaisableLimit): string {
  if (budget !== undefined) return `tokens (${limit}) of budget ${budget.name} in system.yaml`;
  return chain === null
    ? `${key} (${limit}) in system.yaml`
    : `${key} (${limit}) of chain ${chain} in chains.yaml`;
}

/** The numbers to raise for more tokens of an agent, with values. @param limits of the agent. */
export function adviseLimit(
  budget: 'sessionTokens' | 'dailyTokens',
  {
    sessionTokens,
    dailyTokens = [],
  }: { sessionTokens?: number | undefined; dailyTokens?: readonly RaisableLimit[] | undefined },
): string {
  if (budget === 'sessionTokens')
    return `sessionTokens (${sessionTokens}) of its chain in chains.yaml, or in system.yaml`;
  return dailyTokens.map((one) => limitWords(budget, one)).join(' or ') || budget;
}
