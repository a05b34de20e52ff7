// The error for a configuration with faults: each has its place in a file.

import { TerminalError } from '../core/errors.ts';
import { createMasker, DEFAULT_MASKING } from '../masking/masker.ts';
import { quoteText } from '../text/cut.ts';
import type { Fault } from './yamlFile.ts';

/** Without the least sure rules: a name of a key or a model that looks random has to be read. */
const { mask } = createMasker({ rules: { ...DEFAULT_MASKING, off: ['nearby'] } });

/** Faults beyond this number are only counted in the message. */
const MAX_FAULTS_SHOWN = 50;

/**
 * The configuration is invalid. The message has one line for each fault, in the form that editors turn into
 * links: `config/agents.yaml:12:5 agents.investigator.stratgy: unknown key; …`.
 * Secrets in keys and values are masked.
 * The code is the shared code of all faults, else `CONFIG_INVALID`.
 */
export class ConfigError extends TerminalError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const codes = new Set(faults.map((fault) => fault.code ?? 'CONFIG_INVALID'));
    const [only] = codes;
    const lines = faults.slice(0, MAX_FAULTS_SHOWN).map(faultLine);
    if (faults.length > MAX_FAULTS_SHOWN) lines.push(`and ${faults.length - MAX_FAULTS_SHOWN} more`);
    super(codes.size === 1 && only !== undefined ? only : 'CONFIG_INVALID', lines.join('\n'));
    this.faults = faults;
  }
}

/** A fault as one line: place, path and message. */
export function faultLine({ file, position, path, message }: Fault): string {
  const place = position === null ? file : `${file}:${position.line}:${position.column}`;
  const text = path === '' ? maskQuoted(message) : `${maskQuoted(path)}: ${maskQuoted(message)}`;
  // A name in the path can hold line breaks.
  return `${place} ${text}`.replace(/\s*\n\s*/g, ' ');
}

/** Longest name that a fault quotes, in characters. */
const MAX_NAME = 100;

/** A name as a fault quotes it: without secrets, in quotation marks, and not too long. */
export function quoteName(name: string): string {
  return `"${quoteText(maskQuoted(name), MAX_NAME)}"`;
}

/** A part of a name in a fault: the whole with a secret, of which a part is not known as one. */
export function quotePart(part: string, whole: string): string {
  return quoteName(maskQuoted(whole) === whole ? part : whole);
}

/** Masks secrets in text that a fault quotes from a file. Faults never quote values of variables. */
export function maskQuoted(text: string): string {
  return mask(text).text;
}
