import { describe, expect, it } from 'vitest';
import type { Block } from '../../core/schema/block.ts';
import { maskArguments } from '../maskData.ts';
import { createMasker } from '../masker.ts';
import { cleanBlock } from './cleanBlock.ts';

const SECRET = 'zebra-quartz-77';
const { mask } = createMasker({ known: [SECRET] });
const masked = (text: string) => mask(text).text;
const clean = (block: Block) => cleanBlock(block, { mask: masked, clean: masked }, masked);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a block without its secrets', () => {
  it('loses them in texts, names, ids and arguments', () => {
    const call = clean({ blockType: 'tool_use', toolUseId: SECRET, toolName: `a.${SECRET}`, input: '{}' });
    expect(call).toMatchObject({ toolUseId: '[masked:known]', toolName: 'a.[masked:known]' });
    expect(clean({ blockType: 'thinking', textContent: `with ${SECRET}` })).toEqual({
      blockType: 'thinking',
      textContent: 'with [masked:known]',
    });
  });

  it('loses them in the raw part of its provider, which stays JSON, and keeps its signature', () => {
    const part = { executableCode: { code: `login("${SECRET}")` }, thoughtSignature: base64(SECRET) };
    const block = clean({
      blockType: 'tool_use',
      toolUseId: 'c1',
      toolName: 'code_execution',
      input: '{}',
      executionSide: 'provider',
      providerData: JSON.stringify(part),
    });
    expect(JSON.parse(block.providerData ?? '')).toEqual({
      executableCode: { code: 'login("[masked:known]")' },
      thoughtSignature: base64(SECRET),
    });
  });

  it('keeps a raw part without one byte for byte', () => {
    const providerData = '{ "a": 1.0 }';
    const block: Block = { blockType: 'text', textContent: 'x', providerData };
    expect(clean(block)).toEqual(block);
  });

  it.each([{ data: base64(`token ${SECRET}`) }, { uri: `https://x.example/${SECRET}` }])(
    'is a text in the place of a file with one: %j',
    (file) => {
      const block = clean({ blockType: 'document', mimeType: 'text/plain', provider: 'google', ...file });
      expect(block).toEqual({
        blockType: 'text',
        textContent: '[a file of type text/plain, left out because it holds a secret]',
        provider: 'google',
      });
    },
  );
});

it('arguments are masked by the names of their keys, and inside their escapes', () => {
  const args = JSON.stringify({ password: 'tiger-9911', text: `\u001b[31mzebra\u001b[0m-quartz-77` });
  expect(JSON.parse(maskArguments(args, masked))).toEqual({
    password: '[masked:password]',
    text: expect.stringContaining('[masked:known]'),
  });
});

it('a value that is nested too deeply is masked as one text', () => {
  const nested = `${'['.repeat(500)}"${SECRET}"${']'.repeat(500)}`;
  expect(maskArguments(nested, masked)).toBe(nested.replace(SECRET, '[masked:known]'));
});
