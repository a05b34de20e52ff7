// The places of symbols in all TypeScript projects of a repository, by TypeScript's own compiler. Its
// interface for programs is marked as unstable, so only this file knows it; the version of TypeScript is
// pinned in package.json.

import { dirname, join, relative } from 'node:path/posix';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { isCallExpression, isIdentifier } from 'typescript/unstable/ast/is';
import { API, type Project, type Symbol as Sym, SymbolFlags } from 'typescript/unstable/sync';
import type { Repository } from './repository.ts';

/** How a name is used. */
type NameUse =
  /** Its declaration, or a reference without a dot. */
  | 'name'
  /** After a dot, a key of an object, or the first name of `a as b`: no scope limits it. */
  | 'member'
  /** `{ a }` that stands for `{ a: a }`. */
  | 'shorthand'
  /** `{ a }` in a pattern that takes a member of a module apart: its variable has the same name. */
  | 'pattern'
  /** `{ a }` of an import or an export. */
  | 'specifier';

/** One identifier of a file. */
export interface Occurrence {
  file: string;
  start: number;
  end: number;
  name: string;
  use: NameUse;
  /** The symbol that it names, by its first declaration: of a shorthand the variable. */
  symbol: string | undefined;
  /** Whether the symbol is declared outside of modules: a global. */
  isGlobal: boolean;
  /** Whether it is the name in a declaration, and whether that is at the top of its file. */
  declares: 'top' | 'inner' | undefined;
  /** The symbol that another name would have here, or `undefined`. Globals are left out. */
  resolve(name: string): string | undefined;
}

/** Identifiers of a repository. */
export interface Occurrences {
  all: Occurrence[];
  /** The TypeScript files that a project has: in others no symbol is known. */
  known: ReadonlySet<string>;
  close(): void;
}

const DECLARATIONS = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.VariableDeclaration,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.EnumDeclaration,
  SyntaxKind.Parameter,
  SyntaxKind.BindingElement,
  SyntaxKind.FunctionExpression,
]);
const MEMBERS = new Set([
  SyntaxKind.PropertyAssignment,
  SyntaxKind.PropertySignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.EnumMember,
  SyntaxKind.JsxAttribute,
]);

/**
 * All identifiers with one of the names, in all files of all projects (`tsconfig.json`).
 * The compiler runs until `close`: `resolve` asks it.
 */
export function findOccurrences(repository: Repository, names: ReadonlySet<string>): Occurrences {
  const configs = [...repository.files].filter((file) => /(^|\/)tsconfig\.json$/.test(file));
  const api = new API({ cwd: repository.root });
  const openProjects = configs.sort((a, b) => a.length - b.length).map((file) => join(repository.root, file));
  const snapshot = api.updateSnapshot({ openProjects });
  const known = new Set<string>();
  const all: Occurrence[] = [];
  for (const config of openProjects) {
    const project = snapshot.getProject(config);
    for (const path of project?.program.getSourceFileNames() ?? []) {
      const file = relative(repository.root, path);
      if (project === undefined || !repository.files.has(file) || known.has(file)) continue;
      known.add(file);
      const text = repository.read(file);
      const near = new Set([...new Set(text.match(/[\w$]+/g))].filter((word) => names.has(word)));
      if (near.size > 0) all.push(...occurrencesIn(repository.root, project, file, near));
    }
  }
  return { all, known, close: () => api.close() };
}

function occurrencesIn(
  root: string,
  project: Project,
  file: string,
  names: ReadonlySet<string>,
): Occurrence[] {
  const { checker, program } = project;
  const source = program.getSourceFile(join(root, file));
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    if (isIdentifier(node) && names.has(node.text)) nodes.push(node);
    node.forEachChild(visit);
  };
  source?.forEachChild(visit);
  const symbols = nodes.length === 0 ? [] : checker.getSymbolAtLocation(nodes);
  return nodes.map((node, index) => {
    const [start, end] = [node.getStart(), node.end];
    const name = (source?.text ?? '').slice(start, end);
    const { use, target } = symbolOfUse(project, node, symbols[index]);
    return {
      file,
      start,
      end,
      name,
      use,
      symbol: keyOf(project, target),
      isGlobal: isGlobal(root, target),
      declares: declarationOf(node),
      resolve: (other: string) => keyOf(project, checker.resolveName(other, ANY, node, true)),
    };
  });
}

const ANY = SymbolFlags.Value | SymbolFlags.Type | SymbolFlags.Namespace | SymbolFlags.Alias;

function symbolOfUse(
  project: Project,
  node: Node,
  symbol: Sym | undefined,
): { use: NameUse; target: Sym | undefined } {
  const { checker } = project;
  const { parent } = node;
  const named = parent as Node & { name?: Node; propertyName?: Node; right?: Node; dotDotDotToken?: Node };
  const mocked = mockedExport(project, node);
  if (mocked !== undefined) return mocked;
  if (parent.kind === SyntaxKind.ShorthandPropertyAssignment)
    return { use: 'shorthand', target: checker.getShorthandAssignmentValueSymbol(parent) };
  if (parent.kind === SyntaxKind.ImportSpecifier || parent.kind === SyntaxKind.ExportSpecifier) {
    if (named.propertyName === undefined) return { use: 'specifier', target: symbol };
    return { use: named.propertyName === node ? 'member' : 'name', target: symbol };
  }
  const isRest = named.dotDotDotToken !== undefined;
  if (
    !isRest &&
    parent.kind === SyntaxKind.BindingElement &&
    parent.parent.kind === SyntaxKind.ObjectBindingPattern
  ) {
    const isKey = named.propertyName === node;
    if (isKey || (named.propertyName === undefined && named.name === node)) {
      const member = memberOf(project, parent.parent, (node as Node & { text: string }).text);
      if (isKey) return { use: 'member', target: member };
      const isOfModule =
        member !== undefined &&
        member.flags & (SymbolFlags.Function | SymbolFlags.Variable | SymbolFlags.Class);
      return isOfModule ? { use: 'pattern', target: member } : { use: 'shorthand', target: symbol };
    }
  }
  const isMember =
    (parent.kind === SyntaxKind.PropertyAccessExpression && named.name === node) ||
    (parent.kind === SyntaxKind.QualifiedName && named.right === node) ||
    (MEMBERS.has(parent.kind) && named.name === node);
  return { use: isMember ? 'member' : 'name', target: symbol };
}

/** The export that a key of an object replaces: `vi.mock('./a.ts', () => ({ name: ... }))`. */
function mockedExport({ checker, program }: Project, node: Node): { use: NameUse; target: Sym } | undefined {
  const isShort = node.parent.kind === SyntaxKind.ShorthandPropertyAssignment;
  const isKey = node.parent.kind === SyntaxKind.PropertyAssignment && nameOfNode(node.parent) === node;
  if (!isShort && !isKey) return undefined;
  for (let above: Node | undefined = node.parent; above !== undefined; above = above.parent) {
    if (!isCallExpression(above) || above.expression.getText() !== 'vi.mock') continue;
    const [specifier] = above.arguments;
    const path = join(dirname(node.getSourceFile().fileName), specifier?.getText().slice(1, -1) ?? '');
    const source = program.getSourceFile(path);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    const target = [...(module?.getExports().values() ?? [])].find(({ name }) => name === node.getText());
    return target === undefined ? undefined : { use: isShort ? 'pattern' : 'member', target };
  }
  return undefined;
}

const nameOfNode = (node: Node): Node | undefined => (node as Node & { name?: Node }).name;

function memberOf({ checker }: Project, pattern: Node, name: string): Sym | undefined {
  const type = checker.getTypeAtLocation(pattern);
  return type === undefined ? undefined : checker.getPropertyOfType(type, name);
}

/** What is the same for a symbol in all projects: where it is declared first. */
function keyOf({ checker }: Project, symbol: Sym | undefined): string | undefined {
  const target =
    symbol !== undefined && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declared = (target?.declarations.length ? target : symbol)?.declarations[0];
  return declared === undefined ? undefined : `${declared.path}#${declared.index}`;
}

const isGlobal = (root: string, symbol: Sym | undefined): boolean =>
  symbol?.declarations.some(
    ({ path }) =>
      path.includes('/node_modules/') ||
      (!path.startsWith(`${root.toLowerCase()}/`) && !path.startsWith(`${root}/`)),
  ) ?? false;

function declarationOf(node: Node): Occurrence['declares'] {
  const { parent } = node;
  if (!DECLARATIONS.has(parent.kind) || nameOfNode(parent) !== node) return undefined;
  for (let above = parent.parent; above !== undefined; above = above.parent)
    if (
      above.kind === SyntaxKind.Block ||
      above.kind === SyntaxKind.ArrowFunction ||
      above.kind === SyntaxKind.FunctionDeclaration
    )
      return 'inner';
  return 'top';
}
