// Removes a feature from a copy of the repository: its folders, and its lines in the lists.

import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix as path } from 'node:path';
import { type Node, parseSync } from 'oxc-parser';
import { FEATURE_FOLDERS, FEATURE_LISTS } from '../layers/tables.ts';

/** A file of lists, and the names in it that have no meaning any more. */
interface List {
  file: string;
  text: string;
  dead: Set<string>;
}

/** A place in a tree: a node, and all nodes around it from the outermost. */
interface Place {
  node: Node;
  around: readonly Node[];
}

const MANIFEST = 'functions/manifest.ts';

/**
 * Removes the feature from the repository in `root`.
 * @returns the files and folders that it removed or changed.
 */
export function removeFeature(root: string, feature: string): string[] {
  const folders = FEATURE_FOLDERS.map((folder) => `${folder}${feature}/`).filter((folder) =>
    existsSync(join(root, folder)),
  );
  const routes = folders.flatMap((folder) => listRoutes(root, folder));
  for (const folder of folders) rmSync(join(root, folder), { recursive: true });
  const lists = FEATURE_LISTS.flatMap((glob) => globSync(glob, { cwd: root }))
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
    .map((file): List => ({ file, text: readFileSync(join(root, file), 'utf8'), dead: new Set() }));
  const before = new Map(lists.map(({ file, text }) => [file, text]));
  const gone: Gone = { folders: [...folders], routes, exports: new Set<string>() };
  while (lists.filter((list) => removeLines(list, gone, lists)).length > 0);
  const changed = lists.filter(({ file, text }) => text !== before.get(file));
  for (const list of changed) {
    while (removeUnused(list));
    if (list.text === '') rmSync(join(root, list.file));
    else writeFileSync(join(root, list.file), list.text);
  }
  return [...folders, ...changed.map(({ file }) => file)];
}

/** The routes that files of a folder define, as `GET /v1/sessions`. */
function listRoutes(root: string, folder: string): string[] {
  return globSync(`${folder}**/*.ts`, { cwd: root }).flatMap((file) => {
    const routes = readFileSync(join(root, file), 'utf8').split('defineRoute({').slice(1);
    return routes.map((text) => {
      const [, method = 'get'] = /^ {2}method: '(\w+)'/m.exec(text) ?? [];
      const [, route] = /^ {2}path: '([^']+)'/m.exec(text) ?? [];
      return `${method.toUpperCase()} ${route}`;
    });
  });
}

interface Gone {
  /** Folders, and modules of functions. */
  folders: string[];
  routes: readonly string[];
  /** Exports of lists, as `shared/lists/changeHandler.ts handleChange`. */
  exports: Set<string>;
}

/** Removes what uses something that is gone; whether there was anything. */
function removeLines(list: List, gone: Gone, lists: readonly List[]): boolean {
  if (list.text === '') return false;
  const { file, text, dead } = list;
  const isGone = (specifier: unknown): boolean =>
    typeof specifier === 'string' &&
    gone.folders.some((folder) => resolve(file, specifier).startsWith(folder));
  const cuts: Node[] = [];
  for (const place of places(parse(list))) {
    const { node } = place;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration') {
      const source = node.source?.value;
      if (source === undefined) continue;
      const isDead = (name: string) => isGone(source) || gone.exports.has(`${resolve(file, source)} ${name}`);
      const removed = node.specifiers.filter((one) =>
        'exported' in one
          ? isDead(nameIn(one.local))
          : isDead('imported' in one ? nameIn(one.imported) : '*'),
      );
      for (const one of removed)
        if ('exported' in one) gone.exports.add(`${file} ${nameIn(one.exported)}`);
        else dead.add(one.local.name);
      if (removed.length > 0) cuts.push(...(removed.length === node.specifiers.length ? [node] : removed));
    } else if (node.type === 'ImportExpression' || node.type === 'TSImportType') {
      if ('value' in node.source && isGone(node.source.value)) cuts.push(lineOf(place));
    } else if (node.type === 'Literal') {
      if (gone.routes.includes(String(node.value))) cuts.push(lineOf(place));
    } else if (dead.has(usedName(place) ?? '')) cuts.push(lineOf(place));
  }
  if (cuts.length === 0) return false;
  for (const cut of cuts) forget(cut, list, gone);
  list.text = cutOut(text, cuts);
  // A function whose registration is gone is gone, with its row in the manifest.
  const called = /^functions\/(\w+)\.ts$/.exec(file)?.[1];
  if (
    called !== undefined &&
    file !== MANIFEST &&
    isRegistered(text, called) &&
    !isRegistered(list.text, called)
  ) {
    list.text = '';
    gone.folders.push(file);
    const manifest = lists.find((one) => one.file === MANIFEST);
    if (manifest !== undefined)
      manifest.text = manifest.text.replace(new RegExp(`^  ${called}: \\{\\n[\\s\\S]*?^  \\},\\n`, 'm'), '');
  }
  return true;
}

const isRegistered = (text: string, name: string): boolean =>
  text.includes(`registerTopicFunction('${name}'`);

/** The names that a removed statement declares. */
function forget(cut: Node, { file, dead }: List, gone: Gone): void {
  const isExported = cut.type === 'ExportNamedDeclaration';
  const declaration = isExported ? cut.declaration : cut;
  const declared =
    declaration?.type === 'VariableDeclaration'
      ? declaration.declarations.flatMap(({ id }) => [...places(id)].map(({ node }) => node))
      : declaration !== null && 'id' in declaration
        ? [declaration.id]
        : [];
  for (const id of declared) {
    if (id?.type !== 'Identifier') continue;
    dead.add(id.name);
    if (isExported) gone.exports.add(`${file} ${id.name}`);
  }
}

/**
 * What goes with a name: its element of an array, its property, its element of a page, or its statement. An
 * array that starts with a text, and an object in an array, is one row.
 */
function lineOf({ node, around }: Place): Node {
  for (let [at, inside]: [number, Node] = [around.length - 1, node]; at >= 0; at -= 1) {
    const outer = around[at] as Node;
    const above = around[at - 1];
    if (outer.type === 'ArrayExpression' && outer.elements[0]?.type !== 'Literal') return inside;
    if (inside.type === 'Property' && above?.type !== 'ArrayExpression') return inside;
    if (/^JSX(Element|ExpressionContainer)$/.test(inside.type) && /^JSX(Element|Fragment)$/.test(outer.type))
      return inside;
    const isAlone = outer.type === 'BlockStatement' || outer.type === 'Program';
    if (isAlone && inside.type !== 'ReturnStatement') return inside;
    inside = outer;
  }
  return node;
}

/** The variable or the type that a place uses; undefined where it uses none. */
function usedName({ node, around }: Place): string | undefined {
  if (node.type !== 'Identifier' && node.type !== 'JSXIdentifier') return undefined;
  const outer = around.at(-1);
  if (outer === undefined || /^(Import|Export)/.test(outer.type) || outer.type === 'JSXAttribute')
    return undefined;
  if (outer.type === 'MemberExpression' && outer.object !== node && !outer.computed) return undefined;
  if (outer.type === 'Property' && outer.value !== node) return undefined;
  if (outer.type === 'TSPropertySignature') return undefined;
  return node.name;
}

/** Removes imports and private declarations without a use; whether there were any. */
function removeUnused(list: List): boolean {
  if (list.text === '') return false;
  const program = parse(list);
  const used = new Set([...places(program)].map(mentionedName));
  const cuts = [...program.body].flatMap((node: Node): Node[] => {
    if (node.type === 'ImportDeclaration') {
      const unused = node.specifiers.filter(({ local }) => !used.has(local.name));
      return unused.length > 0 && unused.length === node.specifiers.length ? [node] : unused;
    }
    const name =
      node.type === 'VariableDeclaration' && node.declarations[0]?.id.type === 'Identifier'
        ? node.declarations[0].id.name
        : 'id' in node && node.id?.type === 'Identifier'
          ? node.id.name
          : undefined;
    return name !== undefined && !used.has(name) ? [node] : [];
  });
  list.text = cutOut(list.text, cuts);
  return cuts.length > 0;
}

/** The name that a place uses and does not declare. */
function mentionedName(place: Place): string | undefined {
  const outer = place.around.at(-1);
  if (outer?.type === 'ExportSpecifier') return nameIn(place.node);
  return outer !== undefined && 'id' in outer && outer.id === place.node ? undefined : usedName(place);
}

const nameIn = (node: Node): string =>
  'name' in node ? String(node.name) : String((node as { value?: string }).value);

const resolve = (file: string, specifier: string): string => path.join(path.dirname(file), specifier);

function parse({ file, text }: List) {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}\n${text}`);
  return program;
}

/** Every node of a tree with those around it, each before what it contains. */
function* places(node: Node, around: readonly Node[] = []): Generator<Place> {
  yield { node, around };
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') yield* places(child, [...around, node]);
}

/** The text without some nodes: whole lines, with the comment above them, where nothing else stands there. */
function cutOut(text: string, cuts: readonly Node[]): string {
  const isInside = (one: Node, other: Node) =>
    one.start >= other.start && one.end <= other.end && one.end - one.start < other.end - other.start;
  const outer = cuts.filter((cut) => !cuts.some((other) => isInside(cut, other)));
  const ranges = new Map(outer.map(({ start, end }) => [start, end]));
  return [...ranges]
    .sort(([a], [b]) => b - a)
    .reduce((left, [start, end]) => {
      const before = left.slice(0, start);
      const after = left.slice(end).replace(/^, ?/, '');
      if (!/(^|\n) *$/.test(before) || !/^(\n|$)/.test(after)) return before + after;
      const comment = /( *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n|(?: *\/\/.*\n)+)? *$/;
      return before.replace(comment, '') + after.slice(1);
    }, text);
}
