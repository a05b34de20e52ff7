// The port that reads a runbook from the web.

/** A text from the web, or why there is none, in words that follow the address. */
export type FetchedRunbook =
  /** `bytes`: those of the text, which may be cut at the limit of what is read. */
  { ok: true; text: string } | { ok: false; reason: string };

/**
 * Reads the text at `url`, whose host must be one of `hosts` (`wiki.example.com`, `*.example.com`), and so must those it
 * leads to. Never throws.
 */
export type FetchRunbook = (url: string, hosts: readonly string[]) => Promise<FetchedRunbook>;
