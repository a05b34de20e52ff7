// The printer of an investigation on this terminal.

import { hasColor, write } from '../process/output.ts';
import { commandFor } from './commandFor.ts';
import { jsonPrinter, type Printer, textPrinter } from './printer.ts';

/** Prints lines of JSON with `json`, else text. @param options.tenant is named in commands. */
export function printerFor({ json, tenant }: { json?: boolean; tenant: string }): Printer {
  return json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandFor(tenant), process.stdout.columns);
}
