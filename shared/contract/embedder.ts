// The port of embeddings: texts as vectors whose distance reflects the difference in meaning.

/** The purpose of an embedding: to be found, or to search with. */
export type EmbedPurpose = 'document' | 'query';

/** A text as numbers. Only vectors of one model can be compared. */
export interface Embedding {
  /** The model that embedded it. */
  model: string;
  /** 768 numbers. */
  vector: number[];
}

/**
 * Embeds a text as 768 numbers. Text beyond the input limit of the model is ignored.
 * @throws RetryableError or TerminalError `MODEL_*`; the signal's reason on abort.
 */
export type Embed = (text: string, purpose: EmbedPurpose, signal?: AbortSignal) => Promise<Embedding>;
