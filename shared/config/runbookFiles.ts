// Reads the runbooks of a configuration: the files of its folder runbooks/, whose names are their keys.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { MAX_RUNBOOK_BYTES, runbookKeySchema } from '../alerts/schema/usedRunbook.ts';
import type { Fault } from './yamlFile.ts';

/** UTF-8 bytes of all of them: they are held in memory by every process that opens sessions. */
const MAX_ALL_BYTES = 20_000_000;
const ENDING = /\.(?:md|txt)$/;

/**
 * The texts by key. Ignores files with other extensions, and files whose names start with a dot.
 * @param names of the files in `folder`.
 * @param faults receives the faults of the files.
 */
export function readRunbooks(folder: string, names: readonly string[], faults: Fault[]): Map<string, string> {
  const texts = new Map<string, string>();
  let bytes = 0;
  for (const name of names.filter((one) => ENDING.test(one) && !one.startsWith('.')).sort()) {
    const file = path.join(folder, name);
    const fault = (message: string) => void faults.push({ file, position: null, path: '', message });
    const key = name.replace(ENDING, '');
    const wrongKey = runbookKeySchema.safeParse(key).error?.issues[0]?.message;
    const read = wrongKey === undefined ? readRunbookFile(file) : { fault: `its name ${wrongKey}` };
    if ('fault' in read) {
      fault(read.fault);
      continue;
    }
    if (texts.has(key)) fault(`there is a runbook "${key}" with another ending already; keep one of them`);
    texts.set(key, read.text);
    bytes += Buffer.byteLength(read.text);
  }
  if (bytes > MAX_ALL_BYTES) {
    const message = `holds ${bytes} bytes of runbooks; at most ${MAX_ALL_BYTES} are held in memory: store some in Firestore (inquest put-runbook)`;
    faults.push({ file: folder, position: null, path: '', message });
  }
  return texts;
}

function readRunbookFile(file: string): { text: string } | { fault: string } {
  try {
    const { size } = statSync(file);
    if (size > MAX_RUNBOOK_BYTES)
      return { fault: `has ${size} bytes; a runbook can have at most ${MAX_RUNBOOK_BYTES}` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return text.trim() === '' ? { fault: 'is empty; write the runbook, or remove the file' } : { text };
  } catch (error) {
    if (error instanceof TypeError) return { fault: 'is not UTF-8 text; save it as UTF-8' };
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { fault: `cannot be read (${code})` };
  }
}
