// The strings and comments of a TypeScript file: where paths and names stand that are no code.

import { type Node, parseSync, Visitor } from 'oxc-parser';

/** A string or a comment, as it is written between its quotes or marks. */
export interface SourcePart {
  start: number;
  end: number;
  kind: 'specifier' | 'string' | 'title' | 'comment';
  /** Whether a path in it starts at the folder of its file: an import, or beside `import.meta`. */
  isAnchored: boolean;
}

const TITLED = new Set(['describe', 'it', 'test']);

/**
 * All strings and comments of a file, in no order. Each part of a template with expressions is one of its
 * own.
 * @throws Error with the parser's message when the text is not TypeScript.
 */
export function partsOfSource(file: string, text: string): SourcePart[] {
  const { program, comments, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const parts = new Map<number, SourcePart>();
  const add = (
    kind: SourcePart['kind'],
    isAnchored: boolean,
    ...nodes: readonly (Node | null | undefined)[]
  ) => {
    for (const { start, end } of nodes.flatMap(stringsIn))
      if (!parts.has(start)) parts.set(start, { start, end, kind, isAnchored });
  };
  new Visitor({
    ImportDeclaration: (node) => add('specifier', true, node.source),
    ExportNamedDeclaration: (node) => add('specifier', true, node.source),
    ExportAllDeclaration: (node) => add('specifier', true, node.source),
    ImportExpression: (node) => add('specifier', true, node.source),
    TSImportType: (node) => add('specifier', true, node.source),
    NewExpression: (node) => {
      if (isMeta(text, node)) add('string', true, ...node.arguments);
    },
    CallExpression: (node) => {
      const callee = text.slice(node.callee.start, node.callee.end);
      if (/^vi\.(do)?(un)?[mM]ock$|^import\.meta\.resolve$/.test(callee))
        add('specifier', true, node.arguments[0]);
      else if (TITLED.has(/^\w+/.exec(callee)?.[0] ?? '')) add('title', false, node.arguments[0]);
      else if (isMeta(text, node)) add('string', true, ...node.arguments);
    },
    // Visited after what contains it: a part that has a kind keeps it.
    Literal: (node) => add('string', false, node),
    TemplateLiteral: (node) => add('string', false, node),
  }).visit(program);
  const isComment = ({ start, end }: { start: number; end: number }): SourcePart => ({
    start,
    end,
    kind: 'comment',
    isAnchored: false,
  });
  return [...parts.values(), ...comments.map(isComment)];
}

/** Whether a call names the place of its module: `new URL(path, import.meta.url)`. */
function isMeta(text: string, { arguments: given }: { arguments: readonly Node[] }): boolean {
  return given.some(({ start, end }) => /^import\.meta\.(url|dirname)$/.test(text.slice(start, end)));
}

/** The ranges between the quotes of a string or of the parts of a template. */
function stringsIn(node: Node | null | undefined): { start: number; end: number }[] {
  if (node?.type === 'Literal' && typeof node.value === 'string')
    return [{ start: node.start + 1, end: node.end - 1 }];
  if (node?.type !== 'TemplateLiteral') return [];
  return node.quasis.map(({ start, end }) => ({ start, end }));
}
