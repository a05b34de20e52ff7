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
  });
  it('stand after code and links that the words end in', () => {
    expect(marked('see `kubectl get pods` now', 'kubectl get')).toBe('see kubectl get pods⟦1⟧ now');
    expect(marked('see [the page](https://a.example) now', 'the')).toBe('see the page⟦1⟧ now');
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
  it('are none within other words or links', () => {
    expect(link('forget_logs get_logs_now [get_logs](https://a.example) x.get_logs')).toEqual([]);
  });
});

describe('words on one line', () => {
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
  it('are not required', () => {
    const { parts, confidence } = splitAnalysisParts(
      parseMarkdown('It **just** broke.\n\n**Bold** words begin this.'),
    );
    expect(confidence).toBeUndefined();
    expect(parts.map(({ title }) => title)).toEqual(['']);
  });
});
