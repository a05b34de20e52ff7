import { expect, it } from 'vitest';
import { composeQuestion } from '../../api/foreignClients/composeQuestion.ts';
import { completionRequestSchema, lastMessageFault, listMessages, structuredForm } from './request.ts';

const parse = (fields: object) =>
  completionRequestSchema.parse({ messages: [{ role: 'user', content: 'What is it?' }], ...fields });
const read = (messages: object[]) => parse({ messages });
const text = (type: string, value?: string) => ({ type, ...(value !== undefined && { text: value }) });

it.each<[string, object[], string]>([
  ['one message', [{ role: 'user', content: ' What is it? ' }], 'What is it?'],
  ['parts', [{ role: 'user', content: [text('text', 'a'), text('input_text', 'b'), text('text')] }], 'a\nb'],
  [
    'earlier messages, without results of tools and empty ones',
    [
      { role: 'system', content: ' Be brief. ' },
      { role: 'developer', content: [text('text', 'Be kind.')] },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null },
      { role: 'assistant', content: 'Hello' },
      { role: 'tool', content: 'result' },
      { role: 'function', content: 'result' },
      { role: 'user', content: 'What is it?' },
    ],
    'What was said before, oldest first:\n\nInstructions: Be brief.\n\nInstructions: Be kind.\n\nUser: Hi\n\nAssistant: Hello\n\nThe question now:\n\nWhat is it?',
  ],
  [
    'no question',
    [
      { role: 'user', content: 'Hi' },
      { role: 'user', content: ' ' },
    ],
    '',
  ],
])('a question is composed of %s', (_, messages, question) => {
  expect(composeQuestion(listMessages(read(messages)), false)).toBe(question);
});

it('name and profile of the user stand before the question, cut, and other metadata is not read', () => {
  const metadata = {
    user_name: 'Ada\n# Rules',
    user_profile: `Speaks French.${'x'.repeat(3_000)}`,
    team: 'shop',
  };
  const asked = composeQuestion(listMessages(parse({ metadata })), false);
  expect(asked).toMatch(
    /^The user, as the client describes them:\n\nAda # Rules\nSpeaks French\.x{1986}\n\nThe question now:\n\nWhat is it\?$/,
  );
  expect(composeQuestion(listMessages(parse({ metadata })), true)).toBe('What is it?');
  for (const none of [{ user_name: 5, user_profile: [' '] }, { user_name: ' ' }, 'x', null])
    expect(composeQuestion(listMessages(parse({ metadata: none })), false)).toBe('What is it?');
});

it('earlier messages are left out where the session has them', () => {
  const messages = ['a', 'b'].map((content) => ({ role: 'user', content }));
  expect(composeQuestion(listMessages(read(messages)), true)).toBe('b');
});

it.each<[object, string | undefined]>([
  [{ role: 'user', content: 'x' }, undefined],
  [{ role: 'user' }, undefined],
  [{ role: 'user', content: [text('text'), text('input_text'), text('output_text')] }, undefined],
  [
    { role: 'user', content: [text('text', 'x'), text('image_url'), text('file')] },
    'agents read text only; write the question as text, without parts of type image_url',
  ],
  [{ role: 'assistant', content: 'x' }, 'the last message must have the role user'],
])('the last message %j is a question, or has a fault', (message, fault) => {
  expect(lastMessageFault(read([{ role: 'tool', content: 'x' }, message]))).toBe(fault);
});

it.each([
  [undefined, null],
  [null, null],
  [{ type: 'text' }, false],
  [{ type: 'json_object' }, true],
  [{ type: 'json_schema', json_schema: {} }, true],
])('the format %j asks for a structured answer: %s', (response_format, expected) => {
  expect(structuredForm(parse({ response_format }))).toBe(expected);
});

it('settings that are unset in any form are accepted', () => {
  const unset = { max_tokens: null, stop: [], n: 1, tools: [], functions: undefined, temperature: 2 };
  expect(parse(unset)).toMatchObject({ model: 'inquest', n: 1 });
  expect(parse({ n: null }).n).toBeNull();
});
