import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_MASKING } from '../masking/masker.ts';
import { maskingFileSchema } from './masking.ts';
import { validateFile } from './validate.ts';
import { type Fault, parseYaml } from './yamlFile.ts';

function read(text: string) {
  const faults: Fault[] = [];
  const value = validateFile(parseYaml('masking.yaml', text), maskingFileSchema, faults);
  return {
    value,
    faults: faults.map(({ position, path, message }) => `${position?.line} ${path}: ${message}`),
  };
}

describe('masking.yaml', () => {
  it('can be empty: then all groups are on', () => {
    expect(read('{}').value).toEqual(DEFAULT_MASKING);
  });

  it('that comes with the project is good with its comments removed', () => {
    const text = readFileSync(new URL('../../config/masking.yaml', import.meta.url), 'utf8');
    const uncommented = text
      .split('\n')
      .filter((line) => /^# (?:\w+: ?[[#]?|rules:| {2,}[-\w])/.test(line) && !/^# {10,}/.test(line))
      .map((line) => line.slice(2))
      .join('\n');
    const { value, faults } = read(uncommented);
    expect(faults).toEqual([]);
    expect(value?.rules).toEqual([{ kind: 'customer-number', pattern: 'CUST-([0-9]{8})', ignoreCase: true }]);
    expect(Object.keys(parse(uncommented))).toEqual(['off', 'never', 'neverKeys', 'rules']);
  });

  it('with faults is refused, each with its line, its field and the remedy', () => {
    const { faults } = read(
      'off: [tokenz]\nnever: [abc]\nneverKeys: ["a b"]\nrules:\n  - kind: Big One\n    pattern: "(?<=a)b"\n  - kind: all\n    pattern: ".*"\n    colour: red\n',
    );
    expect(faults).toEqual([
      expect.stringMatching(/^1 off\[0\]: .*tokens/),
      expect.stringMatching(/^2 never\[0\]: must have at least 4 characters/),
      expect.stringMatching(/^3 neverKeys\[0\]: must be the name of a key/),
      expect.stringMatching(/^5 rules\[0\]\.kind: must start with a lowercase letter/),
      expect.stringMatching(/^6 rules\[0\]\.pattern: is no pattern of RE2: .*look-around/),
      expect.stringMatching(/^8 rules\[1\]\.pattern: matches the empty text/),
      expect.stringMatching(/^9 rules\[1\]\.colour: unknown key/),
    ]);
  });
});
