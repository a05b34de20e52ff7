// Reads a result's samples: Prometheus, Cloud Monitoring, and tables with times.

import { parseTextDocuments } from '../../../../shared/evidence/documents.ts';
import { plainQuery } from '../../../../shared/evidence/records/plainQuery.ts';
import { readDocumentSeries, type Series } from '../../../../shared/evidence/series.ts';
import { asObject, parseJson } from '../../../../shared/text/json.ts';
import { LEFT_OUT } from '../../../../shared/text/omissionNote.ts';
import { makeSet, type SampleSet } from './sampleSet.ts';
import { readTimeTable } from './timeTable.ts';
import { unitOfMetric, unitOfMonitoring } from './units.ts';

/** Inquest's line before the parts of a large result. */
const NOTE = /^\[[A-Z][^\n]*\]\n/;

/**
 * The samples of a result, up to the place where it was cut.
 * @param call JSON text of the arguments of its call, whose query has the unit. @param isStart Whether the
 * text is only its start.
 * @returns undefined for a result without samples.
 */
export function readSamples(
  text: string,
  call: string,
  isStart: boolean,
): (SampleSet & { isCut: boolean }) | undefined {
  const end = text.search(LEFT_OUT);
  const isCut = isStart || end !== -1;
  const start = (end === -1 ? text : text.slice(0, Math.max(0, end - 1))).replace(NOTE, '');
  const set = /^[ \t]*[[{]/m.test(start) ? parseSamplesJson(start, call) : undefined;
  const found = set ?? parseSamplesTable(start, isCut);
  return found && { ...found, isCut };
}

function parseSamplesJson(text: string, call: string): SampleSet | undefined {
  const documents = parseTextDocuments(completeJson(text)).map(decodeBody);
  const unitOfAnswer = documents.map((one) => asObject(one).unit).find((unit) => typeof unit === 'string');
  const queries = Object.values(asObject(parseJson(call))).filter((one) => typeof one === 'string');
  const plain = queries.map(plainQuery).find((one) => one !== undefined);
  const unitOf = ({ unit = unitOfAnswer, metric }: Series): string => {
    if (unit !== undefined) return unitOfMonitoring(unit);
    return plain ? unitOfMetric(plain.metric, plain.functions) : unitOfMetric(metric ?? '');
  };
  return makeSet(documents.flatMap(readDocumentSeries).map(withoutType), unitOf);
}

/** Cloud Monitoring answers queries of Prometheus with a body in base64. */
function decodeBody(document: unknown): unknown {
  const { contentType, data } = asObject(document);
  if (contentType === undefined || typeof data !== 'string') return document;
  try {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return document;
  }
}

/** The type of a metric of Cloud Monitoring is its name, not a label. */
function withoutType(series: Series): Series {
  const { type, ...labels } = series.labels;
  return type === series.metric ? { ...series, labels } : series;
}

function parseSamplesTable(text: string, isCut: boolean): SampleSet | undefined {
  const series = readTimeTable(text, isCut);
  return (
    series && makeSet(series, ({ unit, metric = '' }) => unit ?? unitOfMetric(`_${metric.toLowerCase()}`))
  );
}

/** The text up to that item, with closing brackets; unchanged if it ends with its own. */
function completeJson(text: string): string {
  const start = Math.max(0, text.search(/[[{]/));
  const open: string[] = [];
  let end = 0;
  for (const { at, sign } of brackets(text, start, text.length)) {
    if (!follow(open, sign)) continue;
    if (open.length === 0) return text;
    if (open.at(-1) === '[') end = at + 1;
  }
  open.length = 0;
  for (const { sign } of brackets(text, start, end)) follow(open, sign);
  const closing = open.toReversed().map((sign) => (sign === '[' ? ']' : '}'));
  return text.slice(0, end) + closing.join('');
}

/** Keeps the brackets that are open. @returns whether the bracket closes one. */
function follow(open: string[], sign: string): boolean {
  const isClosing = sign === ']' || sign === '}';
  if (isClosing) open.pop();
  else open.push(sign);
  return isClosing;
}

/** The brackets outside of strings, between two places of a text. */
function* brackets(text: string, from: number, to: number): Generator<{ at: number; sign: string }> {
  for (let at = from; at < to; at++) {
    const sign = text[at] ?? '';
    if (sign === '"') at = endOfString(text, at);
    else if ('[]{}'.includes(sign)) yield { at, sign };
  }
}

/** The place of the quote that ends a string; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
