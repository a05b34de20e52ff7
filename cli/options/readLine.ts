// Parses options whose value is one line of text: names and reasons.

import { userInfo } from 'node:os';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { printableText } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

/** Maximum length of a name, in characters. */
export const MAX_NAME = 200;
/** Maximum length of a reason, in characters. People and models read it. */
const MAX_REASON = 2_000;

/** The name in `--by`. Default: the user of this machine. @throws as `readLine`. */
export function readName(by = userInfo().username): string {
  return readLine('--by', by, MAX_NAME);
}

/** The value of `--reason`. @throws as `readLine`. */
export const readReason = (text: string): string => readLine('--reason', text, MAX_REASON);

/** An option's value as one masked line. @throws UsageError: empty, too long, no plain text. */
export function readLine(option: string, text: string, longest: number): string {
  const line = text.trim();
  if (line === '') throw new UsageError(`${option} is empty; give it a text`);
  if (line.length > longest) throw new UsageError(`${option} is longer than ${longest} characters`);
  if (line !== printableText(line) || line.includes('\n'))
    throw new UsageError(`${option} must be one line of plain text`);
  // The line is stored and shown, so it is masked here.
  return createMasker({ known: knownSecrets(process.env) }).mask(line).text;
}
