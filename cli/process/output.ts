// Lines on standard output and standard error.

/** Writes a line of a command's result. */
export const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes a line about a command's work. */
export const report = (line: string): void => void process.stderr.write(`${line}\n`);
