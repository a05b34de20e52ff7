// The sources that an answer quotes at length (`citationMetadata`), as citations.

import type { Citation } from '../../core/schema/timelineEvent.ts';
import { cutText } from '../../text/cut.ts';
import { asText } from '../../text/json.ts';
import type { CollectedAnswer } from './collectStream.ts';
import { createUtf16Converter } from './utf8Offsets.ts';

/** More are left out, as for grounding: they stand in an event of the answer, which must fit a document. */
const MAX_CITATIONS = 500;
const MAX_QUOTE_CHARACTERS = 500;

/**
 * One citation per quoted source that has an address, a title or a license. Offsets come as UTF-8 bytes of
 * the visible text; those that do not lie in it are left out, and the citation stays. The license stands
 * behind the title.
 */
export function readCitationSources({
  text,
  citationSources,
}: Pick<CollectedAnswer, 'text' | 'citationSources'>): Citation[] {
  if (citationSources.length === 0) return [];
  const bytes = Buffer.byteLength(text);
  const offsetOf = createUtf16Converter(text);
  return citationSources.slice(0, MAX_CITATIONS).flatMap((source): Citation[] => {
    const url = asText(source.uri);
    const title = composeCitationTitle(asText(source.title), asText(source.license));
    if (url === undefined && title === undefined) return [];
    const { startIndex: start = 0, endIndex: end } = source;
    const place =
      isOffset(start) && isOffset(end) && start < end && end <= bytes ? { start, end } : undefined;
    return [
      {
        type: 'url_citation',
        ...(url !== undefined && { url }),
        ...(title !== undefined && { title }),
        ...(place !== undefined && quotedText(text, offsetOf(place.start), offsetOf(place.end))),
      },
    ];
  });
}

function quotedText(text: string, startIndex: number, endIndex: number) {
  const quote = cutText(text.slice(startIndex, endIndex), MAX_QUOTE_CHARACTERS, 'words');
  return { startIndex, endIndex, citedText: quote.toWellFormed() };
}

function composeCitationTitle(title = '', license = ''): string | undefined {
  if (license === '') return title || undefined;
  return title === '' ? `License: ${license}` : `${title} (license: ${license})`;
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
