// Whether a line of the log matches a filter of Cloud Logging, for the few forms that the module uses.

/** A line as the logger writes it. */
type Line = Record<string, unknown>;

const TERM = /^jsonPayload\.([\w.]+)(=~|=|>)(.+)$/;

/**
 * Whether a line of a service of the installation matches. Terms about the resource are left out: Cloud Run
 * adds it.
 * @throws Error for a term of another form.
 */
export function matchesLogFilter(filter: string, line: Line): boolean {
  const terms = filter.split(' AND ').filter((term) => !term.startsWith('resource.'));
  return terms.every((term) => {
    const [, path = '', operator, text = ''] = TERM.exec(term) ?? [];
    const value = fieldOf(line, path);
    if (operator === '=~') return new RegExp(JSON.parse(text) as string).test(String(value));
    if (operator === '>') return Number(value) > Number(text);
    if (operator !== '=') throw new Error(`a term of another form: ${term}`);
    const allowed = text.replaceAll(/^\(|\)$/g, '').split(' OR ');
    return allowed.some((one) => JSON.parse(one) === value);
  });
}

/** Whether a log sink's filter exports an entry: `log_id("…")`, `FIELD=~"PATTERN"`, `NOT`. */
export function isExported(filter: string, entry: Line): boolean {
  const id = decodeURIComponent(String(entry.logName).split('/logs/')[1] ?? '');
  return filter.split(' AND ').every((term) => {
    const [, not, text = ''] = /^(NOT )?(.+)$/.exec(term) ?? [];
    const ids = [...text.matchAll(/log_id\("([^"]+)"\)/g)].map(([, one]) => one);
    const [, path = '', pattern = ''] = /^([\w.]+)=~(".+")$/.exec(text) ?? [];
    if (ids.length === 0 && path === '') throw new Error(`a term of another form: ${term}`);
    const matches =
      ids.length > 0
        ? ids.includes(id)
        : new RegExp(JSON.parse(pattern) as string).test(String(fieldOf(entry, path) ?? ''));
    return matches !== (not !== undefined);
  });
}

/** The value that `EXTRACT(jsonPayload.PATH)` takes from a line. */
export function extractFrom(line: Line, extractor: string): unknown {
  return fieldOf(line, /^EXTRACT\(jsonPayload\.([\w.]+)\)$/.exec(extractor)?.[1] ?? '');
}

function fieldOf(line: Line, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Line | undefined)?.[name], line);
}
