// Words that plain technical English avoids. `npm run check` counts them per 1,000 production lines.

import { Visitor } from 'oxc-parser';
import type { Source } from './sources.ts';

/** Hits per 1,000 lines that `npm run check` accepts. Lower it when the count has fallen; never raise it. */
export const DIALECT_BUDGET = 2.4;

/** Patterns in comments and texts of CLI, page and errors. CONTRIBUTING.md has replacements. */
const WORDS: Record<string, RegExp> = {
  '"what" as a noun': /\bwhat\b(?!\?)/gi,
  'indefinite persons': /\b(?:whoever|whomever|nobody|somebody|anybody)\b/gi,
  'code that speaks': /\b(?:says?|said|saying|tells?|told|telling)\b/gi,
  'begin for start': /\b(?:begins?|began|begun|beginning)\b/gi,
  'alone for only': /\balone\b/gi,
  'may for can or is allowed': /\bmay\b/g,
  'again, in other words': /\b(?:anew|once more|another one|in vain|by itself|of its own accord)\b/gi,
};

/** Words in declared names that tell a newcomer nothing. */
const NAME_WORDS =
  /^(?:told|said|asked|happening|promised|noticed|reach|foreign|turn|spare|looking|chosen|tell|says|whose|begin|begun|anew)$/i;

/** One place where a pattern was found. */
export interface DialectHit {
  file: string;
  line: number;
  pattern: string;
  text: string;
}

/** All hits in comments, texts and declared names of the files. */
export function dialectHits(sources: readonly Source[]): DialectHit[] {
  return sources.flatMap((source) => {
    const hits: DialectHit[] = [];
    const add = (pattern: string, start: number, text: string) =>
      hits.push({ file: source.file, line: lineAt(source.text, start), pattern, text });
    const readProse = (text: string, start: number) => {
      for (const [pattern, expression] of Object.entries(WORDS))
        for (const match of text.matchAll(expression))
          add(pattern, start + match.index, around(text, match.index));
    };
    for (const { value, start } of source.comments) readProse(value, start);
    for (const { name, start } of declaredNames(source))
      for (const word of wordsOf(name)) if (NAME_WORDS.test(word)) add('name', start, name);
    for (const { value, start } of proseTexts(source)) readProse(value, start);
    return hits;
  });
}

/** Names of functions, variables, parameters, types and members that a file declares. */
function declaredNames({ program }: Source): { name: string; start: number }[] {
  const names: { name: string; start: number }[] = [];
  const add = (node: unknown) => {
    if (isNamed(node)) names.push({ name: node.name, start: node.start });
  };
  new Visitor({
    FunctionDeclaration: ({ id }) => add(id),
    VariableDeclarator: ({ id }) => add(id),
    ClassDeclaration: ({ id }) => add(id),
    TSInterfaceDeclaration: ({ id }) => add(id),
    TSTypeAliasDeclaration: ({ id }) => add(id),
    TSPropertySignature: ({ key }) => add(key),
    TSMethodSignature: ({ key }) => add(key),
    MethodDefinition: ({ key }) => add(key),
  }).visit(program);
  return names;
}

function isNamed(node: unknown): node is { name: string; start: number } {
  return typeof node === 'object' && node !== null && 'name' in node && typeof node.name === 'string';
}

/** String literals, template parts and page texts of at least three words. */
function proseTexts({ program }: Source): { value: string; start: number }[] {
  const texts: { value: string; start: number }[] = [];
  const add = (value: unknown, start: number) => {
    if (typeof value === 'string' && /\S\s+\S+\s+\S/.test(value)) texts.push({ value, start });
  };
  new Visitor({
    Literal: (node) => add('value' in node ? node.value : undefined, node.start),
    TemplateElement: ({ value, start }) => add(value.cooked, start),
    JSXText: ({ value, start }) => add(value, start),
  }).visit(program);
  return texts;
}

/** `beginHeld` has the words `begin` and `Held`. */
export function wordsOf(name: string): string[] {
  return name.split(/(?<=[a-z\d])(?=[A-Z])|_/);
}

/** Line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function around(text: string, index: number): string {
  return text
    .slice(Math.max(0, index - 30), index + 40)
    .replace(/\s+/g, ' ')
    .trim();
}
