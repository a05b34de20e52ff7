// How large results are divided into documents and commits.

/** How a large result is divided. */
export interface ResultSizes {
  /** UTF-8 bytes of one document. */
  partBytes: number;
  /** Documents in a commit of their own, and in the commit of the result, which holds its message and its event, too. */
  partsPerCommit: number;
  partsWithResult: number;
}

/** A document holds 900 kB here, a commit 10 MiB at Firestore and 4 MiB at its emulator; a result is 5 MB at most. */
export const DEFAULT_RESULT_SIZES: ResultSizes = {
  partBytes: 600_000,
  partsPerCommit: 5,
  partsWithResult: 4,
};
