import { describe, expect, it } from 'vitest';
import { TerminalError } from '../../core/errors.ts';
import { geminiBackend } from './backend.ts';

describe('geminiBackend', () => {
  it.each([
    [{ GEMINI_API_KEY: 'a' }, { vertexai: false, apiVersion: 'v1beta', apiKey: 'a' }],
    [{ GEMINI_API_KEY: 'a', GOOGLE_API_KEY: 'b' }, { apiKey: 'b' }],
    [{ GEMINI_API_KEY: 'a', GOOGLE_GENAI_API_VERSION: 'v1' }, { apiVersion: 'v1' }],
    [
      { GEMINI_API_KEY: 'a', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' },
      { apiKey: 'a', baseUrl: 'http://127.0.0.1:1' },
    ],
    [{ GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' }, { apiKey: 'no-key' }],
    [
      { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p' },
      { vertexai: true, apiVersion: 'v1beta1', project: 'p', location: 'global' },
    ],
    [
      {
        GOOGLE_GENAI_USE_ENTERPRISE: '1',
        GOOGLE_CLOUD_PROJECT: 'p',
        GOOGLE_CLOUD_LOCATION: 'eu',
        GEMINI_API_KEY: 'a',
      },
      { vertexai: true, project: 'p', location: 'eu' },
    ],
    [
      { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_API_KEY: 'b' },
      { vertexai: true, apiKey: 'b' },
    ],
    [
      { GOOGLE_GENAI_USE_ENTERPRISE: 'false', GOOGLE_GENAI_USE_VERTEXAI: 'true', GEMINI_API_KEY: 'a' },
      { vertexai: false },
    ],
    [
      { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_GENAI_API_VERSION: 'beta' },
      { apiVersion: 'v1beta1' },
    ],
  ])('%j', (env, expected) => {
    expect(geminiBackend(env)).toMatchObject(expected);
  });

  it.each([
    [{}, 'GEMINI_API_KEY'],
    [{ GOOGLE_GEMINI_BASE_URL: 'https://generativelanguage.googleapis.com' }, 'GEMINI_API_KEY'],
    [{ GOOGLE_GENAI_USE_VERTEXAI: 'true' }, 'GOOGLE_CLOUD_PROJECT'],
  ])('%j lacks credentials, and the error names the variable to set', (env, variable) => {
    expect(() => geminiBackend(env)).toThrow(TerminalError);
    expect(() => geminiBackend(env)).toThrow(variable);
  });
});
