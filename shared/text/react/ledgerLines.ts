// Lines `Ledger: {json}` of a ReAct answer: statements beside action or final answer.

import { readFirstObject } from './jsonObject.ts';

const LINE = /^[ \t]*\**Ledger:\**[ \t]*(?=\{)/gm;
/** Statements of one answer that are read. */
const MAX_STATEMENTS = 5;

/**
 * The answer without such lines, and the JSON text of each. A line inside of a code fence counts, too:
 * nothing runs for it. Lines after `Final Answer:` belong to the analysis.
 */
export function splitLedgerLines(text: string): { text: string; statements: string[] } {
  const end = text.search(/^[ \t]*Final Answer:/m);
  const statements: string[] = [];
  let rest = '';
  let from = 0;
  for (const match of text.matchAll(LINE)) {
    if (match.index < from || (end !== -1 && match.index > end) || statements.length === MAX_STATEMENTS)
      continue;
    const start = match.index + match[0].length;
    const object = readFirstObject(text.slice(start));
    if (object === undefined) continue;
    statements.push(JSON.stringify(object.value));
    rest += text.slice(from, match.index);
    from = start + object.end;
  }
  return { text: rest + text.slice(from), statements };
}
