import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../../core/contract/llm.ts';
import { geminiRequest } from './request.ts';

const request = (overrides: Partial<LlmRequest> = {}): LlmRequest => ({
  model: { provider: 'google', model: 'gemini-2.5-flash', includeThoughts: true },
  messages: [{ role: 'user', blocks: [{ blockType: 'text', textContent: 'Look.' }] }],
  tools: [],
  ...overrides,
});

describe('a request to Gemini', () => {
  it('has the temperature of its model, also 0, and none without one', () => {
    const model = { ...request().model, temperature: 0 };
    expect(geminiRequest(request({ model })).config).toMatchObject({ temperature: 0 });
    expect(geminiRequest(request()).config).not.toHaveProperty('temperature');
  });

  it('whose conversation ends with an answer of the model is refused before it is sent', () => {
    const { messages } = request();
    const said = {
      role: 'assistant' as const,
      blocks: [{ blockType: 'text' as const, textContent: 'Yes.' }],
    };
    expect(() => geminiRequest(request({ messages: [...messages, said] }))).toThrow(
      expect.objectContaining({
        code: 'MODEL_BAD_REQUEST',
        message: expect.stringContaining('ends with an answer of the model'),
      }),
    );
  });

  it('asks for JSON in the form of its schema, and for text without one', () => {
    const responseSchema = { type: 'object', properties: { answer: { type: 'string', pattern: 'x' } } };
    expect(geminiRequest(request({ responseSchema })).config).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { answer: { type: 'string' } } },
    });
    expect(geminiRequest(request()).config).not.toHaveProperty('responseMimeType');
  });
});
