// Masks secrets and makes hidden characters visible in the sources of an answer: searches, pages, citations.

import type { Grounding, LlmResponse } from '../../core/contract/llm.ts';
import type { rangeMover } from '../../text/moveRange.ts';

/** Masks and counts the secrets of a text; `clean` also makes hidden characters visible. */
export interface TextCleaner {
  /** The text with marks in place of secrets. */
  mask(text: string): string;
  /** As `mask`, with hidden characters made visible. */
  clean(text: string): string;
}

/** Fields with the location of a source, and fields with text of others. */
interface Cited {
  /** Absolute URL of the source. */
  url?: string | undefined;
  /** Title of the source. */
  title?: string | undefined;
  /** The quoted part of the source. */
  citedText?: string | undefined;
  /** A part of the source that a search showed. */
  snippet?: string | undefined;
}

/** A citation with its texts cleaned. The caller moves its offsets. */
export function cleanCitation<C extends Cited>(citation: C, { clean }: TextCleaner): C {
  const fields = ['url', 'title', 'citedText', 'snippet'] as const;
  const cleaned = fields.flatMap((field) => {
    const text = citation[field];
    return text === undefined ? [] : [[field, clean(text)]];
  });
  return { ...citation, ...Object.fromEntries(cleaned) };
}

/** @param answer.move sets the offsets of a citation or a support in the cleaned text of the answer. */
export function cleanSources(
  {
    groundings,
    citations,
    move,
  }: Pick<LlmResponse, 'groundings' | 'citations'> & { move: ReturnType<typeof rangeMover> },
  cleaner: TextCleaner,
): Pick<LlmResponse, 'groundings' | 'citations'> {
  const { clean } = cleaner;
  const cleanGrounding = (grounding: Grounding): Grounding => ({
    ...grounding,
    queries: grounding.queries.map(clean),
    sources: grounding.sources.map((source) => ({
      ...source,
      uri: clean(source.uri),
      title: clean(source.title),
    })),
    supports: grounding.supports.map((support) => move({ ...support, text: clean(support.text) })),
    statuses: grounding.statuses.map(({ uri, status }) => ({ uri: clean(uri), status: clean(status) })),
    citations: grounding.citations.map((citation) => move(cleanCitation(citation, cleaner))),
  });
  return {
    groundings: groundings.map(cleanGrounding),
    citations: citations.map((citation) => move(cleanCitation(citation, cleaner))),
  };
}
