// Markdown as a tree: where numbers of citations stand, names of tools, lead-ins.

import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import { placeMarks } from './citationMarks.ts';
import { splitAnalysisParts } from './leadInHeadings.ts';
import { listNodeChildren, parseEarly, parseMarkdown, plainText, plainWords } from './parse.ts';
import { linkTools } from './toolLinks.ts';

/** The text of a tree with its marks as `⟦1⟧`. */
function withMarks(node: Nodes): string {
  if (node.type === 'citationMark') return `⟦${node.number}⟧`;
  if ('children' in node) return listNodeChildren(node).map(withMarks).join('');
  return plainText(node);
}

const isOfWords = ({ type }: Nodes) =>
  ['paragraph', 'heading', 'tableCell', 'emphasis', 'strong'].includes(type);

function marked(source: string, cited: string): string {
  const tree = parseMarkdown(source);
  const left = placeMarks(tree, source, [{ number: 1, end: source.indexOf(cited) + cited.length }]);
  expect(left).toEqual([]);
  return withMarks(tree);
}

it('HTML is text, in a line and as a block, and its tags are kept', () => {
  const source = 'a <b title="x">c</b> <!-- d -->\n\n<script>\ne()\n</script>';
  const tree = parseMarkdown(source);
  expect(tree.children.map(({ type }) => type)).toEqual(['paragraph', 'paragraph']);
  expect(tree.children.map(plainText).join('\n\n')).toBe(source);
});

it('a text that was parsed early has a tree of its own for each caller', () => {
  const source = 'It **broke**';
  parseEarly(source);
  expect(plainText(parseMarkdown('Another'))).toBe('Another');
  parseEarly(source);
  const trees = [parseMarkdown(source), parseMarkdown(source)];
  expect(trees[0]).toEqual(trees[1]);
  expect(trees[0]).not.toBe(trees[1]);
});

describe('headings', () => {
  const depths = (source: string) =>
    parseMarkdown(source).children.flatMap((node) => (node.type === 'heading' ? [node.depth] : []));
  it.each<[string[], number[]]>([
    [
      ['# a', '## b', '### c', '## d'],
      [1, 2, 3, 2],
    ],
    [
      ['### a', '### b'],
      [1, 1],
    ],
    [
      ['### a', '# b', '#### c'],
      [1, 1, 2],
    ],
    [
      ['## a', '###### b', '### c'],
      [1, 2, 2],
    ],
  ])('of %j have depths without gaps', (lines, expected) => {
    expect(depths(lines.join('\n\n'))).toEqual(expected);
  });
});

describe('numbers of citations', () => {
  it('stand right after the cited words', () => {
    expect(marked('It fails since 14:05 UTC; again.', 'since 14:05 UTC')).toBe(
      'It fails since 14:05 UTC⟦1⟧; again.',
    );
  });
  it('count characters that the source has and the text has not: escapes, names of characters, indentation', () => {
    expect(marked('a \\* b &amp; c &#x3C; d, e', '&#x3C; d')).toBe('a * b & c < d⟦1⟧, e');
    expect(marked('- one two\n  three four', 'three')).toBe('one two\nthree⟦1⟧ four');
    expect(marked('&#128512; c, e', 'c')).toBe('😀 c⟦1⟧, e');
    expect(marked('a &#128512;&amp; c', '&#128512;')).toBe('a 😀⟦1⟧& c');
    expect(marked('&copy;&#38;&#x26; c, e & f', 'e &')).toBe('©&& c, e &⟦1⟧ f');
    expect(marked('- one\n  &amp; two', 'one\n ')).toBe('one\n⟦1⟧& two');
    expect(marked('> one\n> two three', 'two')).toBe('one\ntwo⟦1⟧ three');
  });
  it.each([
    ['One two. Three', [3, 7, 7], 'One⟦1⟧ two⟦2⟧⟦3⟧. Three'],
    ['One two', [7, 3], 'One⟦2⟧ two⟦1⟧'],
    ['One', [0], '⟦1⟧One'],
    ['# One\n\ntwo', [5, 10], 'One⟦1⟧two⟦2⟧'],
    ['**One** two', [7], 'One⟦1⟧ two'],
    ['a ![b](https://a.example) c', [4], 'a ⟦1⟧ c'],
    ['a ~~b~~ *c d* e', [10], 'a ~~b~~ c⟦1⟧ d e'],
    ['| a | b |\n|---|---|\n| c | d |', [3, 24], 'a⟦1⟧bc⟦2⟧d'],
    ['- a\n- b', [3, 7], 'a⟦1⟧b⟦2⟧'],
    ['| a | b |\n|---|---|\n| c | d |', [4], 'a⟦1⟧bcd'],
    ['# One #\n\ntwo', [7], 'One⟦1⟧two'],
    ['```\na\n```\n\nb', [5, 12], 'a⟦1⟧b⟦2⟧'],
  ])('stand in their order, in any block: %j', (source, ends, text) => {
    const tree = parseMarkdown(source);
    const left = placeMarks(
      tree,
      source,
      ends.map((end, index) => ({ number: index + 1, end })),
    );
    expect([left, withMarks(tree)]).toEqual([[], text]);
    let count = 0;
    const walk = (node: Nodes): void => {
      const children = listNodeChildren(node);
      if (node.type === 'text' && node.value === '') count++;
      // A number stands among words, not between blocks.
      if (!isOfWords(node)) count += children.filter(({ type }) => type === 'citationMark').length;
      children.forEach(walk);
    };
    walk(tree);
    expect(count).toBe(0);
  });
  it('that find no place are returned', () => {
    const left = placeMarks(parseMarkdown('a'), 'a', [
      { number: 2, end: 9 },
      { number: 1, end: 9 },
    ]);
    expect(left.map(({ number }) => number)).toEqual([1, 2]);
  });
  it('stand after code and links that the words end in', () => {
    expect(marked('see `kubectl get pods` now', 'kubectl get')).toBe('see kubectl get pods⟦1⟧ now');
    expect(marked('see [the page](https://a.example) now', 'the')).toBe('see the page⟦1⟧ now');
    expect(marked('see [**the** page](https://a.example) now', 'the')).toBe('see the page⟦1⟧ now');
  });
  it('stand within emphasis', () => {
    expect(marked('it is **very bad** now', 'very')).toBe('it is very⟦1⟧ bad now');
  });
  it('lose no character of any text, wherever they stand', () => {
    const words = fc.constantFrom(
      'word',
      'two words',
      '**bold**',
      '`code`',
      '[link](https://a.example)',
      '\\*',
      '&amp;',
      '\n',
      '- item',
      '😀',
    );
    const source = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(source, fc.array(fc.nat(120), { maxLength: 4 }), (text, ends) => {
        const tree = parseMarkdown(text);
        placeMarks(
          tree,
          text,
          ends.map((end, index) => ({ number: index + 1, end })),
        );
        expect(withMarks(tree).replace(/⟦\d⟧/g, '')).toBe(plainText(parseMarkdown(text)));
      }),
    );
  });
  it('stand right after any words of plain text', () => {
    const plain = fc.stringMatching(/^[a-z]{1,8}( [a-z😀]{1,8}){2,8}$/u);
    fc.assert(
      fc.property(plain, fc.nat(), (text, at) => {
        const ends = [...text.matchAll(/[^ ]+/gu)].map((word) => word.index + word[0].length);
        const end = ends[at % ends.length] ?? 0;
        const tree = parseMarkdown(text);
        placeMarks(tree, text, [{ number: 1, end }]);
        expect(withMarks(tree)).toBe(`${text.slice(0, end)}⟦1⟧${text.slice(end)}`);
      }),
    );
  });
});

describe('names of tools', () => {
  const link = (source: string): string[] => {
    const tree = parseMarkdown(source);
    linkTools(
      tree,
      new Map([
        ['get_logs', 'k.get_logs'],
        ['k.get_logs', 'k.get_logs'],
      ]),
    );
    const found: string[] = [];
    const walk = (node: Nodes): void => {
      if (node.type === 'toolLink') found.push(node.value);
      listNodeChildren(node).forEach(walk);
    };
    walk(tree);
    expect(plainText(tree)).toBe(plainText(parseMarkdown(source)));
    return found;
  };
  it('are links as exact words, with or without their server, also as code', () => {
    expect(link('get_logs (previous): k.get_logs and `get_logs`.')).toEqual([
      'get_logs',
      'k.get_logs',
      'get_logs',
    ]);
  });
  it('leave other texts whole, and code that is no tool', () => {
    const tree = parseMarkdown('a get_logs b `c` get_logs');
    linkTools(tree, new Map([['get_logs', 'k.get_logs']]));
    const [paragraph] = tree.children;
    const parts = paragraph
      ? listNodeChildren(paragraph).map((node) => `${node.type} ${plainText(node)}`)
      : [];
    expect(parts).toEqual([
      'text a ',
      'toolLink get_logs',
      'text  b ',
      'inlineCode c',
      'text  ',
      'toolLink get_logs',
    ]);
  });
  it('are none within other words or links', () => {
    expect(link('forget_logs get_logs_now [get_logs](https://a.example) x.get_logs')).toEqual([]);
  });
});

describe('words on one line', () => {
  it('are those of tables and of broken lines, and none of a rule', () => {
    expect(plainWords(parseMarkdown('| a | b |\n|---|---|\n| c | d |'))).toBe('a b c d');
    expect(plainWords(parseMarkdown('one  \ntwo'))).toBe('one two');
    expect(plainText(parseMarkdown('***'))).toBe('');
  });
  it('keep the words of blocks apart', () => {
    expect(plainWords(parseMarkdown('I read **this**:\n\n- its log\n- its release'))).toBe(
      'I read this: its log its release',
    );
    expect(plainWords(parseMarkdown('## What we know\nThere is a runbook.\n## Why?\nNo one knows.'))).toBe(
      'What we know: There is a runbook. Why? No one knows.',
    );
  });
});

describe('lead-ins', () => {
  const source =
    '**Root cause** (confidence: High): the cache grows.\n\n**Evidence**\n- one\n\n**Impact**: all pods.\n\nMore of it.';
  it('are titles of parts, and show how sure it is', () => {
    const { parts, confidence } = splitAnalysisParts(parseMarkdown(source));
    expect(confidence).toBe('high');
    expect(parts.map(({ title, nodes }) => [title, nodes.map((node) => plainText(node))])).toEqual([
      ['Root cause', ['the cache grows.']],
      ['Evidence', ['one']],
      ['Impact', ['all pods.', 'More of it.']],
    ]);
  });
  it('stand on lines under each other, and keep the lines between them', () => {
    const lines =
      '**Root cause** (low): the cache grows.\nIt never ends.  \n**Evidence**: one `a`\n**Next**\nWait.';
    const { parts, confidence } = splitAnalysisParts(parseMarkdown(lines));
    expect(confidence).toBe('low');
    expect(parts.map(({ title, nodes }) => [title, nodes.map((node) => plainText(node))])).toEqual([
      ['Root cause', ['the cache grows.\nIt never ends.']],
      ['Evidence', ['one a']],
      ['Next', ['Wait.']],
    ]);
  });
  it.each([
    [`**${'x'.repeat(40)}**: a`, 'x'.repeat(40), 'a'],
    [`**${'x'.repeat(41)}**: a`, '', `${'x'.repeat(41)}: a`],
    ['**Impact :** all', 'Impact', 'all'],
    ['**:Impact** all', '', ':Impact all'],
    ['**Impact** (high) all', 'Impact', 'all'],
    ['**Impact** – all', '', 'Impact – all'],
    ['**Impact** `a`', '', 'Impact a'],
    ['**Impact**: `a`', 'Impact', 'a'],
    ['**Impact**:', 'Impact', ''],
    ['**:** all', '', ': all'],
  ])('are short, and end in a colon or a confidence: %s', (text, title, rest) => {
    const { parts } = splitAnalysisParts(parseMarkdown(text));
    const words = parts.map((part) => [part.title, part.nodes.map((node) => plainText(node)).join('')]);
    expect(words).toEqual([[title, rest]]);
    expect(parts.flatMap(({ nodes }) => nodes).every((node) => plainText(node) !== '')).toBe(true);
  });
  it('are no headings, lists or quotes that begin in bold', () => {
    const { parts } = splitAnalysisParts(parseMarkdown('# **Impact**: all\n\n> **Cause**: one'));
    expect(parts.map(({ title, id }) => `${id} ${title}`)).toEqual(['part-0 ']);
    const { parts: two } = splitAnalysisParts(parseMarkdown('Before.\n\n**Impact**: all'));
    expect(two.map(({ title, id }) => `${id} ${title}`)).toEqual(['part-0 ', 'part-1 Impact']);
  });
  it('have the first confidence that is named', () => {
    const { confidence } = splitAnalysisParts(
      parseMarkdown('**Cause**: a\n**Why** (low): b\n**How** (high): c'),
    );
    expect(confidence).toBe('low');
  });
  it('are not required', () => {
    const { parts, confidence } = splitAnalysisParts(
      parseMarkdown('It **just** broke.\n\n**Bold** words begin this.'),
    );
    expect(confidence).toBeUndefined();
    expect(parts.map(({ title }) => title)).toEqual(['']);
  });
});
