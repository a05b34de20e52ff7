// Colours on a terminal only: a pipe, a file or a CI log gets plain text.

import type { WriteStream } from 'node:tty';

/** Whether to colour what is written to `stream`. `NO_COLOR` turns colours off, `FORCE_COLOR` on, whatever it is. */
export function hasColor(stream: Pick<WriteStream, 'isTTY'>, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true;
}
