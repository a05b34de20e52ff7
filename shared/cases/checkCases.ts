// Faults of cases beyond the schema: a truth that agents would read, gold lines that none can quote.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '../core/errors.ts';
import { caseNames, readCase, readTruth } from './caseFile.ts';

/**
 * Checks all cases of a folder.
 * @returns a note for each case with gold lines that stand in no recorded answer.
 * @throws TerminalError `CASE_INVALID` for a file that cannot be read, and for a `case.yaml` with the canary
 * of its truth.
 */
export function checkCases(folder: string): string[] {
  return caseNames(folder).flatMap((name) => {
    const [{ tools }, { evidence, canary }] = [readCase(folder, name), readTruth(folder, name)];
    const file = join(folder, name, 'case.yaml');
    if (readFileSync(file, 'utf8').includes(canary))
      throw new TerminalError(
        'CASE_INVALID',
        `${file} holds the canary of truth.yaml, so agents would read the truth: remove the part that was copied`,
      );
    const texts = tools
      .flatMap(({ answers, rows, otherwise }) => [
        ...answers.map(({ text }) => text),
        rows ?? '',
        otherwise ?? '',
      ])
      .map(squash);
    const [first, ...more] = evidence.filter((line) => !texts.some((text) => text.includes(squash(line))));
    if (first === undefined) return [];
    return [
      `${name}: ${more.length + 1} gold lines stand in no answer, so none can be quoted: ${first.slice(0, 100)}`,
    ];
  });
}

const squash = (text: string): string => text.replace(/\s+/g, ' ').trim();
