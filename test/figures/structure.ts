// Figures of the code's structure: mutual imports of folders, casts, documentation, function names.

import { posix as path } from 'node:path';
import { Visitor } from 'oxc-parser';
import { importsOf } from '../support/sourceImports.ts';
import { wordsOf } from './dialect.ts';
import type { Source } from './sources.ts';

/** Pairs `a <-> b` of folders whose files import each other, sorted. */
export function mutualFolderPairs(sources: readonly Source[]): string[] {
  const arrows = new Set<string>();
  for (const { file, text } of sources)
    for (const target of ownImports(file, text)) {
      const [from, to] = [path.dirname(file), path.dirname(target)];
      if (from !== to) arrows.add(`${from}\n${to}`);
    }
  return [...arrows]
    .map((arrow) => arrow.split('\n') as [string, string])
    .filter(([from, to]) => from < to && arrows.has(`${to}\n${from}`))
    .map((pair) => pair.join(' <-> '))
    .sort();
}

/** Files of the repository that a file imports. */
function ownImports(file: string, text: string): string[] {
  return importsOf(file, text)
    .filter(({ specifier }) => /^\..*\.tsx?$/.test(specifier))
    .map(({ specifier }) => path.join(path.dirname(file), specifier));
}

/** Types that others build on, modules that the build exchanges. */
const FOR_OTHERS =
  /^(?:shared\/contract\/|packages\/[\w-]+\/src\/index\.ts|web\/src\/markdown\/(?:entities|noConstruct)\.ts)/;

/**
 * Exports of production files that no other file imports, as `FILE NAME`, except those of `FOR_OTHERS`.
 * @param others the files that import besides: tests, fixtures, examples.
 */
export function exportsWithoutImporter(sources: readonly Source[], others: readonly Source[]): string[] {
  const imported = new Set<string>();
  for (const { file, text, program, module } of [...sources, ...others]) {
    const add = (specifier: string, name = '*') =>
      imported.add(`${path.join(file, '..', specifier)} ${name}`);
    for (const { moduleRequest, entries } of module.staticImports)
      for (const { importName } of entries) add(moduleRequest.value, importName.name ?? undefined);
    for (const { entries } of module.staticExports)
      for (const { moduleRequest, importName } of entries)
        if (moduleRequest !== null) add(moduleRequest.value, importName.name ?? undefined);
    const addWhole = (specifier: unknown) => typeof specifier === 'string' && add(specifier);
    if (text.includes('import('))
      new Visitor({
        ImportExpression: ({ source }) => addWhole(source.type === 'Literal' && source.value),
        TSImportType: ({ source }) => addWhole(source.value),
      }).visit(program);
  }
  return sources
    .filter(({ file }) => !FOR_OTHERS.test(file) && !imported.has(`${file} *`))
    .flatMap(({ file, module }) =>
      module.staticExports
        .flatMap(({ entries }) => entries)
        .flatMap(({ exportName: { name } }) => (name === null ? [] : `${file} ${name}`)),
    )
    .filter((one) => !imported.has(one));
}

/** Files under 40 lines that exactly one other production file imports. */
export function smallFilesWithOneUser(sources: readonly Source[]): string[] {
  const users = new Map<string, number>();
  for (const { file, text } of sources)
    for (const target of new Set(ownImports(file, text))) users.set(target, (users.get(target) ?? 0) + 1);
  return sources.filter(({ file, lines }) => lines < 40 && users.get(file) === 1).map(({ file }) => file);
}

/** Places of `as Type`, as offsets in the text, without `as const` and `satisfies`. */
export function casts({ program }: Source): number[] {
  const places: number[] = [];
  new Visitor({
    TSAsExpression: ({ typeAnnotation, start }) => {
      const isConst =
        typeAnnotation.type === 'TSTypeReference' &&
        typeAnnotation.typeName.type === 'Identifier' &&
        typeAnnotation.typeName.name === 'const';
      if (!isConst) places.push(start);
    },
  }).visit(program);
  return places;
}

/** Count of the members of interfaces, and the offsets of those without a comment in front. */
export function interfaceMembers({ program, comments, text }: Source): {
  all: number;
  undocumented: number[];
} {
  const ends = comments.map(({ end }) => end);
  let all = 0;
  const undocumented: number[] = [];
  new Visitor({
    TSInterfaceBody: ({ body }) => {
      for (const { start } of body) {
        all++;
        if (!ends.some((end) => end < start && text.slice(end, start).trim() === ''))
          undocumented.push(start);
      }
    },
  }).visit(program);
  return { all, undocumented };
}

/** Count of declared functions, and the offsets of the names of a single word. */
export function functionNames({ program }: Source): { all: number; oneWord: number[] } {
  let all = 0;
  const oneWord: number[] = [];
  new Visitor({
    FunctionDeclaration: ({ id }) => {
      if (!id) return;
      all++;
      if (wordsOf(id.name).length === 1) oneWord.push(id.start);
    },
  }).visit(program);
  return { all, oneWord };
}
