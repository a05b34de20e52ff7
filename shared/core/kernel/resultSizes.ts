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

/** Limits: 900 kB per document, 10 MiB per commit in Firestore (emulator: 4 MiB), 5 MB per result. */
export const DEFAULT_RESULT_SIZES: ResultSizes = {
  partBytes: 600_000,
  partsPerCommit: 5,
  partsWithResult: 4,
};
