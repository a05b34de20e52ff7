// The template of postmortems of an installation: postmortem.md.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readPostmortemTemplate } from '../contract/postmortemTemplate.ts';
import type { Fault } from './yamlFile.ts';

const POSTMORTEM_FILE = 'postmortem.md';

/** Reads postmortem.md. Returns undefined where it is missing. @param faults receives its faults. */
export function loadPostmortem(folder: string, faults: Fault[]): string | undefined {
  const file = path.join(folder, POSTMORTEM_FILE);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const read = readPostmortemTemplate(text);
  if (!('fault' in read)) return text;
  faults.push({ file, position: null, path: '', message: read.fault });
  return undefined;
}
