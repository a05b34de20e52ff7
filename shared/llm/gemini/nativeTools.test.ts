import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../../core/contract/llm.ts';
import { TerminalError } from '../../core/errors.ts';
import { toolSettings } from './nativeTools.ts';

const logs = { name: 'k8s.logs', description: '', inputSchema: {}, readOnly: true };
const both = { tools: [logs], nativeTools: ['google_search' as const, 'url_context' as const] };
const settings = (
  request: Partial<LlmRequest>,
  { model = 'gemini-3.8-flash', vertexai = false }: { model?: string; vertexai?: boolean } = {},
) =>
  toolSettings(
    { model: { provider: 'google', model, includeThoughts: true }, tools: [], ...request },
    vertexai,
  );

describe('a request', () => {
  it('without tools has no settings', () => {
    expect(settings({})).toEqual({});
    expect(settings({ nativeTools: [] })).toEqual({});
  });

  it('with native tools has one tool each, on Vertex AI and older models too', () => {
    const nativeTools: LlmRequest['nativeTools'] = ['google_search', 'code_execution', 'url_context'];
    const tools = [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }];
    expect(settings({ nativeTools })).toEqual({ tools });
    expect(settings({ nativeTools }, { model: 'gemini-2.5-flash', vertexai: true })).toEqual({ tools });
  });

  it('with both asks for the invocations, and for no function calling mode', () => {
    expect(settings(both)).toEqual({
      tools: [
        { googleSearch: {} },
        { urlContext: {} },
        { functionDeclarations: [expect.objectContaining({ name: 'k8s__logs' })] },
      ],
      toolConfig: { includeServerSideToolInvocations: true },
    });
  });

  it.each([
    ['before Gemini 3', { model: 'gemini-2.5-pro' }, /^gemini-2.5-pro cannot combine/],
    ['on Vertex AI', { vertexai: true }, /^gemini-3.8-flash on Vertex AI cannot combine/],
  ])('with both is refused %s, with the remedy', (_, where, message) => {
    const ask = () => settings(both, where);
    expect(ask).toThrow(TerminalError);
    expect(ask).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(ask).toThrow(message);
    expect(ask).toThrow('(google_search, url_context)');
    expect(ask).toThrow('combineNativeTools');
  });
});
