// The port that reads a runbook from the web.

/** A text from the web, or the reason why it is missing, as a phrase that follows the address. */
export type FetchedRunbook =
  /** `bytes`: the size of the text, which can be cut at the read limit. */
  { ok: true; text: string } | { ok: false; reason: string };

/**
 * Reads the text at `url`. Its host, and those of redirects, must match `hosts` (`wiki.example.com`,
 * `*.example.com`). Never throws.
 */
export type FetchRunbook = (url: string, hosts: readonly string[]) => Promise<FetchedRunbook>;
