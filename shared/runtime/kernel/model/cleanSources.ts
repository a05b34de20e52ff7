// What an answer rests on (searches, pages, citations) without secrets and hidden characters.

import type { Grounding, LlmResponse } from '../../../contract/llm.ts';
import type { rangeMover } from '../../../text/moveRange.ts';

/** Takes secrets out of a text and counts them; `clean` makes it visible, too. */
export interface TextCleaner {
  mask(text: string): string;
  clean(text: string): string;
}

/** Fields that say where a piece stands, and those that hold text of others. */
interface Cited {
  url?: string | undefined;
  title?: string | undefined;
  citedText?: string | undefined;
  snippet?: string | undefined;
}

/** A citation with its texts cleaned. Its offsets are the caller's. */
export function cleanCitation<C extends Cited>(citation: C, { clean }: TextCleaner): C {
  const fields = ['url', 'title', 'citedText', 'snippet'] as const;
  const cleaned = fields.flatMap((field) => {
    const text = citation[field];
    return text === undefined ? [] : [[field, clean(text)]];
  });
  return { ...citation, ...Object.fromEntries(cleaned) };
}

/** @param answer.move gives a citation or a support its offsets in the cleaned text of the answer. */
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
