import { expect, it } from 'vitest';
import * as z from 'zod';
import { strictMapping } from './fields.ts';
import { validateFile } from './validate.ts';
import { parseYaml } from './yamlFile.ts';

const stages = z.array(strictMapping({ strategy: z.enum(['react']).optional() }));
const schema = strictMapping({
  list: z.array(z.string()).optional(),
  map: z.object({}).optional(),
  chains: z.record(z.string(), strictMapping({ stages })).optional(),
  notify: z.array(strictMapping({ to: z.string() })).optional(),
  json_schema_extra: strictMapping({ tools: z.array(strictMapping({ name: z.string() })) }).optional(),
  count: z.int().optional(),
});

/** The faults, each as `line path: text`, with the code of those that have one of their own. */
function faults(text: string): string[] {
  const found: Parameters<typeof validateFile>[2] = [];
  validateFile(parseYaml('a.yaml', text), schema, found);
  return found.map(
    ({ position, path, message, code }) =>
      `${position?.line} ${path}: ${message}${code === undefined ? '' : ` ${code}`}`,
  );
}

it.each<[string, ...RegExp[]]>([
  ['list: a', /^1 list: .*; write \["?a"?\]$/],
  ['list: ""', /^1 list: must be a list(?!.*write)/],
  ['list: { a: 1 }', /^1 list: .*; start each entry with "- "$/],
  ['list: 7', /^1 list: (?!.*(?:write|start))/],
  ['map: [{ a: 1 }]', /^1 map: .*; write its keys without "- "$/],
  ['map: [a]', /^1 map: (?!.*write)/],
  ['chains:\n  deep: [{}]', /^2 chains\.deep: .*; put this list under a key "stages"$/],
  ['notify: [team]', /^1 notify\[0\]: .*; write "to: "?team"?"$/],
  ['json_schema_extra: { tools: [get] }', /tools\[0\]: .*; write \{ name: "?get"? \}$/],
  ['count: a', /^1 count: (?!.*write)/],
  [
    'chains:\n  deep:\n    stages: [{ strategy: rect }]',
    /^3 chains\.deep\.stages\[0\]\.strategy: unknown .*react.* CONFIG_UNKNOWN_STRATEGY$/,
  ],
  ['chans: {}\nlist: 7\ncount: a', /^1 chans: unknown key; .*chains/, /^2 list/, /^3 count/],
])('%j has faults in the order of the file', (text, ...expected) => {
  const found = faults(text);
  expect(found).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
});
