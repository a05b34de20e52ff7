// The imports of a source file, of every form TypeScript has. Read with a parser, not with patterns.

import { parseSync, Visitor } from 'oxc-parser';

/** One import of a file. */
export interface SourceImport {
  /** What is imported, as it is written: `../errors.ts`, `zod`. */
  specifier: string;
  /** Whether nothing of it is left at run time: `import type`, `export type … from`, `import('…').Type`. */
  typeOnly: boolean;
}

/** Of each parsed file: several tests read the same ones, and the parser is slow. */
const parsed = new Map<string, { text: string; imports: readonly SourceImport[] }>();

/**
 * All imports of a TypeScript file, in the order of the text: `import`, `export … from`, `import()` and types
 * written as `import('…').Name`. An `import()` of a variable is left out; it names an optional package, never
 * a file of ours.
 * @throws Error with the parser's message when the text is not TypeScript.
 */
export function importsOf(file: string, text: string): readonly SourceImport[] {
  const known = parsed.get(file);
  if (known?.text === text) return known.imports;
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);

  const imports: SourceImport[] = [];
  const add = (specifier: unknown, typeOnly: boolean): void => {
    if (typeof specifier === 'string') imports.push({ specifier, typeOnly });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type'),
    ExportNamedDeclaration: (node) => add(node.source?.value, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ImportExpression: ({ source }) => add(source.type === 'Literal' && source.value, false),
    TSImportType: (node) => add(node.source.value, true),
  }).visit(program);
  parsed.set(file, { text, imports });
  return imports;
}
