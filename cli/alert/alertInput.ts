// Reads an alert and its attributes, and rejects an alert that functions would reject.

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  type AlertMasker,
  type AlertReading,
  type ReadingTrace,
  readAlert,
} from '../../shared/alerts/index.ts';
import type { Alert } from '../../shared/alerts/schema/alert.ts';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { quoteText } from '../../shared/text/cut.ts';
import { printableText } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

/** The argument that names standard input instead of a file. */
const STDIN = '-';
/** The limit of a Pub/Sub message. */
const MAX_MESSAGE_BYTES = 10_000_000;
const MAX_TITLE = 120;

/** The bytes of an alert, and the alert that the functions will read from them. */
export interface AlertInput {
  data: Buffer;
  alert: Alert;
  /** The whole body, without secrets. */
  body: string;
  trace: ReadingTrace;
}

/** How an alert is read. */
interface AlertInputOptions {
  /** Default: a masker that knows the secrets of this process, with the built-in rules. */
  masker?: AlertMasker;
  /** Text appended to error messages. Default: ` Nothing was published.` */
  afterwards?: string;
  /** Attributes of its message. Default: none. */
  attributes?: Record<string, string>;
}

/**
 * Reads an alert.
 * @param source a path, or `-` for standard input.
 * @throws UsageError when it cannot be read, is empty, too large, or no alert.
 */
export async function readAlertInput(source: string, options: AlertInputOptions = {}): Promise<AlertInput> {
  const name = source === STDIN ? 'standard input' : source;
  return parseAlertInput(await readBytes(source, name), name, options);
}

/** As `readAlertInput`, for bytes. @param name of their source, for messages. */
export function parseAlertInput(
  data: Buffer,
  name: string,
  {
    masker = createMasker({ known: knownSecrets(process.env) }),
    afterwards = ' Nothing was published.',
    attributes = {},
  }: AlertInputOptions = {},
): AlertInput {
  if (data.length > MAX_MESSAGE_BYTES) {
    throw new UsageError(
      `${name} has ${data.length} bytes; a message of Pub/Sub holds at most ${MAX_MESSAGE_BYTES}.${afterwards}`,
    );
  }
  const reading: AlertReading = readAlert(data, masker, { attributes });
  if (reading.ok) return { data, ...reading };
  const { code, message } = reading.failure;
  throw new UsageError(`${code}: ${message} (${name}).${afterwards}`);
}

type AlertFacts = Pick<Alert, 'title' | 'severity' | 'status' | 'source'>;

/**
 * The alert in one line for people: `"Disk full", severity critical, firing, read as alertmanager`.
 * @param problem the words for the state of its problem. Default: the state that the alert names.
 */
export function describeAlert(
  { title, severity, status, source }: AlertFacts,
  problem: string | null = null,
): string {
  const of = severity === null ? 'no severity' : `severity ${severity}`;
  const state = problem ?? (status === 'unknown' ? 'state unknown' : status);
  return printableText(`"${quoteText(title, MAX_TITLE)}", ${of}, ${state}, read as ${source}`);
}

/** The bytes of a file, or of standard input. @throws UsageError when it cannot be read. */
export async function readBytes(source: string, name: string): Promise<Buffer> {
  try {
    return source === STDIN ? await buffer(process.stdin) : await readFile(source);
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${describeReadError(error)}`, { cause: error });
  }
}

function describeReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
  };
  return reasons[code] ?? code;
}
