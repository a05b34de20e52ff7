// Lines on standard output and standard error.

/** Writes a line of the result to standard output. */
export const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes a line about progress or problems to standard error. */
export const report = (line: string): void => void process.stderr.write(`${line}\n`);
