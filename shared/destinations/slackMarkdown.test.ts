import fc from 'fast-check';
import { expect, it } from 'vitest';
import { richElements } from './slackMarkdown.ts';

/** The texts of elements, each with its style or its kind. */
const shown = (markdown: string) =>
  richElements(markdown, 3_000, { styles: 60 }).flatMap(({ type, elements }) =>
    (elements as { text: string; style?: object }[]).map(
      ({ text, style }) =>
        `${type === 'rich_text_preformatted' ? 'pre' : Object.keys(style ?? {}).join()}|${text}`,
    ),
  );

it('shows headings and strong text in bold, code as code, and the rest as it is written', () => {
  const text =
    '## Cause\nThe **disk** of `db-1`.\n- see [here](https://evil.example) <!channel>\n```\n**a**\n```\nEnd *x*';
  expect(shown(text)).toEqual([
    'bold|Cause',
    '|\nThe ',
    'bold|disk',
    '| of ',
    'code|db-1',
    '|.\n• see [here](https://evil.example) <!channel>',
    'pre|**a**',
    '|End *x*',
  ]);
});

it('has no empty text, no markup, and never more characters than the text', () => {
  const part = fc.constantFrom('**', '`', '```\n', '# ', '\n', '- ', '*', 'a', '<@U1>', '~~~\n', ' ');
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 60 }).map((parts) => parts.join('')),
      (text) => {
        const texts = richElements(text, 10, { styles: 20 }).flatMap(
          ({ elements }) => elements as { type: string; text: string }[],
        );
        expect(texts.filter((one) => one.text === '' || one.text.length > 10 || one.type !== 'text')).toEqual(
          [],
        );
        expect(texts.reduce((sum, one) => sum + one.text.length, 0)).toBeLessThanOrEqual(text.length);
      },
    ),
  );
});

it('leaves text as it is written when no styles are left', () => {
  const text = '**a** `b`\n# d\n```\ne\n```';
  const textsOf = (styles: number) =>
    richElements(text, 3_000, { styles }).flatMap(({ elements }) =>
      (elements as { text: string }[]).map((one) => one.text),
    );
  expect(textsOf(0)).toEqual([text]);
  expect(textsOf(2)).toEqual(['a', ' `b`\n# d', 'e']);
});
