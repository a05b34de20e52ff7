import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasTitle, readReference } from '../test/support/testReferences.ts';

const text = readFileSync('docs/agents.md', 'utf8');
const rows = [...text.matchAll(/^\| (\d*)( ≠)? ?\| (.+) \| (\[.+) \|$/gm)].map(
  ([, number = '', differs, demand = '', proof = '']) => ({
    number: Number(number),
    differs: differs !== undefined,
    demand,
    proofs: proof.split('<br>'),
  }),
);
const isDecision = (proof: string) => proof.includes('](decisions/');
const proofs = [...new Set(rows.flatMap((row) => row.proofs))];

describe('docs/agents.md', () => {
  it('has 103 numbered requirements, and states how many work as they are', () => {
    const numbered = rows.filter(({ number }) => number > 0);
    expect(numbered.map(({ number }) => number)).toEqual(
      Array.from({ length: 103 }, (_, index) => index + 1),
    );
    const different = numbered.filter(({ differs }) => differs).length;
    expect(text).toContain(
      `Of 103 requirements ${103 - different} work as they are; ${different}, marked ≠,`,
    );
  });

  it('has for each requirement a proof through the running system, and for each other form a decision', () => {
    const isProved = ({ differs, proofs: own }: (typeof rows)[number]) =>
      differs ? own.some(isDecision) : own.some((proof) => proof.includes('](../test/'));
    expect(rows.filter((row) => !isProved(row)).map(({ demand }) => demand)).toEqual([]);
  });

  it.each(proofs.filter((proof) => !isDecision(proof)))('names a test that exists: %s', (reference) => {
    const { file, title } = readReference(reference);
    expect(existsSync(file), 'the file').toBe(true);
    expect(hasTitle(readFileSync(file, 'utf8'), title), 'the title').toBe(true);
  });

  it.each(proofs.filter(isDecision))('names a decision that exists: %s', (reference) => {
    const [, file = ''] = /\]\((.+)\)/.exec(reference) ?? [];
    expect(existsSync(`docs/${file}`)).toBe(true);
  });
});
