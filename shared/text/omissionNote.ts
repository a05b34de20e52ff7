// Inquest's line in a text that was cut. Pure.

/** The line, in ASCII: its characters are its bytes. @param left missing bytes of `total`. */
export const leftOutLine = (left: number, total: number): string =>
  `[... ${left} of ${total} bytes left out ...]`;

/** Finds the lines. */
export const LEFT_OUT = /^\[\.\.\. \d+ of \d+ bytes left out \.\.\.\]$/gm;
