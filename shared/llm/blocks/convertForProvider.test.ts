import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../core/schema/block.ts';
import { assistant, found, outline, result, search, text, thinking, use, user } from './blocks.fixture.ts';
import { convertForProvider } from './convertForProvider.ts';
import type { PortableMessage } from './portableMessage.ts';

const S = '{"thought_signature":"S"}';

describe('a conversation for another provider', () => {
  it('a search of another provider becomes an exchange inside alternating turns', () => {
    const messages = [user(text('Q')), assistant(search('s1'), found('s1'), text('A'))];
    expect(outline(convertForProvider(messages, 'google').messages)).toEqual([
      'u[Q]',
      'a[I used the web_search tool to help answer your question.]',
      'u[Tool results:\n\n1. [A](https://a.example)]',
      'a[A]',
    ]);
  });

  it('1.3 [M] the provider that ran a tool gets it back untouched', () => {
    const message = assistant(search('s1', { providerData: '{"type":"server_tool_use"}' }), found('s1'));
    expect(convertForProvider([message], 'anthropic').messages).toMatchObject([message]);
  });

  it("1.2 [M] an Anthropic thought becomes tagged text for Google, and Google's own stays", () => {
    const foreign = thinking('x', { provider: 'anthropic', providerData: '{"signature":"S"}' });
    const own = thinking('y', { provider: 'google', providerData: S });
    expect(outline(convertForProvider([assistant(foreign, own)], 'google').messages)).toEqual([
      'a[<thinking>\nx\n</thinking> | th:y]',
    ]);
  });

  it('1.2 [M] no signature, raw data or data of a citation leaves its provider', () => {
    const citations = [{ type: 'web_search_result' as const, url: 'u', providerData: '{"encrypted":"S"}' }];
    const message = assistant(
      text('a', { provider: 'google', providerData: S, citations }),
      use('t1', { provider: 'google', providerData: S }),
      search('s1', { provider: 'google', providerData: '{"toolCall":{"id":"S"}}' }),
    );
    expect(JSON.stringify(convertForProvider([message], 'anthropic').messages)).not.toMatch(/S[\\"]/);
  });

  it('another family of the same provider is given nothing of it either', () => {
    const message = assistant(
      thinking('x', { provider: 'google', providerData: S }),
      use('t1', { provider: 'google', providerData: S }),
    );
    expect(JSON.stringify(convertForProvider([message], null).messages)).not.toContain('signature');
  });

  it('messages of tools are the user’s, those of the system come first', () => {
    const messages: PortableMessage[] = [
      user(text('Q')),
      { role: 'system', blocks: [text('Be brief.')] },
      assistant(use('t1')),
      { role: 'tool', blocks: [result('t1')] },
    ];
    expect(outline(convertForProvider(messages, null).messages)).toEqual([
      's[Be brief.]',
      'u[Q]',
      'a[tool_use:t1]',
      'u[tool_result:t1]',
    ]);
  });

  it('1.6 [M] ids are sanitised for others, and left to Google as they are', () => {
    const messages = [assistant(use('c:1')), user(result('c:1'))];
    expect(outline(convertForProvider(messages, 'anthropic').messages)).toEqual([
      'a[tool_use:c_1]',
      'u[tool_result:c_1]',
    ]);
    expect(outline(convertForProvider(messages, 'google').messages)[0]).toBe('a[tool_use:c:1]');
  });

  it('a call of ours before a tool of the provider is still answered by its result', () => {
    const messages = [assistant(use('u1'), search('s1'), found('s1'), text('so far')), user(result('u1'))];
    expect(outline(convertForProvider(messages, 'google').messages).slice(-2)).toEqual([
      'a[so far | tool_use:u1]',
      'u[tool_result:u1]',
    ]);
  });

  it('1.6 [M] a file that cannot be passed on leaves a note in its place and in the log', () => {
    const message = user({ blockType: 'image', mimeType: 'image/png', title: 'graph' });
    const { messages, notes } = convertForProvider([message], 'anthropic');
    expect(outline(messages)).toEqual(['u[[image image/png: graph]]']);
    expect(notes).toEqual([expect.stringContaining('image/png')]);
  });

  it('1.6 [M] files with content are passed on', () => {
    const message = user({ blockType: 'document', mimeType: 'text/plain', data: 'AAAA' });
    expect(convertForProvider([message], null)).toMatchObject({ messages: [message], notes: [] });
  });
});

describe('any conversation', () => {
  const id = fc.constantFrom('a', 'b', 'c:1', 'c.1');
  const marker = fc.integer({ min: 1000, max: 9999 }).map((number) => `<${number}>`);
  const provider = fc.constantFrom('google', 'anthropic', undefined);
  const providerData = fc.constantFrom(S, '{"signature":"S"}', '{"broken', undefined);
  const side = fc.constantFrom('provider' as const, 'server' as const, undefined);
  const common = fc
    .record({ provider, providerData, executionSide: side })
    .map((fields) => JSON.parse(JSON.stringify(fields)) as object);
  const block: fc.Arbitrary<Block> = fc.oneof(
    fc.tuple(marker, common).map(([words, fields]) => text(words, fields)),
    fc.tuple(marker, common).map(([words, fields]) => thinking(words, fields)),
    fc.tuple(id, common).map(([toolUseId, fields]) => use(toolUseId, fields)),
    fc
      .tuple(id, marker, common)
      .map(([toolUseId, textContent, fields]) => result(toolUseId, { textContent, ...fields })),
  );
  const message: fc.Arbitrary<PortableMessage> = fc.oneof(
    fc.array(block).map((blocks): PortableMessage => ({ role: 'assistant', blocks })),
    fc.array(block).map((blocks): PortableMessage => ({ role: 'user', blocks })),
  );
  const conversation = fc.array(message, { maxLength: 6 });
  const target = fc.constantFrom('google', 'anthropic', 'openai', null);

  const convert = (messages: PortableMessage[], to: string | null) =>
    convertForProvider(messages, to).messages;
  const words = (messages: readonly PortableMessage[]) =>
    [...JSON.stringify(messages).matchAll(/<\d{4}>/g)].map(String).sort();

  it('loses no text and repeats none', () => {
    fc.assert(
      fc.property(conversation, target, (messages, to) => {
        expect(words(convert(messages, to))).toEqual(words(messages));
      }),
    );
  });

  it('is not changed by the conversion', () => {
    fc.assert(
      fc.property(conversation, target, (messages, to) => {
        const before = structuredClone(messages);
        for (const { blocks } of convert(messages, to)) blocks.length = 0;
        expect(messages).toEqual(before);
      }),
    );
  });

  it('comes out with speakers in turn and no empty message', () => {
    fc.assert(
      fc.property(conversation, target, (messages, to) => {
        const converted = convert(messages, to);
        converted.forEach(({ role, blocks }, index) => {
          expect(role).not.toBe(converted[index - 1]?.role);
          expect(blocks).not.toHaveLength(0);
        });
      }),
    );
  });

  it('comes out with every call answered in the next message, and no other result', () => {
    const idsOf = (one: PortableMessage | undefined, blockType: string) =>
      (one?.blocks ?? []).flatMap((each) =>
        'toolUseId' in each && each.blockType === blockType && each.executionSide !== 'provider'
          ? [each.toolUseId]
          : [],
      );
    const spoken = fc.array(message, { maxLength: 6 }).map((messages) =>
      messages.map(({ role, blocks }) => ({
        role,
        // Users call no tools.
        blocks: role === 'user' ? blocks.filter(({ blockType }) => blockType !== 'tool_use') : blocks,
      })),
    );
    fc.assert(
      fc.property(spoken, (messages) => {
        const converted = convert(messages, 'openai');
        converted.forEach((one, index) => {
          expect(idsOf(one, 'tool_result')).toEqual(idsOf(converted[index - 1], 'tool_use'));
        });
      }),
    );
  });

  it('is the same when it is converted again', () => {
    fc.assert(
      fc.property(conversation, target, (messages, to) => {
        const once = convert(messages, to);
        expect(convert(once, to)).toEqual(once);
      }),
    );
  });
});
