// Decides on colours: terminals get them; pipes, files and CI logs get plain text.

import type { WriteStream } from 'node:tty';

/** Whether to write colours to `stream`. `NO_COLOR` turns them off and `FORCE_COLOR` on, for any stream. */
export function hasColor(stream: Pick<WriteStream, 'isTTY'>, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true;
}
