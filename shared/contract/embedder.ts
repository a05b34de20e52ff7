// The port of embeddings: texts as vectors whose distance reflects the difference in meaning.

/** The model of embeddings where the configuration names none, and of those whose model was not stored. */
export const DEFAULT_EMBEDDING_MODEL = 'gemini-embedding-001';
/** Dimensions of an embedding. */
export const EMBEDDING_DIMENSIONS = 768;

/** The purpose of an embedding: to be found, or to search with. */
export type EmbedPurpose = 'document' | 'query';

/** A text as numbers. Only vectors of one model can be compared. */
export interface Embedding {
  /** The model that embedded it. */
  model: string;
  /** `EMBEDDING_DIMENSIONS` numbers. */
  vector: number[];
}

/**
 * Embeds a text. Text beyond the input limit of the model is ignored.
 * @throws RetryableError or TerminalError `MODEL_*`; the signal's reason on abort.
 */
export type Embed = (text: string, purpose: EmbedPurpose, signal?: AbortSignal) => Promise<Embedding>;
