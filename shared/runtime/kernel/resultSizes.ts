// How large results are divided into documents and commits.

/** Sizes of the parts of a large result. A part is one document. */
export interface ResultSizes {
  /** Maximum UTF-8 bytes of a part. */
  partBytes: number;
  /** Maximum parts in a commit that contains only parts. */
  partsPerCommit: number;
  /** Maximum parts in the last commit, with the message and the event of the result. */
  partsWithResult: number;
}

/** Limits: 900 kB for a document, 10 MiB for a commit in Firestore, 4 MiB in its emulator, 5 MB for a result. */
export const DEFAULT_RESULT_SIZES: ResultSizes = {
  partBytes: 600_000,
  partsPerCommit: 5,
  partsWithResult: 4,
};
