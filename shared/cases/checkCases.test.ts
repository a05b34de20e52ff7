import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { checkCases } from './checkCases.ts';

/** A copy of a case of the project, with changes of its files. */
function damaged(damage: (folder: string, edit: typeof replaceIn) => void): string {
  const root = temporaryFolder();
  cpSync('examples/cases/dns', join(root, 'dns'), { recursive: true });
  damage(join(root, 'dns'), replaceIn);
  return root;
}

const replaceIn = (file: string, from: string | RegExp, to: string) =>
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));

it.each<[string, Parameters<typeof damaged>[0], RegExp]>([
  ['without truth.yaml', (at) => rmSync(join(at, 'truth.yaml')), /truth\.yaml is missing/],
  [
    'with a folder in the place of a file',
    (at) => {
      rmSync(join(at, 'truth.yaml'));
      mkdirSync(join(at, 'truth.yaml'));
    },
    /truth\.yaml cannot be read: EISDIR/,
  ],
  ['that is no YAML', (at) => writeFileSync(join(at, 'case.yaml'), 'a: ['), /case\.yaml is no YAML: /],
  [
    'that is empty',
    (at) => writeFileSync(join(at, 'case.yaml'), ''),
    /case\.yaml: the file: must be a mapping, not empty/,
  ],
  [
    'of a newer version',
    (at, edit) => edit(join(at, 'case.yaml'), 'version: 1', 'version: 2'),
    /case\.yaml: version: must be 1; a newer Inquest/,
  ],
  [
    'with a time that is none',
    (at, edit) => edit(join(at, 'case.yaml'), /^at: .*$/m, 'at: soon'),
    /case\.yaml: at: must be a time, as 2026/,
  ],
  [
    'with an unknown mechanism',
    (at, edit) => edit(join(at, 'truth.yaml'), 'mechanism: dns', 'mechanism: nameserver'),
    /truth\.yaml: causes\.0\.mechanism: /,
  ],
  [
    'with the canary of the truth in its alert',
    (at, edit) => edit(join(at, 'case.yaml'), 'title: "', 'title: "canary-dd75a9d6fb309c43 '),
    /case\.yaml holds the canary of truth\.yaml, so agents would read the truth/,
  ],
])('a case %s is refused with file and fault', (_, damage, message) => {
  expect(() => checkCases(damaged(damage))).toThrow(message);
});

it('a gold line that stands in no answer is noted; all lines of the own cases stand in one', () => {
  const root = damaged((at, edit) =>
    edit(join(at, 'truth.yaml'), 'getaddrinfo EAI_AGAIN', 'getaddrinfo EAI_FAIL'),
  );
  expect(checkCases(root)).toEqual([expect.stringMatching(/^dns: 1 gold lines stand in no answer/)]);
  expect(checkCases('examples/cases')).toEqual([]);
});
