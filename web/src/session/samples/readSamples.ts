// Reads a result's samples: Prometheus, Cloud Monitoring, and tables with times.

import { parseTextDocuments } from '../../../../shared/evidence/documents.ts';
import { plainQuery } from '../../../../shared/evidence/records/plainQuery.ts';
import { readDocumentSeries, type Series } from '../../../../shared/evidence/series.ts';
import { asObject, parseJson } from '../../../../shared/text/json.ts';
import { LEFT_OUT } from '../../../../shared/text/omissionNote.ts';
import { completeJson } from './completeJson.ts';
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
