import { describe, expect, it } from 'vitest';
import { insertYaml } from './insertYaml.ts';

const FILE = `# Servers.
servers:
    one: # the first
        url: http://a   # kept

    two: { url: http://b }
# At the end.
other: [a,b]
`;

describe('an entry that is inserted', () => {
  it('stands after the last one with its indentation, and changes nothing else', () => {
    expect(insertYaml('f', FILE, ['servers'], 'three:\n  url: http://c')).toBe(
      FILE.replace('http://b }\n', 'http://b }\n    three:\n      url: http://c\n'),
    );
  });

  it('is the last item of a list', () => {
    const text = 'a:\n  - b:\n      - x # why\n      - y\n    c: 1\n';
    expect(insertYaml('f', text, ['a', '0', 'b'], '- z')).toBe(text.replace('- y\n', '- y\n      - z\n'));
  });

  it('follows a text of several lines and a file without a line end', () => {
    const text = 'agents:\n  a:\n    instructions: |\n      One.\n\n      Two.';
    expect(insertYaml('f', text, ['agents'], 'b: {}')).toBe(`${text}\n  b: {}\n`);
  });

  it('makes the mapping where there is none yet', () => {
    for (const text of ['', '# Nothing.\n', 'servers:\n', 'servers: # none\nother: 1\n']) {
      const changed = insertYaml('f', text, ['servers'], 'a: 1');
      expect(changed).toContain('servers:\n  a: 1\n');
    }
  });

  it('is refused where entries share a line, with the lines to add by hand', () => {
    expect(() => insertYaml('f.yaml', 'servers: { a: 1 }', ['servers'], 'b: 2')).toThrow(
      /f\.yaml cannot be changed: servers must be written with one entry a line.*\nb: 2/,
    );
    expect(() => insertYaml('f.yaml', 'servers: [', ['servers'], 'b: 2')).toThrow(
      /f\.yaml cannot be changed/,
    );
  });
});
