// Lines on standard output and standard error, their colours, and untrusted text in them.

import type { WriteStream } from 'node:tty';
import type { Unreadable } from '../../shared/core/schema/readable.ts';

/** Writes a line of the result to standard output. */
export const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes a line about progress or problems to standard error. */
export const report = (line: string): void => void process.stderr.write(`${line}\n`);

/** Reports an unreadable document. */
export function reportUnreadable({ code, message }: Pick<Unreadable, 'message'> & { code: string }): void {
  report(`note: not readable: ${code}: ${printableText(message).replaceAll('\n', ' ')}`);
}

/**
 * Whether `stream` gets colours: terminals do, pipes and files do not. `NO_COLOR`, `FORCE_COLOR` override.
 */
export function hasColor(stream: Pick<WriteStream, 'isTTY'>, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true;
}

/** Replaces control characters except breaks and tabs: untrusted text can have escape sequences. */
export function printableText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === '\n' || char === '\t' ? char : '�'));
}

/** Replaces control and format characters by JSON escapes, which keeps names distinct and JSON equivalent. */
export function escapeHidden(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
