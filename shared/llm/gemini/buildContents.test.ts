import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { Block } from '../../core/schema/message.ts';
import { fromWireName } from '../wireNames.ts';
import { buildContents } from './buildContents.ts';
import { collectChunks } from './collectStream.ts';
import type { GeminiPart } from './content.ts';
import { finishAnswer } from './finishAnswer.ts';
import { readReplay } from './replay.ts';
import { DUMMY_SIGNATURE } from './replayableParts.ts';
import { STREAMS } from './streams.fixture.ts';

const MODEL = 'gemini-3.8-flash';
const text = (textContent: string): Block => ({ blockType: 'text', textContent });
const use = (toolUseId: string, toolName = 'k8s.logs', input = '{}'): Block => ({
  blockType: 'tool_use',
  toolUseId,
  toolName,
  input,
});
const user = (...texts: string[]): ConversationMessage => ({ role: 'user', blocks: texts.map(text) });
const result = (toolUseId: string, textContent = 'done', isError = false): ConversationMessage => ({
  role: 'tool',
  blocks: [{ blockType: 'tool_result', toolUseId, toolName: 'k8s.logs', isError, textContent }],
});

/** An assistant message as the runtime stores an answer. */
function answered(chunks: unknown[], model = MODEL): ConversationMessage {
  const toolName = (wireName: string) => fromWireName(wireName, new Map());
  const collected = collectChunks(chunks, { callIdPrefix: 'call_', toolName });
  const { blocks, replay } = finishAnswer(collected, { model, truncated: false });
  return { role: 'assistant', blocks, ...(replay !== undefined && { replay }) };
}
const partsOf = ({ replay }: ConversationMessage): readonly GeminiPart[] =>
  replay === undefined ? [] : readReplay(replay);
const build = (messages: ConversationMessage[], options = {}) =>
  buildContents(messages, { model: MODEL, ...options }).contents;

describe('text', () => {
  it('joins all system messages into the instruction', () => {
    const system: ConversationMessage = { role: 'system', blocks: [text('One.')] };
    expect(buildContents([system, user('Hi'), system], { model: MODEL })).toEqual({
      systemInstruction: 'One.\n\nOne.',
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    });
  });

  it('makes one content of adjacent user messages', () => {
    expect(build([user('a'), user('b', 'c')])).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
    ]);
  });

  it('leaves out blank texts', () => {
    expect(build([user('a', ' ', ''), { role: 'assistant', blocks: [text('')] }])).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
    ]);
  });

  it('replaces halves of surrogate pairs, which Gemini refuses', () => {
    expect(build([user('a\ud800')])[0]?.parts).toEqual([{ text: 'a\ufffd' }]);
  });

  it('refuses a conversation without anything to answer', () => {
    expect(() => build([{ role: 'system', blocks: [text('x')] }])).toThrow(/no message/);
  });
});

describe('replay to the same family', () => {
  const recorded = Object.entries(STREAMS).filter(([name]) => name !== 'textBetweenCalls');
  it.each(recorded)('%s goes back part by part', (_, chunks) => {
    const message = answered(chunks);
    expect(build([user('go'), message])[1]).toEqual({ role: 'model', parts: partsOf(message) });
  });

  it('a first call without signature gets the dummy on Gemini 3', () => {
    const contents = build([user('go'), answered(STREAMS.textBetweenCalls)]);
    expect(contents[1]?.parts.map((part) => part.thoughtSignature)).toEqual([
      undefined,
      DUMMY_SIGNATURE,
      undefined,
      undefined,
    ]);
  });

  it('a first call without signature stays as it is on 2.5', () => {
    const message = answered(STREAMS.textBetweenCalls, 'gemini-2.5-pro');
    expect(build([user('go'), message], { model: 'gemini-2.5-flash' })[1]?.parts).toEqual(partsOf(message));
  });

  it('does not change the parts it was given', () => {
    const message = answered(STREAMS.textBetweenCalls);
    const before = structuredClone(message);
    build([user('go'), message], { repairSignatures: true });
    expect(message).toEqual(before);
  });

  it('leaves out parts of server-side tools where the SDK refuses them', () => {
    const contents = build([user('go'), answered(STREAMS.serverSideTools)], { withoutServerToolParts: true });
    expect(contents[1]?.parts).toHaveLength(1);
  });
});

describe('replay of foreign history', () => {
  it.each([
    ['of another family', 'gemini-2.5-pro', {}],
    ['that is to be repaired', MODEL, { repairSignatures: true }],
  ])('%s loses its signatures and gets the dummy on the first call', (_, model, options) => {
    const contents = build([user('go'), answered(STREAMS.callsWithoutIds, model)], options);
    expect(contents[1]?.parts.map((part) => part.thoughtSignature)).toEqual([DUMMY_SIGNATURE, undefined]);
  });

  const foreign = (parts: unknown[], candidate = {}) =>
    build([user('go'), answered([{ candidates: [{ content: { parts }, ...candidate }] }], 'gemini-2.5-pro')]);

  it('1.2 [M] sends thoughts of another family as tagged text, and leaves out empty texts', () => {
    const message = answered(STREAMS.thoughtsThenTextThenSignedEmptyText, 'gemini-2.5-pro');
    expect(build([user('go'), message])[1]?.parts).toEqual([
      { text: '<thinking>\nThe pod was OOM-killed…\n</thinking>' },
      { text: 'Speicher von „zürich-01“ ist erschöpft 🔥.' },
    ]);
  });

  it('1.5 [M] sends a search of another family, with its sources, as an exchange of texts', () => {
    const search = { id: 't1', toolType: 'GOOGLE_SEARCH_WEB' };
    const contents = foreign(
      [
        { toolCall: { ...search, args: { queries: ['oom'] } }, thoughtSignature: 'dDE=' },
        { toolResponse: { ...search, response: { search_suggestions: '<a>' } }, thoughtSignature: 'dDI=' },
        { text: 'It is known.' },
      ],
      { groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }] } },
    );
    expect(contents.slice(1)).toEqual([
      { role: 'model', parts: [{ text: 'I used the web_search tool to help answer your question.' }] },
      { role: 'user', parts: [{ text: 'Tool results:\n\n1. [A](https://a.example)' }] },
      { role: 'model', parts: [{ text: 'It is known.' }] },
    ]);
  });

  it.each(Object.entries(STREAMS))(
    '%s of another family is sent without signatures, our ids or parts of others',
    (_, chunks) => {
      const message = answered(chunks, 'gemini-2.5-pro');
      const parts = build([user('go'), message, user('And?')]).flatMap((content) => content.parts);
      const kinds = new Set(parts.flatMap((part) => Object.keys(part)));
      expect(
        [...kinds].filter((kind) => !/^(text|functionCall|functionResponse|thoughtSignature)$/.test(kind)),
      ).toEqual([]);
      const signatures = parts.flatMap((part) => part.thoughtSignature ?? []);
      expect(signatures.filter((signature) => signature !== DUMMY_SIGNATURE)).toEqual([]);
      expect(JSON.stringify(parts)).not.toContain('"call_');
      const count = (key: string) => parts.filter((part) => key in part).length;
      expect(count('functionResponse')).toBe(count('functionCall'));
    },
  );

  it('keeps the order of its results, and the ids the provider gave', () => {
    const message = answered(STREAMS.parallelCallsInSeparateChunks, 'gemini-2.5-pro');
    const contents = build([user('go'), message, result('fc-2', 'two'), result('fc-1', 'one'), user('And?')]);
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user']);
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { id: 'fc-1', name: 'k8s__logs', response: { output: 'one' } } },
      { functionResponse: { id: 'fc-2', name: 'k8s__events', response: { output: 'two' } } },
    ]);
  });

  it('carries no id of ours, on either side', () => {
    const message = answered(STREAMS.callsWithoutIds, 'gemini-2.5-pro');
    const contents = build([user('go'), message, result('call_1', 'two'), result('call_0', 'one')]);
    expect(contents[1]?.parts.map(({ functionCall }) => functionCall)).toEqual([
      { name: 'k8s__logs', args: { pod: 'api' } },
      { name: 'k8s__logs', args: { pod: 'web' } },
    ]);
    expect(contents[2]?.parts.map(({ functionResponse }) => functionResponse)).toEqual([
      { name: 'k8s__logs', response: { output: 'one' } },
      { name: 'k8s__logs', response: { output: 'two' } },
    ]);
  });

  it('leaves answers of the same family beside it as they came', () => {
    const own = answered(STREAMS.parallelCallsInSeparateChunks);
    const other = answered(STREAMS.callsWithoutIds, 'gemini-2.5-pro');
    const results = [result('fc-1'), result('fc-2')];
    const contents = build([user('go'), other, result('call_0'), result('call_1'), own, ...results, other]);
    expect(contents.map(({ role }) => role)).toEqual([
      'user',
      'model',
      'user',
      'model',
      'user',
      'model',
      'user',
    ]);
    expect(contents[3]?.parts).toEqual(partsOf(own));
  });

  it('of another provider is sent without its own fields, and its replay is not read', () => {
    const { blocks } = answered(STREAMS.signedTextFirst);
    const replay = { provider: 'another', model: MODEL, data: 'no JSON' };
    expect(build([user('go'), { role: 'assistant', blocks, replay }])[1]?.parts).toEqual([
      { text: 'Step one. Step two.' },
    ]);
  });

  it('1.2 [M] without parts keeps the signatures of its blocks, until they are to be repaired', () => {
    const providerData = '{"thought_signature":"S"}';
    const block: Block = { blockType: 'thinking', textContent: 'hm', provider: 'google', providerData };
    const messages: ConversationMessage[] = [user('go'), { role: 'assistant', blocks: [block] }];
    expect(build(messages)[1]?.parts).toEqual([{ text: 'hm', thought: true, thoughtSignature: 'S' }]);
    expect(build(messages, { repairSignatures: true })[1]?.parts).toEqual([
      { text: '<thinking>\nhm\n</thinking>' },
    ]);
  });

  it('with only parts is read from them', () => {
    const message = { ...answered(STREAMS.codeExecution, 'gemini-2.5-pro'), blocks: [] };
    expect(build([user('go'), message]).slice(1)).toEqual([
      { role: 'model', parts: [{ text: 'I used the code_execution tool to help answer your question.' }] },
      { role: 'user', parts: [{ text: 'Tool results:\n\n1' }] },
      { role: 'model', parts: [{ text: 'It is 1.' }] },
    ]);
  });

  it('without parts is built from its blocks, arguments that are no object wrapped', () => {
    const blocks: Block[] = [
      { blockType: 'thinking', textContent: 'hm' },
      text('Look:'),
      use('u1', 'k8s.logs', '[1]'),
    ];
    expect(build([user('go'), { role: 'assistant', blocks }, result('u1')]).slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { text: '<thinking>\nhm\n</thinking>' },
          { text: 'Look:' },
          {
            functionCall: { id: 'u1', name: 'k8s__logs', args: { input: [1] } },
            thoughtSignature: DUMMY_SIGNATURE,
          },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'u1', name: 'k8s__logs', response: { output: 'done' } } }],
      },
    ]);
  });

  it('carries no signatures and no ids to models that do not know them', () => {
    const message: ConversationMessage = { role: 'assistant', blocks: [use('u1')] };
    const contents = build([user('go'), message, result('u1')], { model: 'gemini-2.5-pro' });
    expect(contents[1]?.parts).toEqual([{ functionCall: { name: 'k8s__logs', args: {} } }]);
    expect(contents[2]?.parts[0]?.functionResponse).not.toHaveProperty('id');
  });
});

describe('stored parts that cannot be read', () => {
  const message = (data: string): ConversationMessage => ({
    role: 'assistant',
    blocks: [text('Hi')],
    replay: { provider: 'google', model: MODEL, data },
  });

  it.each([
    ['are no JSON', '[{"text":'],
    ['are no list', '{"text":"Hi"}'],
    ['are no list of objects', '["Hi"]'],
  ])('because they %s are a damaged document, named', (_, data) => {
    expect(() => build([user('go'), message(data)])).toThrow(
      expect.objectContaining({
        code: 'DOCUMENT_INVALID',
        message: expect.stringContaining(`stored parts of an answer of ${MODEL}`),
      }),
    );
  });

  it('do no harm where they are not needed', () => {
    const contents = build([user('go'), message('[{"text":')], { model: 'gemini-2.5-pro' });
    expect(contents[1]?.parts).toEqual([{ text: 'Hi' }]);
  });

  it('that are none leave the answer to its blocks', () => {
    expect(build([user('go'), message('[]')])[1]?.parts).toEqual([{ text: 'Hi' }]);
  });
});

describe('results', () => {
  const responses = (messages: ConversationMessage[]) =>
    build([user('go'), ...messages])[2]?.parts.map((part) => part.functionResponse);

  it('go back together, in call order, with the ids of the provider', () => {
    const messages = [
      answered(STREAMS.parallelCallsInSeparateChunks),
      result('fc-2', 'two'),
      result('fc-1', 'one'),
    ];
    expect(responses(messages)).toEqual([
      { id: 'fc-1', name: 'k8s__logs', response: { output: 'one' } },
      { id: 'fc-2', name: 'k8s__events', response: { output: 'two' } },
    ]);
  });

  it('carry no id of ours', () => {
    const messages = [answered(STREAMS.callsWithoutIds), result('call_1', 'two'), result('call_0', 'one')];
    expect(responses(messages)).toEqual([
      { name: 'k8s__logs', response: { output: 'one' } },
      { name: 'k8s__logs', response: { output: 'two' } },
    ]);
  });

  it('distinguish errors, and stay text when they are JSON', () => {
    const messages = [
      answered(STREAMS.callsWithoutIds),
      result('call_0', '{"id":12345678901234567890}'),
      result('call_1', 'no such pod', true),
    ];
    expect(responses(messages)?.map((one) => (one as { response: object }).response)).toEqual([
      { output: '{"id":12345678901234567890}' },
      { error: 'no such pod' },
    ]);
  });

  it.each([
    ['at the end', []],
    ['before the user speaks', [user('And?')]],
  ])('that are missing %s become errors, so that the counts agree', (_, rest) => {
    const answers = responses([answered(STREAMS.callsWithoutIds), result('call_1'), ...rest]);
    expect(answers).toMatchObject([
      { response: { error: expect.stringContaining('no result') } },
      { response: { output: 'done' } },
    ]);
  });

  it("come before the user's next message, in a content of their own", () => {
    const contents = build([
      user('go'),
      answered(STREAMS.callsWithoutIds),
      result('call_0'),
      result('call_1'),
      user('And?'),
    ]);
    expect(contents.map((one) => one.role)).toEqual(['user', 'model', 'user', 'user']);
    expect(contents[3]?.parts).toEqual([{ text: 'And?' }]);
  });

  it('without a call become text', () => {
    expect(build([user('go'), result('lost', 'found')])).toEqual([
      { role: 'user', parts: [{ text: 'go' }, { text: 'Result of k8s.logs:\nfound' }] },
    ]);
  });

  it('are not asked for calls the provider ran itself', () => {
    const contents = build([user('go'), answered(STREAMS.callsRunByTheProvider), user('And?')]);
    expect(contents[2]?.parts).toEqual([{ text: 'And?' }]);
  });
});
