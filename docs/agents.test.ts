import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasTitle, readReference } from '../test/support/testReferences.ts';

const text = readFileSync('docs/agents.md', 'utf8');
const proofs = [...text.matchAll(/^\| .+ \| (\[.+) \|$/gm)].flatMap(([, proof = '']) => proof.split('<br>'));
const decisions = proofs.filter((proof) => proof.includes('](decisions/'));
const tests = [...new Set(proofs.filter((proof) => !decisions.includes(proof)))];

describe('docs/agents.md', () => {
  it('has demands', () => {
    expect(proofs.length).toBeGreaterThan(30);
  });

  it('has for each demand a proof through the running system, or a decision', () => {
    const rows = [...text.matchAll(/^\| (.+) \| (\[.+) \|$/gm)];
    const unproved = rows.filter(([, , proof = '']) => !/\]\((\.\.\/test\/|decisions\/)/.test(proof));
    expect(unproved.map(([, demand]) => demand)).toEqual([]);
  });

  it.each(tests)('names a test that exists: %s', (reference) => {
    const { file, title } = readReference(reference);
    expect(existsSync(file), 'the file').toBe(true);
    expect(hasTitle(readFileSync(file, 'utf8'), title), 'the title').toBe(true);
  });

  it.each([...new Set(decisions)])('names a decision that exists: %s', (reference) => {
    const [, file = ''] = /\]\((.+)\)/.exec(reference) ?? [];
    expect(existsSync(`docs/${file}`)).toBe(true);
  });
});
