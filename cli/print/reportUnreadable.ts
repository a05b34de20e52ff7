// Names documents that cannot be read, beside what a command prints.

import type { Unreadable } from '../../shared/schema/readable.ts';
import { printable } from './printer.ts';

/** Writes a line to standard error. */
export function reportUnreadable({ code, message }: Unreadable): void {
  process.stderr.write(`note: not readable: ${code}: ${printable(message).replaceAll('\n', ' ')}\n`);
}
