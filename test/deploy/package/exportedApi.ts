// The exports of a module of declarations with their signatures, as text: what programs depend on.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The declarations of one module by name, and the exports that other modules declare. */
interface Declarations {
  own: Map<string, string>;
  exported: { name: string; local: string; from: string | undefined }[];
}

/**
 * The declarations that a file exports, by name, each with the private ones of its module that it names.
 * Without comments.
 */
export function describeExports(file: string): string {
  const { own, exported } = readDeclarations(file);
  const texts = exported.map(({ name, local, from }) => {
    if (from === undefined || !from.startsWith('.')) return [name, own.get(local) ?? `${name}: ${from}`];
    const module = readDeclarations(join(dirname(file), from.replace(/\.ts$/, '.d.ts')));
    return [name, withPrivate(local, module).join('\n')];
  });
  const sorted = texts.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return `${sorted.map(([, text]) => text).join('\n\n')}\n`;
}

/** The text of a declaration, and of those of its module that are not exported and that it names. */
function withPrivate(name: string, { own, exported }: Declarations): string[] {
  const found = [name];
  for (const one of found) {
    for (const [other] of own) {
      const isNamed = new RegExp(`\\b${other}\\b`).test(own.get(one) ?? '');
      if (isNamed && !found.includes(other) && !exported.some(({ local }) => local === other))
        found.push(other);
    }
  }
  return found.map((one) => own.get(one) ?? `${one} is not declared`);
}

function readDeclarations(file: string): Declarations {
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text);
  const print = (start: number, end: number): string => {
    let left = '';
    let at = start;
    for (const comment of comments.filter((one) => one.start >= start && one.end <= end)) {
      left += text.slice(at, comment.start);
      at = comment.end;
    }
    return (left + text.slice(at, end)).replace(/\n\s*(?=\n)/g, '');
  };
  const own = new Map<string, string>();
  const exported: Declarations['exported'] = [];
  const imported = new Map<string, string>();
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration')
      for (const { local } of node.specifiers) imported.set(local.name, node.source.value);
    if (node.type === 'ExportAllDeclaration')
      exported.push({ name: nameOf(node.exported), local: '', from: node.source.value });
    if (node.type === 'ExportNamedDeclaration')
      for (const one of node.specifiers)
        exported.push({
          name: nameOf(one.exported),
          local: nameOf(one.local),
          from: node.source?.value ?? imported.get(nameOf(one.local)),
        });
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (declaration === null || !('id' in declaration || 'declarations' in declaration)) continue;
    const id = 'id' in declaration ? declaration.id : declaration.declarations[0]?.id;
    const name = nameOf(id);
    // Overloads stand below each other.
    const isFirst = !own.has(name);
    own.set(name, [own.get(name) ?? [], print(node.start, node.end)].flat().join('\n'));
    if (declaration !== node && isFirst) exported.push({ name, local: name, from: undefined });
  }
  return { own, exported };
}

function nameOf(node: unknown): string {
  return String((node as { name?: string } | null)?.name ?? '');
}
