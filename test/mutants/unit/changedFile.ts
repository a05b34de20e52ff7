// The file that a mutant changes, as its tests load it.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import type { TextChange } from '../../support/mutant.ts';
import { UNIT_MUTANTS } from './unitMutants.ts';

/** The project's folder. */
export const ROOT = new URL('../../../', import.meta.url);

/**
 * The path of the changed file, and what stands in it.
 * @throws Error when there is no such mutant, its text does not stand in the file exactly once, or what comes
 *   of it is no program: tests would fail for another reason.
 */
export async function changeOf(name: string): Promise<{ path: string; source: string }> {
  const mutant: TextChange | undefined = UNIT_MUTANTS[name];
  if (mutant === undefined) throw new RangeError(`there is no mutant "${name}"`);
  const { file, text, by } = mutant;
  const path = fileURLToPath(new URL(`shared/${file}`, ROOT));
  const parts = (await readFile(path, 'utf8')).split(text);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${text}`);
  const source = parts.join(by);
  await transform(source, { loader: 'ts' });
  return { path, source };
}
