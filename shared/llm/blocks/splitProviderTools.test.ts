import { describe, expect, it } from 'vitest';
import type { Block } from '../../core/schema/block.ts';
import { assistant, found, outline, result, search, text, thinking, use, user } from './blocks.fixture.ts';
import { splitProviderTools } from './splitProviderTools.ts';

const USED = 'I used the web_search tool to help answer your question.';
const FOUND = 'Tool results:\n\n1. [A](https://a.example)';

/** Blocks of one assistant message as Google gets them. */
function split(...blocks: Parameters<typeof assistant>): string[] {
  return outline(splitProviderTools([assistant(...blocks)], 'google'));
}

describe('which messages are split', () => {
  it('1.5 [M] only messages of the assistant', () => {
    const messages = [user(search('s1'), found('s1'))];
    expect(splitProviderTools(messages, 'google')).toEqual(messages);
  });

  it.each([
    ['run by us', { executionSide: 'server' }],
    ['run by the client', { executionSide: 'client' }],
    ['run by the target', { provider: 'google' }],
  ] as const)('1.5 [M] a call %s is left unchanged', (_, fields) => {
    const messages = [assistant(text('a'), search('s1', fields), text('b'))];
    expect(splitProviderTools(messages, 'google')).toEqual(messages);
  });

  it('1.5 [M] a call without side or without provider is left unchanged', () => {
    const messages = [
      assistant(use('u1', { provider: 'anthropic' }), use('u2', { executionSide: 'provider' })),
    ];
    expect(splitProviderTools(messages, 'google')).toEqual(messages);
  });

  it('1.3 [B] a web_search_use of another provider is retold, not refused or dropped', () => {
    const call: Block = {
      blockType: 'web_search_use',
      toolUseId: 's1',
      toolName: 'web_search',
      input: '{}',
      provider: 'anthropic',
    };
    expect(split(call, found('s1'))).toEqual([`a[${USED}]`, `u[${FOUND}]`]);
  });

  it('1.3 [M] a tool of the target whose raw data is broken is retold from its fields', () => {
    const broken = found('s1', { provider: 'google', providerData: '{"toolRe' });
    expect(split(search('s1', { provider: 'google' }), broken)).toEqual([`a[${USED}]`, `u[${FOUND}]`]);
  });
});

describe('the content of an exchange', () => {
  it('1.5 [M] text before stays before, the rest continues as the assistant', () => {
    expect(split(text('a'), search('s1'), found('s1'), text('b'))).toEqual([
      'a[a]',
      `a[${USED}]`,
      `u[${FOUND}]`,
      'a[b]',
    ]);
  });

  it('1.5 [M] a tool without name is called search', () => {
    expect(split(search('s1', { toolName: '' }), found('s1'))[0]).toBe(
      'a[I used the search tool to help answer your question.]',
    );
  });

  it('1.5 [M] no result at all', () => {
    expect(split(search('s1'))).toEqual([`a[${USED}]`, 'u[No results found.]']);
  });

  it('1.5 [M] an empty result text', () => {
    expect(split(search('s1'), text(''))[1]).toBe('u[Tool results:]');
  });

  it('1.5 [M] leading spaces of a result are kept, trailing ones trimmed', () => {
    expect(split(search('s1'), text('  a \n'))[1]).toBe('u[Tool results:\n\n  a]');
  });

  it('1.5 [M] of texts after a call only the one right after it is the result', () => {
    expect(split(search('s1'), text('found'), text('so'))).toEqual([
      `a[${USED}]`,
      'u[Tool results:\n\nfound]',
      'a[so]',
    ]);
  });

  it("a call of Google's takes no text for its result: the text is its answer", () => {
    const code = search('c1', { provider: 'google', toolName: 'code_execution' });
    expect(outline(splitProviderTools([assistant(code, text('So 42.'))], 'anthropic'))).toEqual([
      'a[I used the code_execution tool to help answer your question.]',
      'u[No results found.]',
      'a[So 42.]',
    ]);
  });

  it('1.5 [B] a result that is no text is described as numbered links with their age', () => {
    const results = [
      { title: 'A', url: 'https://a.example' },
      { title: 'B', url: 'https://b.example', pageAge: 'April 20, 2017' },
    ];
    expect(split(search('s1'), found('s1', { results }))[1]).toBe(
      'u[Tool results:\n\n1. [A](https://a.example)\n2. [B](https://b.example)\n   (Published: April 20, 2017)]',
    );
  });

  it('1.5 [B] a failed search is described by its error code', () => {
    const failed = result('s1', { textContent: '', isError: true, errorCode: 'max_uses_exceeded' });
    expect(split(search('s1'), failed)[1]).toBe('u[Tool results:\n\nError: max_uses_exceeded]');
  });
});

describe('which result belongs to a call', () => {
  it('1.5 [B] the one with its id, anywhere later in the message', () => {
    expect(split(search('s1'), text('a'), text('b'), found('s1'))).toEqual([
      `a[${USED}]`,
      `u[${FOUND}]`,
      'a[a | b]',
    ]);
  });

  it('1.5 [B] two adjacent tools get their own results', () => {
    const b = found('s2', { results: [{ title: 'B', url: 'https://b.example' }] });
    expect(split(search('s1'), search('s2'), b, found('s1'))).toEqual([
      `a[${USED}]`,
      `u[${FOUND}]`,
      `a[${USED}]`,
      'u[Tool results:\n\n1. [B](https://b.example)]',
    ]);
  });

  it('1.5 [B] a thought between call and result does not hide it', () => {
    expect(split(search('s1'), thinking('hm'), text('found'))).toEqual([
      `a[${USED}]`,
      'u[Tool results:\n\nfound]',
      'a[th:hm]',
    ]);
    expect(split(search('s1'), thinking('hm'), found('s1'))[1]).toBe(`u[${FOUND}]`);
  });

  it('1.5 [B] no orphan result is left', () => {
    const messages = splitProviderTools([assistant(found('s9'), text('a'))], 'google');
    expect(outline(messages)).toEqual([`a[${USED}]`, `u[${FOUND}]`, 'a[a]']);
  });

  it('calls that are still to be answered stand last, where their results follow', () => {
    expect(split(use('u1'), search('s1'), found('s1'), text('b'))).toEqual([
      `a[${USED}]`,
      `u[${FOUND}]`,
      'a[b | tool_use:u1]',
    ]);
  });
});

describe('grounding', () => {
  const sources = found('google_grounding_1', { provider: 'google' });
  const searched = 'a[I searched Google for information.]';

  it('1.4 [B] its result is left out for Google and sent to other providers', () => {
    const messages = [assistant(sources, text('Answer'))];
    expect(outline(splitProviderTools(messages, 'google'))).toEqual(['a[Answer]']);
    expect(outline(splitProviderTools(messages, 'anthropic'))).toEqual([
      searched,
      `u[${FOUND}]`,
      'a[Answer]',
    ]);
  });

  it("an empty search of Google's is described once, with the sources of the grounding", () => {
    const call = search('s1', { provider: 'google' });
    const empty = result('s1', { textContent: '', executionSide: 'provider', provider: 'google' });
    const messages = [assistant(call, empty, sources, text('Answer'))];
    expect(outline(splitProviderTools(messages, 'anthropic'))).toEqual([
      `a[${USED}]`,
      `u[${FOUND}]`,
      'a[Answer]',
    ]);
  });
});

it("a result of ours inside the message stays with the assistant's blocks", () => {
  expect(split(use('u1'), result('u1'), text('b'))).toEqual(['a[tool_use:u1 | tool_result:u1 | b]']);
});
