// Reads the sources of an answer from Gemini's grounding: searches, pages, and which words come from where.
// Pure, and no JSON makes it throw. Recorded answers have wrong offsets, indices that lead nowhere and empty
// chunks.

import type { Grounding } from '../../core/contract/llm.ts';
import type { Citation, GroundingSource, GroundingSupport } from '../../core/schema/timelineEvent.ts';
import { cutText } from '../../text/cut.ts';
import { asArray, asObject, asText, type JsonObject } from '../../text/json.ts';
import type { CollectedAnswer, UrlContext } from './collectStream.ts';
import { createUtf16Converter } from './utf8Offsets.ts';

/** More are left out: two events contain them, each of which must fit a document. */
const MAX_SUPPORTS = 500;
const MAX_QUOTE_CHARACTERS = 500;

type GroundedAnswer = Pick<CollectedAnswer, 'text' | 'groundingMetadata' | 'urlContexts'>;

const STATUS_UNKNOWN = 'URL_RETRIEVAL_STATUS_UNSPECIFIED';

/**
 * The groundings of an answer: none, one, or two when it searched and read pages as well.
 * `groundingMetadata` with queries is a search, else URL context; pages of `urlContextMetadata` are URL
 * context, and count as sources unless they could not be read. Without sources there is no grounding, but for
 * a search that found nothing and pages that could not be read: those were tried.
 */
export function readGroundings(answer: GroundedAnswer): Grounding[] {
  const metadata = asObject(answer.groundingMetadata);
  const pages = answer.urlContexts;
  const queries = asArray(metadata.webSearchQueries).filter(isQuery);
  const supports = asArray(metadata.groundingSupports).slice(0, MAX_SUPPORTS).map(asObject);
  const locate = locator(answer.text);
  const chunks = readChunks(metadata);
  const statuses = pages.map(({ url = '', status = STATUS_UNKNOWN }) => ({ uri: url, status }));

  const read = pageSources(pages, chunks);
  if (queries.length === 0) {
    const sources = distinctSources([...chunks, ...read]);
    if (sources.length === 0 && statuses.length === 0) return [];
    const known = readSupports(supports, chunks, sources, locate);
    return [
      {
        kind: 'url_context',
        queries,
        sources,
        supports: known,
        statuses,
        citations: citeSources(known, sources),
      },
    ];
  }
  const sources = distinctSources(chunks);
  const known = readSupports(supports, chunks, sources, locate);
  const search: Grounding = {
    kind: 'search',
    queries,
    sources,
    supports: known,
    statuses: [],
    citations: citeSources(known, sources),
  };
  if (statuses.length === 0) return [search];
  const ofPages = readSupports(supports, chunks, read, locate);
  const grounded = ofPages.filter(({ groundingChunkIndices }) => groundingChunkIndices.length > 0);
  return [
    search,
    { kind: 'url_context', queries: [], sources: read, supports: grounded, statuses, citations: [] },
  ];
}

/** The HTML of Google's search suggestions, when the answer brought it. */
export function readSearchEntryPoint({
  groundingMetadata,
}: Pick<CollectedAnswer, 'groundingMetadata'>): string | null {
  return asText(asObject(asObject(groundingMetadata).searchEntryPoint).renderedContent) ?? null;
}

function isQuery(query: unknown): query is string {
  return typeof query === 'string' && query.trim() !== '';
}

/** One entry per chunk, so that indices still count; undefined for chunks that lead to no source. */
function readChunks(metadata: JsonObject): (GroundingSource | undefined)[] {
  return asArray(metadata.groundingChunks).map((entry) => {
    const chunk = asObject(entry);
    return (
      readGroundingSource(chunk.web) ??
      readGroundingSource(chunk.retrievedContext, 'retrieved_context') ??
      readGroundingSource(chunk.maps, 'maps')
    );
  });
}

function readGroundingSource(data: unknown, kind?: GroundingSource['kind']): GroundingSource | undefined {
  const { uri = '', title = '' } = asObject(data);
  const source = { uri: asText(uri) ?? '', title: asText(title) ?? '' };
  // A document of the user's own store can lack an address; its title identifies it.
  const known = source.uri !== '' || (kind === 'retrieved_context' && source.title !== '');
  return known ? { ...source, ...(kind !== undefined && { kind }) } : undefined;
}

/** Pages that were read, with the title a chunk of the same address knows. */
function pageSources(pages: UrlContext[], chunks: (GroundingSource | undefined)[]): GroundingSource[] {
  const isRead = ({ status }: UrlContext) => status === undefined || status.endsWith('_SUCCESS');
  const sources = pages
    .filter(isRead)
    .flatMap(({ url }) => (url === undefined ? [] : { uri: url, title: '' }));
  return distinctSources(
    sources.map(
      (source) => chunks.find((chunk) => chunk?.uri === source.uri && chunk.title !== '') ?? source,
    ),
  );
}

function distinctSources(sources: (GroundingSource | undefined)[]): GroundingSource[] {
  const byKey = new Map<string, GroundingSource>();
  for (const source of sources) {
    if (source !== undefined && !byKey.get(groundingSourceKey(source))?.title)
      byKey.set(groundingSourceKey(source), source);
  }
  return [...byKey.values()];
}

/** Sources with one key are the same: by address, else by title. */
function groundingSourceKey({ uri, title }: GroundingSource): string {
  return JSON.stringify(uri === '' ? { title } : uri);
}

type Locate = (startByte: number, quote: string) => { startIndex: number; endIndex: number } | undefined;

/**
 * Finds quotes in the text: the occurrence nearest to the given byte offset. The quote decides, because
 * recorded offsets drift by some bytes from the middle of an answer on, and end beyond it.
 */
function locator(text: string): Locate {
  let offsetOf: ((byteOffset: number) => number) | undefined;
  return (startByte, quote) => {
    if (quote === '') return undefined;
    offsetOf ??= createUtf16Converter(text);
    const expected = offsetOf(startByte);
    const after = text.startsWith(quote, expected) ? expected : text.indexOf(quote, expected);
    const before = after === expected ? -1 : text.lastIndexOf(quote, expected);
    const isBefore = before !== -1 && (after === -1 || expected - before <= after - expected);
    const startIndex = isBefore ? before : after;
    return startIndex === -1 ? undefined : { startIndex, endIndex: startIndex + quote.length };
  };
}

/** Chunk indices become positions in `sources`; those that lead nowhere are left out. */
function readSupports(
  supports: JsonObject[],
  chunks: (GroundingSource | undefined)[],
  sources: GroundingSource[],
  locate: Locate,
): GroundingSupport[] {
  const positions = new Map(sources.map((source, index) => [groundingSourceKey(source), index]));
  const positionOf = (index: unknown) => {
    const chunk = chunks[Number(index)];
    return (chunk && positions.get(groundingSourceKey(chunk))) ?? [];
  };
  return supports.flatMap((support) => {
    const segment = asObject(support.segment);
    const text = asText(segment.text) ?? '';
    const indices = asArray(support.groundingChunkIndices).filter((index) => Number.isSafeInteger(index));
    const groundingChunkIndices = [...new Set(indices.flatMap(positionOf))];
    if (text === '' && groundingChunkIndices.length === 0) return [];
    const place = locate(byteOffset(segment.startIndex), text);
    return [
      { ...place, text: cutText(text, MAX_QUOTE_CHARACTERS, 'words').toWellFormed(), groundingChunkIndices },
    ];
  });
}

/** proto3 leaves a zero out. */
function byteOffset(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function citeSources(supports: GroundingSupport[], sources: GroundingSource[]): Citation[] {
  return supports.map(({ text, groundingChunkIndices, ...offsets }) => {
    const [resultIndex, ...otherResultIndices] = groundingChunkIndices;
    const source = resultIndex === undefined ? undefined : sources[resultIndex];
    return {
      type: 'grounding_support',
      ...(source?.uri && { url: source.uri }),
      ...(source?.title && { title: source.title }),
      ...offsets,
      ...(text !== '' && { citedText: text }),
      ...(resultIndex !== undefined && { resultIndex }),
      ...(otherResultIndices.length > 0 && { otherResultIndices }),
    };
  });
}
