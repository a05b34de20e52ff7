// Words for faults of YAML, by the parser's codes: the parser's own sentences are for authors of parsers.

import type { ErrorCode } from 'yaml';

/** Each follows "not valid YAML: ". */
const WORDS: Record<ErrorCode, string> = {
  ALIAS_PROPS: 'a reference ("*name") stands alone; remove the "&name" or "!type" before it',
  BAD_ALIAS: 'a name of a reference ("*name", "&name") is empty or ends with ":"',
  BAD_COLLECTION_TYPE: 'a "!type" does not fit the value after it; remove it',
  BAD_DIRECTIVE: 'a line that starts with "%" is no directive of YAML; put the text in quotes',
  BAD_DQ_ESCAPE: 'a "\\" in double quotes has a meaning; write "\\\\", or use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines before it, or a bracket or quote is not closed',
  BAD_PROP_ORDER: 'a "&name" or "!type" is at the wrong place; write it before the value',
  BAD_SCALAR_START: 'a text cannot start with this character',
  BLOCK_AS_IMPLICIT_KEY: 'a line has two keys, or a list in the place of a key',
  BLOCK_IN_FLOW: 'lists with "- " and keys on lines of their own cannot stand within [ ] or { }',
  DUPLICATE_KEY: 'this key is there twice; keep one of them',
  IMPOSSIBLE: 'it cannot be read here',
  KEY_OVER_1024_CHARS: 'a key is longer than 1,024 characters',
  MISSING_CHAR: 'a closing quote or bracket, a comma, a colon, or the blank after it is missing',
  MULTILINE_IMPLICIT_KEY: 'a key has several lines, or the colon after it is missing',
  MULTIPLE_ANCHORS: 'a value has two "&name"; keep one of them',
  MULTIPLE_DOCS: 'a line "---" starts a second document; write one document',
  MULTIPLE_TAGS: 'a value has two "!type"; remove them',
  NON_STRING_KEY: 'a key must be plain text',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  TAB_AS_INDENT: 'a tab stands in the place of blanks',
  TAG_RESOLVE_FAILED: 'a "!type" is unknown or does not fit the value after it; remove it',
  UNEXPECTED_TOKEN: 'this does not fit here; put a text with special characters in quotes',
};

/** The fault, with the fix for an unquoted character with a meaning in YAML. @param offset of it. */
export function describeYamlError(text: string, code: ErrorCode, offset: number): string {
  return `not valid YAML: ${WORDS[code] ?? WORDS.IMPOSSIBLE}${hintFor(text, code, offset)}`;
}

function hintFor(text: string, code: ErrorCode, offset: number): string {
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return '; put a text that contains ": " in quotes';
  if (code === 'TAB_AS_INDENT') return '; indent with spaces';
  const isTag = code === 'TAG_RESOLVE_FAILED' && text[offset] === '!';
  const isStart = code === 'BAD_SCALAR_START' || (code === 'BAD_ALIAS' && text[offset] === '*') || isTag;
  return isStart ? `; put a text that starts with "${text[offset]}" in quotes` : '';
}
