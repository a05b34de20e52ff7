// Reports unreadable documents on standard error.

import type { Unreadable } from '../../shared/schema/readable.ts';
import { printable } from './printer.ts';

/** Writes a note about an unreadable document to standard error. */
export function reportUnreadable({ code, message }: Unreadable): void {
  process.stderr.write(`note: not readable: ${code}: ${printable(message).replaceAll('\n', ' ')}\n`);
}
