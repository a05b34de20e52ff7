import { describe, expect, it } from 'vitest';
import { assistant, found, outline, result, search, text, thinking, use, user } from './blocks.fixture.ts';
import { answerToolCalls, mergeConsecutiveSameRole, splitMessagesAtToolResults } from './turns.ts';

describe('splitting at tool results', () => {
  it('1.5 [M] every result becomes a user message of its own', () => {
    const message = assistant(thinking('1'), use('a'), result('a'), thinking('2'), use('b'), result('b'));
    expect(outline(splitMessagesAtToolResults([message]))).toEqual([
      'a[th:1 | tool_use:a]',
      'u[tool_result:a]',
      'a[th:2 | tool_use:b]',
      'u[tool_result:b]',
    ]);
  });

  it('1.5 [M] a message with only results leaves no assistant message', () => {
    expect(outline(splitMessagesAtToolResults([assistant(result('a'))]))).toEqual(['u[tool_result:a]']);
  });

  it('1.5 [M] parallel calls and their results are one turn, interleaved ones are several', () => {
    const parallel = assistant(use('a'), use('b'), result('a'), result('b'));
    const interleaved = assistant(use('a'), result('a'), use('b'), result('b'));
    const turns = (message: typeof parallel) =>
      outline(mergeConsecutiveSameRole(splitMessagesAtToolResults([message])));
    expect(turns(parallel)).toEqual(['a[tool_use:a | tool_use:b]', 'u[tool_result:a | tool_result:b]']);
    expect(turns(interleaved)).toHaveLength(4);
  });

  it('results of tools the target ran itself are part of its answer', () => {
    const messages = [assistant(search('s1'), found('s1'), text('a'))];
    expect(splitMessagesAtToolResults(messages, 'anthropic')).toEqual(messages);
  });

  it('messages of users are left unchanged', () => {
    expect(splitMessagesAtToolResults([user(result('a'), text('b'))])).toEqual([
      user(result('a'), text('b')),
    ]);
  });
});

describe('merging', () => {
  it('1.5 [M] u u a a u becomes three messages', () => {
    const messages = [
      user(text('1')),
      user(text('2')),
      assistant(text('3')),
      assistant(text('4')),
      user(text('5')),
    ];
    expect(outline(mergeConsecutiveSameRole(messages))).toEqual(['u[1 | 2]', 'a[3 | 4]', 'u[5]']);
  });

  it('1.5 [M] a result and the new text of the user become one message', () => {
    expect(outline(mergeConsecutiveSameRole([user(result('a')), user(text('and?'))]))).toEqual([
      'u[tool_result:a | and?]',
    ]);
  });

  it('1.5 [M] the input lists are neither shared nor changed', () => {
    const messages = [user(text('1')), user(text('2'))];
    const merged = mergeConsecutiveSameRole(messages);
    merged[0]?.blocks.push(text('3'));
    expect(outline(messages)).toEqual(['u[1]', 'u[2]']);
  });
});

describe('calls and results', () => {
  it('1.5 [M] there are as many results as calls, together, first and in call order', () => {
    const messages = [assistant(use('a'), use('b')), user(text('hello'), result('b'), result('a'))];
    expect(outline(answerToolCalls(messages))).toEqual([
      'a[tool_use:a | tool_use:b]',
      'u[tool_result:a | tool_result:b | hello]',
    ]);
  });

  it('a call without an answer gets an error, also at the end', () => {
    const messages = answerToolCalls([assistant(use('a')), user(text('go on')), assistant(use('b'))]);
    expect(outline(messages)).toEqual([
      'a[tool_use:a]',
      'u[tool_result:a | go on]',
      'a[tool_use:b]',
      'u[tool_result:b]',
    ]);
    expect(messages[1]?.blocks[0]).toMatchObject({ isError: true });
  });

  it('a result without a call before it becomes text', () => {
    expect(outline(answerToolCalls([user(result('a'))]))).toEqual(['u[Result of k8s.logs:\nlog line]']);
  });
});
