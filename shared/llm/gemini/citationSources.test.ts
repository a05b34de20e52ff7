import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { citationSchema } from '../../core/schema/block.ts';
import { answerOf } from '../blocks/blocks.fixture.ts';
import { readCitationSources } from './citationSources.ts';

const URI = 'https://a.example.com/x';
const TEXT = 'Größe: quoted words.';
const citations = (...citationSources: object[]) =>
  readCitationSources(answerOf([{ text: TEXT }], { citationMetadata: { citationSources } }));

describe('the sources of quoted words', () => {
  it('are citations with address, title and license, whose bytes become UTF-16 offsets', () => {
    const source = { startIndex: 9, endIndex: 15, uri: URI, title: 'A', license: 'mit' };
    expect(citations(source)).toEqual([
      {
        type: 'url_citation',
        url: URI,
        title: 'A (license: mit)',
        startIndex: 7,
        endIndex: 13,
        citedText: 'quoted',
      },
    ]);
  });

  it('start at 0 when the start is missing', () => {
    expect(citations({ endIndex: 7, uri: URI })).toEqual([
      { type: 'url_citation', url: URI, startIndex: 0, endIndex: 5, citedText: 'Größe' },
    ]);
  });

  it.each([
    ['end beyond the text', { startIndex: 9, endIndex: 99 }],
    ['end before they begin', { startIndex: 9, endIndex: 3 }],
    ['end where they begin', { startIndex: 9, endIndex: 9 }],
    ['are negative', { startIndex: -1, endIndex: 3 }],
    ['are missing', {}],
  ])('stay without offsets that %s', (_, offsets) => {
    expect(citations({ ...offsets, uri: URI })).toEqual([{ type: 'url_citation', url: URI }]);
  });

  it('can have only a license, but not nothing', () => {
    expect(citations({ license: 'mit' }, { endIndex: 3 })).toEqual([
      { type: 'url_citation', title: 'License: mit' },
    ]);
  });

  it('are 500 at most', () => {
    const sources = Array.from({ length: 501 }, (_, n) => ({ uri: `${URI}/${n}` }));
    expect(citations(...sources)).toHaveLength(500);
  });

  it('can be stored, whatever the JSON', () => {
    fc.assert(
      fc.property(
        fc.array(fc.object({ key: fc.constantFrom('startIndex', 'endIndex', 'uri', 'title') })),
        (sources) => {
          for (const citation of citations(...sources)) citationSchema.parse(citation);
        },
      ),
    );
  });
});
