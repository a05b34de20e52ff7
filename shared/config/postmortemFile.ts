// The template of postmortems of an installation: postmortem.md.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { readPostmortemTemplate } from '../contract/postmortemTemplate.ts';
import type { Fault } from './yamlFile.ts';

const POSTMORTEM_FILE = 'postmortem.md';

/** Reads postmortem.md. Returns undefined where it is missing. @param faults receives its faults. */
export function loadPostmortem(folder: string, faults: Fault[]): string | undefined {
  const file = path.join(folder, POSTMORTEM_FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const text = found.isFile() ? readFileSync(file, 'utf8') : undefined;
  const read =
    text === undefined ? { fault: 'is no file; write the template' } : readPostmortemTemplate(text);
  if (!('fault' in read)) return text;
  faults.push({ file, position: null, path: '', message: read.fault });
  return undefined;
}
