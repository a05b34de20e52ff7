// The table of docs/errors.md: the meaning of each code, and its remedy.

/** A row. */
interface ErrorEntry {
  code: string;
  family: string;
  cause: string;
  remedy: string;
}

/** The rows of the document, in its order. Links into other documents become their text. */
export function errorTable(source: string): ErrorEntry[] {
  return source.split('\n').flatMap((line) => {
    const [, code, family, cause, remedy] = /^\| `([A-Z_]+)` \| (.*?) \| (.*) \| (.*) \|$/.exec(line) ?? [];
    if (code === undefined || family === undefined || cause === undefined || remedy === undefined) return [];
    return [{ code, family, cause: withoutLinks(cause), remedy: withoutLinks(remedy) }];
  });
}

const withoutLinks = (text: string) => text.replace(/\[([^\]]*)\]\((?!https?:)[^)]*\)/g, '$1');
