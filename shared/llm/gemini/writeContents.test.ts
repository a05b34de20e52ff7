import { describe, expect, it } from 'vitest';
import { assistant, found, result, search, text, thinking, use, user } from '../blocks/blocks.fixture.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import { fromWireName } from '../wireNames.ts';
import { collectChunks } from './collectStream.ts';
import { blocksFromGemini } from './readAnswer.ts';
import { DUMMY_SIGNATURE } from './replayableParts.ts';
import { STREAMS } from './streams.fixture.ts';
import { googleContents, googleParts } from './writeContents.ts';

const MODEL = 'gemini-3.8-flash';

function contents(messages: Parameters<typeof convertForProvider>[0], target: string | null = 'google') {
  return googleContents(convertForProvider(messages, target).messages, MODEL);
}

describe('blocks as parts of Gemini', () => {
  it.each([
    'thoughtsThenTextThenSignedEmptyText',
    'signedTextFirst',
    'parallelCallsInSeparateChunks',
    'serverSideTools',
  ] as const)('1.3 [M] %s comes back part for part', (name) => {
    const toolName = (wireName: string) => fromWireName(wireName, new Map());
    const answer = collectChunks(STREAMS[name], { callIdPrefix: 'c', toolName });
    const parts = blocksFromGemini(answer, { groundings: [], citations: [] })
      .filter((block) => !('results' in block))
      .flatMap((block) => googleParts(block, true));
    // A trailing empty text says nothing, and no arguments are empty ones.
    const sent = answer.parts.filter((part) => part.text !== '' || part.thoughtSignature !== undefined);
    const expected = sent.map((part) =>
      part.functionCall === undefined
        ? part
        : { ...part, functionCall: { args: {}, ...(part.functionCall as object) } },
    );
    expect(parts).toEqual(expected);
  });

  it('1.3 [M] a raw part goes back byte for byte', () => {
    const part = { executableCode: { language: 'PYTHON', code: '1', id: 'x' }, thoughtSignature: 'S' };
    const block = use('x', {
      executionSide: 'provider',
      provider: 'google',
      providerData: JSON.stringify(part),
    });
    expect(JSON.stringify(googleParts(block, true))).toBe(JSON.stringify([part]));
  });

  it('1.3 [M] with broken provider data code is made of its fields', () => {
    const fields = { toolName: 'code_execution', executionSide: 'provider', provider: 'google' } as const;
    const code = use('x', { ...fields, input: '{"language":"PYTHON","code":"1"}', providerData: '{"exec' });
    const output = result('x', { ...fields, textContent: '1\n', providerData: '{"code' });
    expect([code, output].flatMap((block) => googleParts(block, false))).toEqual([
      { executableCode: { language: 'PYTHON', code: '1' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
    ]);
  });

  it('1.2 [M] a thought of another provider is tagged text', () => {
    const block = thinking('x', { provider: 'anthropic', providerData: '{"signature":"S"}' });
    expect(contents([assistant(block)])).toEqual([
      { role: 'model', parts: [{ text: '<thinking>\nx\n</thinking>' }] },
    ]);
  });

  it('1.2 [M] an empty signed thought is sent natively', () => {
    const block = thinking('', { provider: 'google', providerData: '{"thought_signature":"S"}' });
    expect(googleParts(block, true)).toEqual([{ text: '', thought: true, thoughtSignature: 'S' }]);
  });

  it('1.4 [M] metadata of grounding is skipped on replay, the text is sent', () => {
    const answer = text('Hi', { provider: 'google', providerData: '{"grounding_metadata":{"a":1}}' });
    const sources = found('google_grounding_1', { provider: 'google' });
    expect(contents([assistant(sources, answer)])).toEqual([{ role: 'model', parts: [{ text: 'Hi' }] }]);
  });

  it('1.5 [M] responses of one turn stand together, as many as calls, with their ids', () => {
    const messages = [assistant(use('a'), use('b')), user(result('a')), user(result('b'), text('now?'))];
    const [, responses] = contents(messages);
    expect(responses?.parts).toEqual([
      { functionResponse: { id: 'a', name: 'k8s__logs', response: { output: 'log line' } } },
      { functionResponse: { id: 'b', name: 'k8s__logs', response: { output: 'log line' } } },
      { text: 'now?' },
    ]);
  });

  it('1.5 [M] in foreign turns the first call of each carries the dummy signature', () => {
    const turn = assistant(search('s1'), found('s1'), use('a'), use('b'), result('a'), result('b'), use('c'));
    const calls = contents([turn]).flatMap(({ parts }) => parts.filter((part) => 'functionCall' in part));
    expect(calls.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
      DUMMY_SIGNATURE,
      undefined,
      DUMMY_SIGNATURE,
    ]);
  });

  it('older models get neither ids nor dummies', () => {
    const { messages } = convertForProvider([assistant(use('a')), user(result('a'))], null);
    expect(JSON.stringify(googleContents(messages, 'gemini-2.5-pro'))).not.toMatch(/"id"|Signature/);
  });
});
