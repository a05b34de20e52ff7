// How tables of the documentation name tests: `[name](../path/name.test.ts) title`.

/** File and title of a reference; both empty when it is none. */
export function readReference(reference: string): { file: string; title: string } {
  const [, file = '', title = ''] = /^\[\w+\]\((?:\.\.\/)+([^)]+\.test\.ts)\) (.+)$/.exec(reference) ?? [];
  return { file, title: title.replaceAll('&#124;', '|') };
}

/** Whether a source has a title as a string of its own, in any kind of quotes. */
export function hasTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const escaped = title.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
    return source.includes(`${quote}${escaped}${quote}`);
  });
}
