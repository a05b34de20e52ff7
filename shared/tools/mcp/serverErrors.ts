// Finds the line that explains why a process ended in its standard error.

/** Lines of runtimes and package managers that do not name the cause. */
const NOISE: readonly RegExp[] = [
  /^\s*$/,
  // Frames of a stack trace, and the end of a list of them: Node, Java, Python, Go.
  /^\s+at /,
  /^\s*\.\.\. \d+ (more|lines)/,
  /^\s*File ".*", line \d+/,
  /^goroutine \d+ \[/,
  /^\s+\S+\.(go|rs):\d+/,
  // Where Node was, the source that it shows, and its own last line.
  /^(file:\/\/|\/|node:)\S*:\d+$/,
  /^\s*[\^~]+\s*$/,
  /^Node\.js v\d/,
  /^\(Use `node --trace/,
  /^\s*stack backtrace:/,
  /^note: run with `RUST_BACKTRACE/,
  /^exit status \d+$/,
  // The fields of an error, as Node shows them after its stack.
  /^\s+\[?\w+\]?: .*,?$/,
  /^\s*[{}\]],?$/,
  /^npm (error|ERR!) (A complete log|\/.*\.log$)/,
  /^npm notice/,
];

/** The start of an error's line: `TypeError: …`, `panic: …`, `npm error 404 …`; a time can precede. */
const ERROR =
  /^[\W\dTZ]*(Uncaught |Caused by: |Exception in thread "[^"]*" )?([\w.$]*(Error|Exception)(\s\[\w+\])?: \S|(npm )?(error|ERR!|fatal|panic)\b)/i;

/**
 * The lines that best explain why a process ended, joined: the last that name an error, with the lines up to
 * the stack trace, else the last one that is no noise of its runtime, else the last one. Empty when it wrote
 * nothing.
 */
export function errorLines(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '');
  const isNoise = (line: string | undefined) => line === undefined || NOISE.some((noise) => noise.test(line));
  const isError = (line: string | undefined) => !isNoise(line) && ERROR.test(line ?? '');
  let first = lines.findLastIndex(isError);
  if (first === -1) return lines.findLast((line) => !isNoise(line)) ?? lines.at(-1) ?? '';
  while (isError(lines[first - 1])) first--;
  const end = lines.findIndex((line, index) => index > first && isNoise(line));
  return lines.slice(first, end === -1 ? undefined : end).join(' ');
}
