import { describe, expect, it } from 'vitest';
import { resultText } from './resultText.ts';

const base64 = Buffer.alloc(12_345).toString('base64');

describe('resultText', () => {
  it('joins texts by line breaks', () => {
    const content = [
      { type: 'text' as const, text: 'one' },
      { type: 'text' as const, text: 'two' },
    ];
    expect(resultText({ content })).toBe('one\ntwo');
  });

  it('stands in for content that is not text', () => {
    expect(
      resultText({
        content: [
          { type: 'image', data: base64, mimeType: 'image/png' },
          { type: 'audio', data: base64, mimeType: 'audio/wav' },
          { type: 'resource_link', name: 'log', title: 'Full log', uri: 'file:///log' },
          { type: 'resource_link', name: 'trace', uri: 'file:///trace' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
          { type: 'resource', resource: { uri: 'file:///b', blob: base64, mimeType: 'application/pdf' } },
          { type: 'resource', resource: { uri: 'file:///c', blob: '' } },
        ],
      }),
    ).toBe(
      [
        '[image/png, 12345 bytes]',
        '[audio/wav, 12345 bytes]',
        'Full log (file:///log)',
        'trace (file:///trace)',
        'inside',
        '[application/pdf, 12345 bytes]',
        '[application/octet-stream, 0 bytes]',
      ].join('\n'),
    );
  });

  it('uses structured content only when there is no text', () => {
    const structuredContent = { pods: 3 };
    expect(resultText({ content: [], structuredContent })).toBe('{"pods":3}');
    expect(resultText({ content: [{ type: 'text', text: 'three' }], structuredContent })).toBe('three');
    const image = { type: 'image' as const, data: '', mimeType: 'image/png' };
    expect(resultText({ content: [image], structuredContent })).toBe('[image/png, 0 bytes]\n{"pods":3}');
  });

  it('is never empty', () => {
    expect(resultText({ content: [] })).toBe('(no output)');
    expect(resultText({ content: [{ type: 'text', text: '' }] })).toBe('(no output)');
  });
});
