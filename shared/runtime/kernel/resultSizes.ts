// How large results are divided into documents and commits.

/** How a large result is divided. */
export interface ResultSizes {
  /** UTF-8 bytes of one document. */
  partBytes: number;
  /** Maximum number of documents in a commit of their own, and in the commit of the result with its message and event. */
  partsPerCommit: number;
  partsWithResult: number;
}

/** A document holds 900 kB, a commit 10 MiB in Firestore and 4 MiB in its emulator; a result has at most 5 MB. */
export const DEFAULT_RESULT_SIZES: ResultSizes = {
  partBytes: 600_000,
  partsPerCommit: 5,
  partsWithResult: 4,
};
