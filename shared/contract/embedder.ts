// The port of embeddings: texts as vectors, near each other where their meaning is.

/** What a text is embedded for: to be found, or to find with. */
export type EmbedPurpose = 'document' | 'query';

/**
 * Embeds a text as 768 numbers. What a model takes at once is embedded, the rest of a longer text is not looked at.
 * @throws RetryableError or TerminalError `MODEL_*`; the signal's reason on abort.
 */
export type Embed = (text: string, purpose: EmbedPurpose, signal?: AbortSignal) => Promise<number[]>;
