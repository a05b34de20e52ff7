import { describe, expect, it } from 'vitest';
import { readMessages } from './readMessages.ts';

function readBlock(block: object) {
  return readMessages([
    { role: 'user', blocks: [] },
    { role: 'assistant', blocks: [{ block_type: 'text', text_content: 'a' }, block] },
  ])[1]?.blocks[1];
}

const call = { tool_use_id: 't1', tool_name: 'k8s.logs', input: { pod: 'api' } };

describe('messages from outside', () => {
  it('1.1 [M] the snake_case form is read field by field', () => {
    const block = {
      block_type: 'tool_use',
      sequence: 0,
      text_content: null,
      content: call,
      execution_side: 'provider',
      provider: 'gemini',
      provider_data: { a: 1 },
      citations: [{ type: 'url_citation', url: 'u', title: 't', start_index: 0, result_index: 0 }],
    };
    expect(readBlock(block)).toEqual({
      blockType: 'tool_use',
      sequence: 0,
      toolUseId: 't1',
      toolName: 'k8s.logs',
      input: '{"pod":"api"}',
      executionSide: 'provider',
      provider: 'google',
      providerData: '{"a":1}',
      citations: [{ type: 'url_citation', url: 'u', title: 't', startIndex: 0, resultIndex: 0 }],
    });
  });

  it('our own form is read as it is', () => {
    const block = { blockType: 'text', textContent: 'Hi' };
    expect(readBlock(block)).toEqual(block);
  });

  it.each(['tool_use_id', 'tool_name', 'input'])(
    '1.6 [M] a call without %s is an error that names the place',
    (key) => {
      const content = { ...call, [key]: undefined };
      expect(() => readBlock({ block_type: 'tool_use', content })).toThrow(
        `message 1, block 1: tool_use block missing ${key}`,
      );
    },
  );

  it('1.6 [M] a call without content is an error that names the place', () => {
    expect(() => readBlock({ block_type: 'tool_use' })).toThrow(
      'message 1, block 1: tool_use block missing content',
    );
  });

  it('1.6 [M] a null input is sent as null', () => {
    expect(readBlock({ block_type: 'tool_use', content: { ...call, input: null } })).toMatchObject({
      input: 'null',
    });
  });

  it('1.2 [M] a thinking block without text is an error', () => {
    expect(() => readBlock({ block_type: 'thinking', text_content: null })).toThrow(
      'message 1, block 1: thinking block missing text_content',
    );
  });

  it('1.6 [M] an unknown role is an error', () => {
    expect(() => readMessages([{ role: 'wizard', blocks: [] }])).toThrow('message 0: unknown role "wizard"');
  });

  it('1.6 [B] a result that is no string is kept as JSON', () => {
    const content = { tool_use_id: 't1', result: { rows: [[1]] } };
    expect(readBlock({ block_type: 'tool_result', content })).toMatchObject({ result: '{"rows":[[1]]}' });
  });

  it('1.3 [C] web_search_result is read as a tool_result of web_search', () => {
    const content = { tool_use_id: 't1', results: [{ title: 'A', url: 'u', page_age: 'May' }] };
    expect(readBlock({ block_type: 'web_search_result', content })).toEqual({
      blockType: 'tool_result',
      toolUseId: 't1',
      toolName: 'web_search',
      isError: false,
      textContent: '',
      results: [{ title: 'A', url: 'u', pageAge: 'May' }],
    });
  });

  it.each([
    ['no list', {}, 'messages must be a list'],
    ['blocks that are no list', [{ role: 'user' }], 'message 0: blocks must be a list'],
    [
      'an unknown block type',
      [{ role: 'user', blocks: [{ block_type: 'video' }] }],
      'message 0, block 0: blockType',
    ],
    ['a block that is no object', [{ role: 'user', blocks: [7] }], 'message 0, block 0: blockType'],
  ])('%s is an error', (_, input, message) => {
    expect(() => readMessages(input)).toThrow(message);
  });
});
