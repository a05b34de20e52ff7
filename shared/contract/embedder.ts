// The port of embeddings: texts as vectors whose distance reflects the difference in meaning.

/** The purpose of an embedding: to be found, or to search with. */
export type EmbedPurpose = 'document' | 'query';

/**
 * Embeds a text as 768 numbers. Text beyond the input limit of the model is ignored.
 * @throws RetryableError or TerminalError `MODEL_*`; the signal's reason on abort.
 */
export type Embed = (text: string, purpose: EmbedPurpose, signal?: AbortSignal) => Promise<number[]>;
