import { describe, expect, it } from 'vitest';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { classifyAnswer } from './classifyAnswer.ts';
import { collectChunks } from './collectStream.ts';

const TEXT = { text: 'Some text' };
const IMAGE = { inlineData: { mimeType: 'image/png', data: 'QUJD' } };
const CALL = { functionCall: { name: 'a__b', args: {} } };

function judge(...chunks: unknown[]) {
  const outcome = classifyAnswer(collectChunks(chunks, { callIdPrefix: 'call_' }));
  return 'error' in outcome
    ? { kind: outcome.kind, error: outcome.error, code: outcome.error.code }
    : outcome;
}
const ended = (finishReason: string, parts: unknown[] = []) => ({
  candidates: [{ content: { parts }, finishReason }],
});

describe('classifyAnswer', () => {
  it.each([
    ['STOP', [TEXT], 'ok'],
    ['STOP', [CALL], 'ok'],
    ['MAX_TOKENS', [TEXT], 'truncated'],
    ['MAX_TOKENS', [CALL], 'truncated'],
    ['CONTINUATION', [TEXT], 'truncated'],
    ['OTHER', [TEXT], 'flagged'],
    ['NEVER_SEEN', [TEXT], 'flagged'],
  ])('%s with %j is %s', (finishReason, parts, kind) => {
    expect(judge(ended(finishReason, parts))).toEqual({ kind });
  });

  it.each([
    ['STOP', [], 'empty', 'MODEL_EMPTY_ANSWER'],
    ['STOP', [{ text: ' \n' }], 'empty', 'MODEL_EMPTY_ANSWER'],
    ['STOP', [{ text: 'hm', thought: true }], 'empty', 'MODEL_EMPTY_ANSWER'],
    ['OTHER', [], 'empty', 'MODEL_EMPTY_ANSWER'],
    ['STOP', [{ executableCode: { code: 'plot()' } }, IMAGE], 'empty', 'MODEL_EMPTY_ANSWER'],
    ['STOP', [{ text: 'hm', thought: true }, IMAGE, { text: '' }], 'media_only', 'MODEL_EMPTY_ANSWER'],
    ['MAX_TOKENS', [IMAGE], 'media_only', 'MODEL_EMPTY_ANSWER'],
    ['MAX_TOKENS', [{ text: 'hm', thought: true }], 'max_tokens', 'MODEL_TRUNCATED'],
    ['MALFORMED_FUNCTION_CALL', [], 'malformed_call', 'MODEL_MALFORMED_CALL'],
    ['UNEXPECTED_TOOL_CALL', [CALL], 'unexpected_tool_call', 'MODEL_MALFORMED_CALL'],
    ['TOO_MANY_TOOL_CALLS', [CALL], 'unexpected_tool_call', 'MODEL_MALFORMED_CALL'],
    ['OTHER', [TEXT, CALL], 'malformed_call', 'MODEL_MALFORMED_CALL'],
    ['SOMETHING_NEW', [CALL], 'malformed_call', 'MODEL_MALFORMED_CALL'],
  ])('%s with %j is a failure worth another try: %s', (finishReason, parts, kind, code) => {
    const outcome = judge(ended(finishReason, parts));
    expect(outcome).toMatchObject({ kind, code, error: expect.any(RetryableError) });
  });

  it.each([
    ['UNEXPECTED_TOOL_CALL', [TEXT, CALL]],
    ['TOO_MANY_TOOL_CALLS', [TEXT, CALL]],
    ['MALFORMED_FUNCTION_CALL', [TEXT]],
    ['OTHER', [TEXT, CALL]],
  ])('where no tool is bound, the text beside a faulty call is the answer: %s', (finishReason, parts) => {
    const judged = (...texts: unknown[]) =>
      classifyAnswer(collectChunks([ended(finishReason, texts)], { callIdPrefix: 'call_' }), {
        mayCall: false,
      }).kind;
    expect(judged(...parts)).toBe('flagged');
    expect(judged(CALL)).toMatch(/call/);
  });

  it.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'BLOCKLIST', 'LANGUAGE', 'MODEL_ARMOR'])(
    '%s is terminal and named, also after text',
    (finishReason) => {
      const outcome = judge(ended('STOP', [TEXT]), { candidates: [{ finishReason }] });
      expect(outcome).toMatchObject({
        kind: 'refused',
        code: 'MODEL_BLOCKED',
        error: expect.any(TerminalError),
      });
      expect('error' in outcome && outcome.error.message).toContain(`${finishReason} after 9 characters`);
    },
  );

  it('a refused prompt is terminal, with its reason', () => {
    const outcome = judge({ promptFeedback: { blockReason: 'MODEL_ARMOR' } });
    expect(outcome).toMatchObject({ kind: 'blocked', code: 'MODEL_BLOCKED' });
    expect('error' in outcome && outcome.error.message).toContain('MODEL_ARMOR');
  });

  it('no chunk at all is empty', () => {
    expect(judge()).toMatchObject({ kind: 'empty', code: 'MODEL_EMPTY_ANSWER' });
  });

  it('messages with only images and files are named by their types', () => {
    const file = { fileData: { mimeType: 'application/pdf', fileUri: 'gs://a/b' } };
    const outcome = judge(ended('STOP', [IMAGE, IMAGE, file]));
    expect('error' in outcome && outcome.error.message).toContain(
      'only images or files (image/png, application/pdf)',
    );
  });

  it('an image beside text is no failure', () => {
    expect(judge(ended('STOP', [TEXT, IMAGE]))).toEqual({ kind: 'ok' });
  });

  it('text without a finish reason is cut', () => {
    expect(judge({ candidates: [{ content: { parts: [TEXT] } }] })).toMatchObject({
      kind: 'cut',
      code: 'MODEL_STREAM_CUT',
    });
  });

  it('names the tool that was not offered', () => {
    const outcome = judge(ended('UNEXPECTED_TOOL_CALL', [CALL]));
    expect('error' in outcome && outcome.error.message).toContain('"a__b"');
  });

  it('quotes a malformed call, within limits', () => {
    const finishMessage = `Malformed function call: print(${'x'.repeat(5_000)})`;
    const outcome = judge({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }] });
    const message = 'error' in outcome ? outcome.error.message : '';
    expect(message).toContain('print(xxx');
    expect(message.length).toBeLessThan(700);
  });
});

it.each(['SAFETY', 'MALFORMED_FUNCTION_CALL'])(
  'takes secrets out of the words of a provider before they are cut: %s',
  (finishReason) => {
    const finishMessage = `${'x'.repeat(490)} zebra-quartz-77-lantern`;
    const chunk = { candidates: [{ content: { parts: [] }, finishReason, finishMessage }] };
    const outcome = classifyAnswer(collectChunks([chunk], { callIdPrefix: 'call_' }), {
      mask: (text) => text.replace('zebra-quartz-77-lantern', '[masked]'),
    });
    expect('error' in outcome ? outcome.error.message : '').not.toContain('zebra');
  },
);
