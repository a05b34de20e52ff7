import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../../contract/llm.ts';
import type { Block } from '../../schema/block.ts';
import { textMessage } from '../../schema/textMessage.ts';
import { callTokens, embeddingTokens, firstCallTokens, textTokens } from './estimateTokens.ts';

/** Texts with their tokens, five times in a row, in the vocabularies o200k and cl100k of OpenAI. */
const MEASURED: Record<string, [text: string, o200k: number, cl100k: number]> = {
  English: [
    'The deployment was rolled back because memory usage grew until the container was killed. ',
    76,
    76,
  ],
  'a log line': [
    '2026-11-23T10:20:30.123456Z ERROR [http-nio-8080-exec-7] c.e.s.PaymentService - timeout after 30000ms id=7f3a9c2e-11bd-4c0e-9f57-aa01bb02cc03 ip=10.132.0.17\n',
    395,
    395,
  ],
  hexadecimal: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 ', 176, 176],
  Base64: [
    'TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieQ== qZx9Kv3Lm0Pw8RtYb2Nc7Hd5Gf1Sj4Ua6Eo ',
    356,
    406,
  ],
  'random letters': ['qzxkvj wprtnm xkcdzq vbhjkl pqwzxr mnbvcx ', 126, 126],
  Chinese: ['部署被回滚，因为内存使用量不断增长，直到容器被终止。', 95, 150],
  Japanese: [
    'メモリ使用量が増え続けてコンテナが強制終了されたため、デプロイはロールバックされました。',
    155,
    210,
  ],
  Korean: ['메모리 사용량이 계속 증가하여 컨테이너가 종료되었기 때문에 배포가 롤백되었습니다.', 135, 230],
  Russian: [
    'Развёртывание было отменено, потому что использование памяти росло, пока контейнер не был завершён.',
    120,
    205,
  ],
  Arabic: ['تم التراجع عن النشر لأن استخدام الذاكرة استمر في النمو حتى تم إنهاء الحاوية.', 115, 245],
  Hebrew: ['הפריסה בוטלה כי השימוש בזיכרון גדל עד שהמכולה נהרגה.', 115, 260],
  Thai: ['การปรับใช้ถูกย้อนกลับเนื่องจากการใช้หน่วยความจำเพิ่มขึ้นจนคอนเทนเนอร์ถูกยุติ', 145, 345],
  Hindi: [
    'परिनियोजन वापस ले लिया गया क्योंकि मेमोरी का उपयोग तब तक बढ़ता रहा जब तक कंटेनर बंद नहीं हो गया।',
    145,
    515,
  ],
  Georgian: ['განლაგება გაუქმდა, რადგან მეხსიერების გამოყენება იზრდებოდა.', 105, 555],
  Amharic: ['ማህደረ ትውስታ አጠቃቀም እያደገ ስለሄደ ማሰማራቱ ተመለሰ።', 340, 460],
  emoji: ['🔥🚀👩‍💻🏳️‍🌈💥🧯✅❌', 110, 155],
  'control characters and brackets': ['\\u0041\\n\\t"\\"\\\\x1b[31m<>{}[]();;;===>>>!!!???', 124, 124],
};

describe('the estimate of a text', () => {
  it.each(Object.entries(MEASURED))('is not below its tokens: %s', (_, [text, o200k, cl100k]) => {
    const five = text.repeat(5);
    expect(textTokens(five, 'openai')).toBeGreaterThanOrEqual(Math.max(o200k, cl100k));
    expect(textTokens(five, 'google')).toBeGreaterThanOrEqual(o200k * 0.94);
    expect(textTokens(five, 'google')).toBeLessThanOrEqual(o200k * 7);
  });

  it.each([
    [60, 70, ['A', 'Z', 'a', 'z']],
    [100, 100, ['!', '@', '[', '`', '{', '\x7f', '0', '9']],
    [50, 50, ['\0', '\n', ' ']],
    [100, 150, ['\x80', 'Ω', '\u07ff']],
    [150, 200, ['\u2e80', '\u9fff', '\uac00', '\ud7af', '\uf900', '\uffff', '\ud800', '\udfff']],
    [200, 300, ['\u0800', '\u2e7f', '\ua000', '\uabff', '\ud7b0', '\ud7ff', '\ue000', '\uf8ff']],
  ])(
    'is %i tokens of Gemini, and %i of others, for a hundred of one kind: %j',
    (gemini, other, characters) => {
      for (const character of characters) {
        const hundred = character.repeat(100);
        const code = character.charCodeAt(0).toString(16);
        expect([textTokens(hundred, 'google'), textTokens(hundred, 'openai')], code).toEqual([gemini, other]);
      }
    },
  );

  it('counts each digit, as Gemini does', () => {
    expect(textTokens('1234567890', 'google')).toBe(10);
  });
});

describe('the estimate of a call', () => {
  const model = { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true };
  const request: LlmRequest = { model, messages: [textMessage('user', 'Why?')], tools: [] };

  it('has the largest answer of the model, thoughts included, or the configured limit', () => {
    expect(callTokens(request).output).toBe(65_536);
    expect(callTokens({ ...request, model: { ...model, maxOutputTokens: 900 } }).output).toBe(900);
  });

  it('is the sum of frames, messages, tools, native tools and the schema', () => {
    const countInput = (more: Partial<LlmRequest>) => callTokens({ ...request, ...more }).input;
    const ten = textMessage('user', '0123456789');
    expect(countInput({ messages: [] })).toBe(10);
    expect(countInput({ messages: [ten, ten] })).toBe(30 + 2 * 13);
    const tools = [{ name: 'a.b', description: '', inputSchema: {}, readOnly: true }];
    const toolTokens = textTokens(JSON.stringify(tools), 'google');
    expect(countInput({ messages: [ten], tools })).toBe(30 + 13 + toolTokens);
    expect(countInput({ messages: [], nativeTools: ['google_search', 'url_context'] })).toBe(10 + 16_000);
    expect(countInput({ messages: [], responseSchema: { 1: 2 } })).toBe(10 + 7);
  });

  it.each<[string, Block, number]>([
    ['an image', { blockType: 'image', mimeType: 'image/png', data: 'A'.repeat(400) }, 4_000],
    ['a file', { blockType: 'document', mimeType: '', data: 'A'.repeat(400) }, 100],
    [
      'a text and its signature',
      { blockType: 'text', textContent: '0123', providerData: 'A'.repeat(400) },
      104,
    ],
    [
      'data that is text',
      { blockType: 'text', textContent: '', providerData: `${'A'.repeat(400)}{12}` },
      104,
    ],
    ['a number that is not sent', { blockType: 'text', textContent: '0123', sequence: 7 }, 4],
    [
      'a result with sources',
      {
        blockType: 'tool_result',
        toolUseId: '1',
        toolName: '2',
        isError: false,
        textContent: '0123',
        results: [{ title: '3', url: '4' }],
      },
      6 + Math.ceil((8 * 60 + 100 * (JSON.stringify([{ title: '3', url: '4' }]).length - 8)) / 100),
    ],
  ])('counts of a block what the model reads: %s', (_, block, tokens) => {
    // The kind of the block is a text, too.
    const kind = block.blockType === 'image' ? 0 : textTokens(block.blockType, 'google');
    const messages = [{ role: 'user' as const, blocks: [block] }];
    expect(callTokens({ ...request, messages }).input).toBe(20 + kind + tokens);
  });

  it('grows with everything that is sent: messages, tools, native tools, schema and the own form of an answer', () => {
    const { input } = callTokens(request);
    const text = 'x'.repeat(10_000);
    const tool = { name: 'a.b', description: text, inputSchema: {}, readOnly: true };
    const replay = { provider: 'google', model: 'm', data: JSON.stringify([{ text }]) };
    const larger: Partial<LlmRequest>[] = [
      { messages: [textMessage('user', text)] },
      { tools: [tool] },
      { nativeTools: ['google_search'] },
      { responseSchema: { description: text } },
      { messages: [{ role: 'assistant', blocks: [], replay }] },
    ];
    for (const one of larger) expect(callTokens({ ...request, ...one }).input).toBeGreaterThan(input + 2_000);
  });

  it('counts signatures as less than text, and Base64 in a tool result as text', () => {
    const signature = 'Q'.repeat(8_000);
    const data = JSON.stringify([{ thoughtSignature: signature }]);
    const replay = { provider: 'google', model: 'm', data };
    const signed = { role: 'assistant' as const, blocks: [], replay };
    expect(callTokens({ ...request, messages: [signed] }).input).toBeLessThan(2_100);
    const result = textMessage('user', signature);
    expect(callTokens({ ...request, messages: [result] }).input).toBeGreaterThan(4_000);
  });

  it('of a first call has the known texts before: instructions, text and answer', () => {
    const agent = { instructions: 'Look.', model };
    expect(firstCallTokens(agent, 'x'.repeat(1_000)) - firstCallTokens(agent, '')).toBe(600);
    expect(firstCallTokens(agent, '')).toBe(6_000 + 4 + 65_536);
  });

  it('of an embedding is at most the input limit of its model', () => {
    expect(embeddingTokens('Why?', 'google')).toBeLessThan(10);
    expect(embeddingTokens('x'.repeat(100_000), 'google')).toBe(2_048);
  });

  it('reads a message once, however many requests repeat it, for each vocabulary', () => {
    const whole = textMessage('user', 'Why? 重启');
    let reads = 0;
    const message = Object.defineProperty({ ...whole }, 'blocks', {
      get: () => {
        reads++;
        return whole.blocks;
      },
    });
    const inputFor = (provider: string): number => {
      const model = { provider, model: 'any', includeThoughts: false };
      return callTokens({ model, messages: [message], tools: [] } as unknown as LlmRequest).input;
    };
    const first = inputFor('google');
    expect([inputFor('google'), inputFor('google')]).toEqual([first, first]);
    expect(inputFor('openai')).toBeGreaterThan(first);
    expect(reads).toBe(2);
  });
});
