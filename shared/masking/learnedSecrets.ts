// The secrets that a process comes to know while it works: tokens that were minted for it.

/** An answer can quote the token before the last. Older ones have ended or were refused. */
const KEPT_FOR_EACH = 4;

/** Secrets that were not known when the process started. */
export interface LearnedSecrets {
  /** These are masked everywhere from now on. The four latest of each owner are kept with all parts. */
  learn(owner: string, secret: readonly string[]): void;
  /** All of them. It is the same array until something is learned. */
  list(): readonly string[];
}

/** An empty list. It lives as long as the process; nothing stores it. */
export function createLearnedSecrets(): LearnedSecrets {
  const owners = new Map<string, (readonly string[])[]>();
  let all: readonly string[] = [];
  return {
    learn(owner, secret) {
      if (secret.every((part) => all.includes(part))) return;
      owners.set(owner, [...(owners.get(owner) ?? []), secret].slice(-KEPT_FOR_EACH));
      all = [...new Set([...owners.values()].flat(2))];
    },
    list: () => all,
  };
}
