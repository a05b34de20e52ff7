// Keeps a token in memory until shortly before its end. Simultaneous calls share a request.

/** Milliseconds before a token's end when it is replaced. Servers check at a request's start. */
const EARLY_MS = 60_000;

/** A token, and the time in milliseconds at which it expires. */
export interface MintedToken {
  token: string;
  expiresAt: number;
}

/** A token that is kept. */
export interface KeptToken {
  /** A token that is valid for a minute at least. @throws the errors of its source. */
  current(): Promise<string>;
  /** Forgets the token, because it was refused: the next one is new. */
  drop(): void;
}

/**
 * @param mint requests a token. `refused` is one that the server did not accept.
 * @param now the time in milliseconds.
 */
export function keepToken(
  mint: (refused: string | undefined) => Promise<MintedToken>,
  now: () => number,
): KeptToken {
  let kept: MintedToken | undefined;
  let refused: string | undefined;
  let minting: Promise<MintedToken> | undefined;

  async function mintNow(): Promise<MintedToken> {
    try {
      kept = await mint(refused);
      refused = undefined;
      return kept;
    } finally {
      minting = undefined;
    }
  }

  return {
    async current() {
      if (kept !== undefined && isFresh(kept, now())) return kept.token;
      minting ??= mintNow();
      return (await minting).token;
    },
    drop() {
      // Several calls can be refused at once: the second finds nothing to forget.
      refused = kept?.token ?? refused;
      kept = undefined;
    },
  };
}

/** Whether a token is valid for a minute at least. */
export function isFresh({ expiresAt }: Pick<MintedToken, 'expiresAt'>, now: number): boolean {
  return expiresAt - now > EARLY_MS;
}
