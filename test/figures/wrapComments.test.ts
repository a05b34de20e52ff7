import { describe, expect, it } from 'vitest';
import { longComments, MAX_COMMENT, wrapComments } from './wrapComments.ts';

const word = 'words ';
const long = `a ${word.repeat(25)}end`;

describe('wrapped comments', () => {
  it.each([
    ['line comments', `// ${long}\n// and more.\nconst a = 1;\n`],
    ['a comment in one line', `  /** ${long} */\nconst a = 1;\n`],
    ['an item of a list', `/**\n * Text.\n * - ${long}\n *   goes on\n * - next\n */\nconst a = 1;\n`],
    ['a tag', `/**\n * @param a ${long}\n * @returns b\n */\nconst a = 1;\n`],
  ])('have at most 110 characters a line, the same words and parts: %s', (_name, source) => {
    const wrapped = wrapComments('a.ts', source);
    expect(longComments('a.ts', source)).not.toEqual([]);
    expect(longComments('a.ts', wrapped)).toEqual([]);
    expect(Math.max(...wrapped.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(MAX_COMMENT);
    const words = (text: string) => text.split(/[\s*/]+/).filter(Boolean);
    expect(words(wrapped)).toEqual(words(source));
    expect(wrapComments('a.ts', wrapped)).toBe(wrapped);
  });

  it('leave an indented example as it is', () => {
    const example = `//   key: ${long}\n//   other: value\n`;
    expect(longComments('a.ts', example)).toEqual([]);
    expect(wrapComments('a.ts', example)).toBe(example);
  });

  it('join a text that continues, and no part that starts', () => {
    expect(wrapComments('a.ts', `// ${long}\n// goes on\n//\n// new\n`)).toBe(
      `// ${`a ${word.repeat(25)}`.slice(0, 103).trim()}\n// ${word.repeat(8)}end goes on\n//\n// new\n`,
    );
    const tags = wrapComments('a.ts', `/**\n * ${long}\n * @param a b\n */\n`);
    expect(tags).toContain('end\n * @param a b\n');
  });

  it('are not texts of code, links, or lines that tools read', () => {
    const source = `const a = \`\n// ${long}\n\`; // ${long}\n// biome-ignore ${long}\n// https://${'a'.repeat(120)}\n`;
    expect(wrapComments('a.ts', source)).toBe(source);
    expect(longComments('a.ts', source)).toEqual([]);
  });
});
