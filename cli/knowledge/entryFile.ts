// Reads an entry of the knowledge base from a file: markdown with YAML front matter.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ConfigError } from '../../shared/config/configError.ts';
import { strictMapping } from '../../shared/config/fields.ts';
import { validateFile } from '../../shared/config/validate.ts';
import { type Fault, parseYaml } from '../../shared/config/yamlFile.ts';
import type { WrittenEntry } from '../../shared/kits/knowledge/editKnowledge.ts';
import { MAX_KNOWLEDGE_BYTES, MAX_LINKS, toKnowledgeKey } from '../../shared/search/knowledge.ts';
import { SESSION_KEY_PREFIX } from '../../shared/search/sessionEntry.ts';

const MAX_LABELS = 50;
const MAX_TITLE = 300;
/** The opening line, the front matter, the closing line, and the text. */
const FILE = /^---[^\S\n]*\n((?:(?!---[^\S\n]*(?:\n|$))[^\n]*\n)*)---[^\S\n]*(?:\n|$)([\s\S]*)$/;

const keyText = z
  .string()
  .refine((text) => toKnowledgeKey(text) !== '', 'must hold a letter or a digit')
  .transform(toKnowledgeKey);
const linkSchema = z.union(
  [
    keyText.transform((key) => ({ key, type: null })),
    strictMapping({ key: keyText, type: keyText.optional() }).transform(({ key, type = null }) => ({
      key,
      type,
    })),
  ],
  { error: 'must be a key, or a mapping with key and type' },
);
const labelText = z.union([z.string().max(500), z.number(), z.boolean()], {
  error: 'must be text, a number, or true or false',
});

const frontMatter = strictMapping({
  key: keyText
    .refine(
      (key) => !key.startsWith(SESSION_KEY_PREFIX),
      `starts with "${SESSION_KEY_PREFIX}", which is reserved for entries of investigations; choose a different key`,
    )
    .optional(),
  title: z.string().trim().min(1).max(MAX_TITLE),
  kind: z.enum(['resource', 'runbook', 'message']).default('resource'),
  labels: z
    .record(z.string().min(1).max(100), labelText)
    .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `may be ${MAX_LABELS} at most`)
    .default({}),
  links: z.array(linkSchema).max(MAX_LINKS).default([]),
});

/**
 * Reads the entry of a file. Default of `key`: the name of the file.
 * @throws ConfigError with one line per fault: file, line and remedy.
 */
export function readEntryFile(file: string): WrittenEntry & Pick<z.infer<typeof frontMatter>, 'kind'> {
  const text = readEntryText(file);
  const [, head, body = ''] = FILE.exec(text) ?? [];
  if (head === undefined)
    throw faultIn(file, 1, 'must start with front matter: a line ---, then title: TEXT, then a line ---');
  // A comment replaces the first line, so that line numbers stay the same.
  const yaml = parseYaml(file, `#\n${head.trim() === '' ? '{}' : head}`);
  const faults: Fault[] = [...yaml.faults];
  const front = validateFile(yaml, frontMatter, faults);
  if (front === undefined || faults.length > 0) throw new ConfigError(faults);
  const key = front.key ?? keyOfFile(file);
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_KNOWLEDGE_BYTES) {
    const message = `the text has ${bytes} bytes; at most ${MAX_KNOWLEDGE_BYTES}. Split it into several entries, and link them`;
    throw faultIn(file, head.split('\n').length + 2, message);
  }
  const labels = Object.entries(front.labels).map(([name, value]) => [name, String(value)]);
  return { ...front, key, labels: Object.fromEntries(labels), text: body.trim() };
}

function keyOfFile(file: string): string {
  const key = toKnowledgeKey(path.basename(file, path.extname(file)));
  if (key === '' || key.startsWith(SESSION_KEY_PREFIX))
    throw faultIn(file, 1, 'the name of the file is not a valid key; set key: NAME in the front matter');
  return key;
}

function readEntryText(file: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return text.replace(/\r\n?/g, '\n');
  } catch (error) {
    throw faultIn(file, undefined, error instanceof TypeError ? 'is not UTF-8 text' : 'cannot be read');
  }
}

function faultIn(file: string, line: number | undefined, message: string): ConfigError {
  const position = line === undefined ? null : { line, column: 1 };
  return new ConfigError([{ file, position, path: '', message }]);
}
