// Adds an answer's grounding to its blocks: a synthetic search result before the text, citations on the text.

import type { Grounding } from '../../core/contract/llm.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import type { Block, BlockOf, Citation, SearchResult } from '../../core/schema/block.ts';
import { asArray, type JsonObject } from '../../text/json.ts';
import { GROUNDING_ID_PREFIX, readProviderData } from '../blocks/portableMessage.ts';

/** Where a block's text stands in the whole visible text; UTF-16 code units, end exclusive. */
export interface TextSpan {
  /** Index of the block. */
  block: number;
  /** Offset of the first character. */
  start: number;
  /** Offset after the last character. */
  end: number;
}

type AnswerCitation = Grounding['citations'][number];

interface GroundedAnswer {
  /** As it was sent; empty when there was none. */
  metadata: JsonObject;
  /** The parsed groundings. */
  groundings: readonly Grounding[];
  /** All of the answer: those of the groundings, and others. */
  citations: readonly AnswerCitation[];
  /** Part of the id of the synthetic result. */
  answerId: string;
}

/**
 * Adds grounding to the blocks: citations on the texts they stand in, with offsets counted from that text,
 * the whole metadata on the first cited text (else on the last text), and the sources as a result just before
 * it. A citation across two blocks loses its offsets; one without offsets goes to the text that holds its
 * words.
 */
export function addGrounding(
  blocks: readonly Block[],
  spans: readonly TextSpan[],
  { metadata, groundings, citations, answerId }: GroundedAnswer,
): Block[] {
  const results = listGroundingResults(metadata, groundings);
  const cited = new Map<number, Citation[]>();
  for (const citation of citations.map(portableCitation)) {
    const placed = placeCitation(citation, spans, blocks);
    if (placed !== undefined) cited.set(placed.block, [...(cited.get(placed.block) ?? []), placed.citation]);
  }
  const anchor = spans.find((span) => cited.has(span.block))?.block ?? spans.at(-1)?.block;

  const grounded = blocks.map((block, index) => {
    const own = cited.get(index);
    const withCitations = own === undefined ? block : { ...block, citations: own };
    return index === anchor ? withMetadata(withCitations, metadata) : withCitations;
  });
  if (results.length === 0) return grounded;
  const synthetic: BlockOf<'tool_result'> = {
    blockType: 'tool_result',
    toolUseId: `${GROUNDING_ID_PREFIX}${answerId}`,
    toolName: 'web_search',
    isError: false,
    textContent: '',
    results,
    executionSide: 'provider',
    provider: NATIVE_PROVIDER,
  };
  return grounded.toSpliced(anchor ?? grounded.length, 0, synthetic);
}

/**
 * The sources of the first grounding, to which citations refer. Pages that were only read, and have no chunk
 * of their own, do not count.
 */
function listGroundingResults(metadata: JsonObject, groundings: readonly Grounding[]): SearchResult[] {
  if (asArray(metadata.groundingChunks).length === 0) return [];
  return (groundings[0]?.sources ?? []).map(({ uri, title, kind }) => ({
    title,
    url: uri,
    ...(kind !== undefined && { kind }),
  }));
}

function portableCitation({ otherResultIndices, ...citation }: AnswerCitation): Citation {
  if (otherResultIndices === undefined) return citation;
  return { ...citation, providerData: JSON.stringify({ other_result_indices: otherResultIndices }) };
}

function withMetadata(block: Block, metadata: JsonObject): Block {
  if (Object.keys(metadata).length === 0) return block;
  return {
    ...block,
    providerData: JSON.stringify({ ...readProviderData(block), grounding_metadata: metadata }),
  };
}

function placeCitation(
  citation: Citation,
  spans: readonly TextSpan[],
  blocks: readonly Block[],
): { block: number; citation: Citation } | undefined {
  const { startIndex, endIndex, ...rest } = citation;
  const home = spans.find(
    ({ start, end }) =>
      startIndex !== undefined && endIndex !== undefined && startIndex >= start && endIndex <= end,
  );
  if (home !== undefined && startIndex !== undefined && endIndex !== undefined) {
    return {
      block: home.block,
      citation: { ...citation, startIndex: startIndex - home.start, endIndex: endIndex - home.start },
    };
  }
  const begins = spans.find(
    ({ start, end }) => startIndex !== undefined && startIndex >= start && startIndex < end,
  );
  const block = (
    begins ??
    spans.find((span) => holdsText(blocks[span.block], citation.citedText)) ??
    spans.at(-1)
  )?.block;
  return block === undefined ? undefined : { block, citation: rest };
}

function holdsText(block: Block | undefined, text: string | undefined): boolean {
  return block?.blockType === 'text' && text !== undefined && block.textContent.includes(text);
}
