// Reads a plain query of Prometheus: a selector of one metric, few functions, optional comparison. Pure.

const STRING = '"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'';
const SELECTOR = new RegExp(
  `^([a-zA-Z_:][\\w:]*)\\s*(?:\\{(?:[^{}"']|${STRING})*\\})?\\s*(?:\\[\\w+\\])?\\s*(?:offset\\s+-?\\w+)?$`,
);
const BY = '(?:(?:by|without)\\s*\\([\\w\\s,]*\\))?';
const FUNCTION = new RegExp(`^(rate|increase|sum|max|min|avg)\\s*${BY}\\s*\\((.*?)\\)\\s*${BY}$`, 's');
const COMPARISON = /\s*(?:==|!=|<=?|>=?)\s*(?:bool\s*)?-?[\d.]+(?:e[+-]?\d+)?\s*$/;

const MATCHER = new RegExp(`(\\w+)\\s*=~?\\s*(${STRING})`, 'g');

/** A selector of one metric, with the functions around it. */
interface PlainQuery {
  metric: string;
  functions: readonly string[];
  /** The labels that it selects, with the value or the pattern. */
  selected: Readonly<Record<string, string>>;
}

/** The metric of a plain query, and its functions from the outside; undefined for any other query. */
export function plainQuery(query: string): PlainQuery | undefined {
  const functions: string[] = [];
  let inner = query.trim().replace(COMPARISON, '');
  for (;;) {
    const [, metric] = SELECTOR.exec(inner) ?? [];
    if (metric !== undefined) {
      const matchers = [...inner.matchAll(MATCHER)].map(([, name, value]) => [name, value?.slice(1, -1)]);
      return { metric, functions, selected: Object.fromEntries(matchers) };
    }
    const [, name, argument] = FUNCTION.exec(inner) ?? [];
    if (name === undefined || argument === undefined || functions.length > 3) return undefined;
    functions.push(name);
    inner = argument.trim();
  }
}
