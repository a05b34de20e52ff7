import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_FULL, randomRuns } from '../../../test/support/fullTests.ts';
import { runInThread } from '../../../test/support/runInThread.ts';
import { parseActionArguments } from './actionInput.ts';
import { parseConclusion } from './conclusion.ts';
import { parseReactAnswer } from './parseAnswer.ts';

const lines = (...all: string[]): string => all.join('\n');
const call = (text: string): [action: string, input: string] | string => {
  const { hasAction, action, actionInput, errorMessage } = parseReactAnswer(text);
  return hasAction ? [action, actionInput] : `no action: ${errorMessage}`;
};
const final = (text: string): string => {
  const { isFinalAnswer, finalAnswer, errorMessage } = parseReactAnswer(text);
  return isFinalAnswer ? finalAnswer : `no final answer: ${errorMessage}`;
};
const thought = (text: string): string => parseReactAnswer(text).thought;

describe('rule 1: sections start at the start of a trimmed line', () => {
  it('reads a call', () => {
    expect(
      parseReactAnswer(
        'Thought: I need the pods.\nAction: kubernetes.get_pods\nAction Input: {"ns": "shop"}',
      ),
    ).toEqual({
      thought: 'I need the pods.',
      action: 'kubernetes.get_pods',
      actionInput: '{"ns": "shop"}',
      finalAnswer: '',
      hasAction: true,
      isFinalAnswer: false,
      isUnknownTool: false,
      isMalformed: false,
      errorMessage: '',
      foundSections: { thought: true, action: true, actionInput: true, finalAnswer: false },
    });
  });

  it('reads a final answer', () => {
    expect(
      parseReactAnswer('Thought: Enough.\nFinal Answer: Out of memory.\n\n- one\n  - two\n'),
    ).toMatchObject({
      thought: 'Enough.',
      finalAnswer: 'Out of memory.\n\n- one\n  - two',
      hasAction: false,
      isFinalAnswer: true,
      isMalformed: false,
      foundSections: { thought: true, action: false, actionInput: false, finalAnswer: true },
    });
  });

  it.each([
    ['CRLF', 'Thought: Go.\r\nAction: a.b\r\nAction Input: {}\r\n'],
    ['indentation', '   Thought: Go.\n\tAction: a.b\n  Action Input: {}'],
    ['values on the next line', 'Thought:\nGo.\nAction:\na.b\nAction Input:\n{}'],
    ['no space behind the colon', 'Thought:Go.\nAction:a.b\nAction Input:{}'],
    ['blank lines', '\nThought: Go.\n\n\nAction: a.b\n\nAction Input: {}\n\n'],
    ['a thought without a colon, alone on its line', 'Thought\nGo.\nAction: a.b\nAction Input: {}'],
    ['text before the first section', 'Sure, I look.\nThought: Go.\nAction: a.b\nAction Input: {}'],
    ['bold headers', '**Thought:** Go.\n**Action:** a.b\n**Action Input:** {}'],
    ['bold names', '**Thought**: Go.\n**Action**: a.b\n**Action Input**: {}'],
    ['bold lines', '**Thought: Go.**\n**Action: a.b**\n**Action Input: {}**'],
    ['headings', '## Thought: Go.\n### Action: a.b\n### Action Input: {}'],
    ['bold headings', '### **Thought:**\nGo.\n### **Action:** a.b\n### **Action Input:**\n{}'],
    ['a heading that is a bare thought', '### **Thought**\nGo.\nAction: a.b\nAction Input: {}'],
    ['code and underscores', '__Thought:__ Go.\n`Action:` `a.b`\n_Action Input:_ {}'],
  ])('takes %s', (_, text) => {
    expect(parseReactAnswer(text)).toMatchObject({ thought: 'Go.', action: 'a.b', actionInput: '{}' });
  });

  it.each([
    'thought: x\naction: a.b\nfinal answer: y',
    'THOUGHT: x\nFINAL ANSWER: y',
    'Thought : x\nFinal Answer : y',
    'Final  Answer: y',
    'Thought about it, and done',
    'Thoughts: x',
  ])('takes case and colon exactly: %j has no section', (text) => {
    expect(parseReactAnswer(text).foundSections).toEqual({
      thought: false,
      action: false,
      actionInput: false,
      finalAnswer: false,
    });
  });

  it('takes a line that starts with "Thought about" as text of the thought', () => {
    const text = 'Thought\nA crash loop.\nThought about it.\nAction: a.b\nAction Input: {}';
    expect(thought(text)).toBe('A crash loop.\nThought about it.');
  });

  it('keeps markdown that belongs to a final answer', () => {
    expect(final('**Final Answer:** **Root cause**: memory\n\n**Fix**: more')).toBe(
      '**Root cause**: memory\n\n**Fix**: more',
    );
    expect(final('Final Answer: **Root cause** is **memory**')).toBe('**Root cause** is **memory**');
  });
});

describe('rule 2: the first one wins', () => {
  it('an action before a final answer', () => {
    const text = 'Action: a.b\nAction Input: {}\nFinal Answer: Done.';
    expect(parseReactAnswer(text)).toMatchObject({
      hasAction: true,
      action: 'a.b',
      actionInput: '{}',
      isFinalAnswer: false,
      finalAnswer: 'Done.',
    });
  });

  it.each([
    'Done.\nAction: a.b\nAction Input: {}',
    'Done.\n\nThought: I check.\nAction: a.b\nAction Input: {}\nObservation: fine\nFinal Answer: No.',
    'The log says:\nAction: k8s.delete_pod\nAction Input: {"pod": "web"}',
    'None of the pods runs.\nAction: a.b\nAction Input: {}',
    '\n\nDone.\n  Action: a.b\n  Action Input: {}',
    '- one\n- two\nAction: a.b\nAction Input: {}',
    '```\nAction: a.b\nAction Input: {}\n```\nAction: a.b\nAction Input: {}',
  ])('a final answer that has text before an action, which is its text: %j', (answer) => {
    expect(final(`Thought: Enough.\nFinal Answer: ${answer}`)).toBe(answer.trim());
    expect(thought(`Thought: Enough.\nFinal Answer: ${answer}`)).toBe('Enough.');
  });

  it('a final answer between an action and its input', () => {
    expect(final('Action: a.b\nFinal Answer: Done.\nAction Input: {}')).toBe('Done.\nAction Input: {}');
  });

  it.each([
    '',
    ' ',
    'None',
    'none yet',
    'N/A',
    'n/a.',
    '-',
    'null',
    '(none)',
    '`None`',
    '**None yet.**',
    'Not yet',
    'not available yet',
    'No final answer yet.',
    'Pending',
    'TBD',
    'None (more data needed)',
  ])('an action after a final answer that is empty or states that there is none: %j', (answer) => {
    for (const between of ['', '\n', '\nThought: I look.']) {
      expect(call(`Final Answer: ${answer}${between}\nAction: a.b\nAction Input: {"n": 1}`)).toEqual([
        'a.b',
        '{"n": 1}',
      ]);
    }
  });

  it('behind such a final answer, all of it when the action names no tool that exists', () => {
    const behind = 'Thought: Hm.\nAction: restart the pod\nAction Input: now';
    expect(final(`Final Answer:\n${behind}`)).toBe(behind);
    const known = (name: string) => (name === 'a.b' ? { readOnly: true } : undefined);
    const other = 'Final Answer: None\nAction: c.d\nAction Input: {}';
    expect(parseReactAnswer(other, known)).toMatchObject({
      isFinalAnswer: true,
      finalAnswer: 'None\nAction: c.d\nAction Input: {}',
    });
    expect(parseReactAnswer(other.replace('c.d', 'a.b'), known)).toMatchObject({ action: 'a.b' });
  });

  it('a final answer that states that there is none, when nothing else follows', () => {
    expect(final('Final Answer: None')).toBe('None');
    expect(final('Final Answer: None\nAction: a.b')).toBe('None\nAction: a.b');
  });

  it('with an empty Action Input too', () => {
    expect(call('Action: a.b\nAction Input:\nFinal Answer: Done.')).toEqual(['a.b', '']);
  });

  it('but not without an Action Input', () => {
    expect(final('Action: a.b\nFinal Answer: Done.')).toBe('Done.');
  });

  it('and not without a name', () => {
    expect(final('Action:\nAction Input: {}\nFinal Answer: Done.')).toBe('Done.');
  });

  it.each([
    'None',
    'none',
    'NONE.',
    'N/A',
    'n/a',
    '`None`',
    '"N/A"',
    '\nNone',
    'null',
    '-',
    'No action needed',
    'No action needed.',
    'No action is required',
    'no further tool needed',
    'None (I know enough)',
    'N/A [done]',
    '**None** (enough)',
    'null (no tool)',
    '- (nothing)',
    'No action needed (see above).',
  ])('and not when it names %j as its tool, with or without input', (name) => {
    for (const input of ['', '\nAction Input:', '\nAction Input: None', '\nAction Input: {"n": 1}']) {
      expect(final(`Thought: x\nAction: ${name}${input}\nFinal Answer: Done.`)).toBe('Done.');
    }
  });

  it('but a name that only starts so is a name', () => {
    expect(call('Action: none.such\nAction Input: {}\nFinal Answer: Done.')).toEqual(['none.such', '{}']);
  });

  it('and so does an action before a final answer in whose text another action stands', () => {
    expect(call('Action: a.b\nAction Input: {}\nFinal Answer: Done.\nAction: c.d')).toEqual(['a.b', '{}']);
  });
});

describe('rule 3: repeated sections', () => {
  it('the last thought, action and input that are not empty win', () => {
    const text = lines(
      'Thought: One.',
      'Action: a.b',
      'Action Input: {"n": 1}',
      'Thought: Two.',
      'Action: c.d',
      'Action Input: {"n": 2}',
      'Thought:',
      'Action:',
    );
    expect(parseReactAnswer(text)).toMatchObject({
      thought: 'Two.',
      action: 'c.d',
      actionInput: '{"n": 2}',
    });
    expect(call('Action: a.b\nAction: c.d\nAction Input: {}')).toEqual(['c.d', '{}']);
    expect(call('Action: a.b\nAction Input: {"n": 1}\nAction Input:')).toEqual(['a.b', '{"n": 1}']);
  });

  it('a later action without input does not inherit the input of an earlier one', () => {
    const text = 'Action: a.delete\nAction Input: {"name": "x"}\nAction: a.get';
    expect(call(text)).toMatch(/"Action Input:" of "Action: a.get" is missing/);
    expect(final(`${text}\nFinal Answer: Done.`)).toBe('Done.');
  });

  it('the input of an action without a name belongs to no other action', () => {
    expect(call('Action: a.b\nAction Input: {"n": 1}\nAction:\nAction Input: {"n": 2}')).toEqual([
      'a.b',
      '{"n": 1}',
    ]);
  });

  it('an input before the only action is that action’s', () => {
    expect(call('Action Input: {"n": 1}\nAction: a.b')).toEqual(['a.b', '{"n": 1}']);
  });

  it('the first final answer wins, and later headers are its text', () => {
    const text = lines('Final Answer: One.', 'Thought: Hm.', 'Action: restart it', 'Final Answer: Two.');
    expect(final(text)).toBe('One.\nThought: Hm.\nAction: restart it\nFinal Answer: Two.');
    expect(parseReactAnswer(text)).toMatchObject({
      thought: '',
      foundSections: { thought: false, action: false, actionInput: false, finalAnswer: true },
    });
  });

  it('a line in a final answer that merely contains ". Action:" does not end it', () => {
    const text = 'Final Answer: Memory.\nIt is full. Action: add some.\nOr wait. Action Input: none.';
    expect(final(text)).toBe('Memory.\nIt is full. Action: add some.\nOr wait. Action Input: none.');
  });
});

describe('rule 4: headers in the middle of a line', () => {
  it.each([
    ['a full stop', 'Thought: I look.Action: a.b\nAction Input: {}', 'I look.'],
    ['an exclamation mark', 'Thought: I look! Action: a.b\nAction Input: {}', 'I look!'],
    ['a question mark', 'Thought: Why?  Action: a.b\nAction Input: {}', 'Why?'],
    ['dots', 'Thought: Well...Action: a.b\nAction Input: {}', 'Well...'],
    ['a back-tick', 'Thought: I look. `Action: a.b`\nAction Input: {}', 'I look.'],
    ['stars', 'Thought: I look. **Action:** a.b\nAction Input: {}', 'I look.'],
    ['a sentence of a later line', 'Thought:\nHm.\nI look.Action: a.b\nAction Input: {}', 'Hm.\nI look.'],
  ])('count after %s, which stays with the thought', (_, text, expected) => {
    expect(call(text)).toEqual(['a.b', '{}']);
    expect(thought(text)).toBe(expected);
  });

  it.each([
    'Thought: Next, Action: a.b',
    'Thought: Next: Action: a.b',
    'Thought: the Action: a.b',
    'Thought: Wait… Action: a.b',
    'Thought: done, Final Answer: x',
    'Thought: I believe the Final Answer: x',
  ])('do not count after anything else: %j', (text) => {
    expect(parseReactAnswer(text)).toMatchObject({
      isMalformed: true,
      thought: text.slice('Thought: '.length),
    });
  });

  it('are valid on one line with all the others', () => {
    expect(call('Thought: Go. Action: a.b. Action Input: {}')).toEqual(['a.b', '{}']);
    expect(thought('Thought: Go. Action: a.b. Action Input: {}')).toBe('Go.');
    expect(call('Action: a.b Action Input: {}')).toEqual(['a.b', '{}']);
    expect(call('Action: `a.b` **Action Input:** {"n": 1}')).toEqual(['a.b', '{"n": 1}']);
    expect(call('I look. Thought: Go. Action: a.b Action Input: {}')).toEqual(['a.b', '{}']);
  });

  it('an Action Input counts only once an action was seen', () => {
    expect(call('Thought: Go. Action Input: {}')).toMatch(/only a "Thought:"/);
    expect(call('Action: a.b\nThat is it. Action Input: {}')).toEqual(['a.b', '{}']);
  });

  it('a final answer counts on a line of its thought, not on a line that starts with another header', () => {
    expect(final('Thought: Enough. Final Answer: Memory.')).toBe('Memory.');
    expect(thought('Thought: Enough. Final Answer: Memory.')).toBe('Enough.');
    expect(final('Thought\nEnough.\nSo it is.Final Answer:\n**Memory**\n\nAction: none')).toBe(
      '**Memory**\n\nAction: none',
    );
    expect(call('Action: a.b. Final Answer: x\nAction Input: {}')).toEqual(['a.b. Final Answer: x', '{}']);
    expect(call('Action: a.b\nAction Input: {}. Final Answer: x')).toEqual(['a.b', '{}. Final Answer: x']);
  });

  it('the value of an Action Input is never split', () => {
    const input = '{"note": "Stop. Action: x.y", "then": "Go. Final Answer: z"}';
    expect(call(`Action: a.b\nAction Input: ${input}`)).toEqual(['a.b', input]);
    const pretty = '{\n  "note": "Stop. Action: x.y. Action Input: 1"\n}';
    expect(call(`Action: a.b\nAction Input: ${pretty}`)).toEqual(['a.b', pretty]);
  });
});

describe('rule 5: an observation ends parsing', () => {
  it('so that an invented trace yields its first action', () => {
    const text = lines(
      'Thought: I look.',
      'Action: a.b',
      'Action Input: {"n": 1}',
      'Observation: OOMKilled',
      'Thought: I know.',
      'Action: c.d',
      'Action Input: {"n": 2}',
      'Observation: fine',
      'Final Answer: Memory.',
    );
    expect(parseReactAnswer(text)).toMatchObject({
      thought: 'I look.',
      action: 'a.b',
      actionInput: '{"n": 1}',
      finalAnswer: '',
    });
  });

  it.each(['[Based on the result, I go on]', '  Observation: x', '**Observation:** x', '### Observation: x'])(
    'also %j',
    (line) => {
      expect(call(`Action: a.b\nAction Input: {}\n${line}\nFinal Answer: Done.`)).toEqual(['a.b', '{}']);
    },
  );

  it.each([
    ['in lower case', 'observation: fine'],
    ['in the middle of a line', 'I made an Observation: fine'],
    ['that asks to specify', 'Observation: Please specify the tool.'],
    ['that asks for an action', 'Observation: Say what Action you want to take.'],
    ['that names an error in reasoning', 'Observation: Error in reasoning, try again.'],
  ])('not one %s', (_, line) => {
    expect(final(`Thought: Hm.\n${line}\nFinal Answer: Done.`)).toBe('Done.');
  });

  it('a request that is repeated behind a call is no part of it', () => {
    expect(call('Action: a.b\nAction Input: {}\nObservation: Please specify more.\nOK.')).toEqual([
      'a.b',
      '{}',
    ]);
  });

  it.each(['Observation: the pod restarts.', '**Observation:** the pod restarts.', '[Based on logs]'])(
    'not one behind a final answer that has text: %j is a line of the report',
    (line) => {
      expect(final(`Final Answer: Memory.\n${line}\nFix: more.`)).toBe(`Memory.\n${line}\nFix: more.`);
    },
  );

  it('behind a final answer that is empty too', () => {
    expect(final('Final Answer:\nObservation: the pod restarts.')).toMatch(/"Final Answer:" is empty/);
    const trace = 'Final Answer:\nAction: a.b\nAction Input: {}\nObservation: x\nFinal Answer: Done.';
    expect(call(trace)).toEqual(['a.b', '{}']);
  });

  it('not one inside a code fence', () => {
    expect(final('Thought:\n```\nObservation: x\n```\nFinal Answer: Done.')).toBe('Done.');
  });
});

describe('rule 6: values', () => {
  it('keeps line breaks and indentation of an Action Input', () => {
    const yaml = 'metadata:\n  labels:\n    - a\n\n    - b\nkind: Pod';
    expect(call(`Action: a.b\nAction Input: ${yaml}`)).toEqual(['a.b', yaml]);
    expect(call(`Action: a.b\nAction Input:\n${yaml}\n`)).toEqual(['a.b', yaml]);
  });

  it('takes away the indentation all lines share, and that of the whole answer', () => {
    expect(call('Action: a.b\nAction Input:\n    x:\n      - 1')).toEqual(['a.b', 'x:\n  - 1']);
    expect(call('  Action: a.b\n  Action Input: x:\n    - 1\n  y: 2')).toEqual(['a.b', 'x:\n  - 1\ny: 2']);
  });

  it.each([
    ['a fence with a language', '```json\n{"n": 1}\n```'],
    ['a fence without', '\n```\n{"n": 1}\n```'],
    ['a fence on one line', '```json {"n": 1}```'],
    ['a fence that is not closed', '```json\n{"n": 1}'],
    ['a fence with text behind', '```json\n{"n": 1}\n```\nNow I wait.'],
    ['an indented fence', '\n  ```json\n  {"n": 1}\n  ```'],
    ['the end of a fence around the answer', '{"n": 1}\n```'],
    ['back-ticks', '`{"n": 1}`'],
  ])('removes %s around an Action Input', (_, input) => {
    expect(call(`Action: a.b\nAction Input: ${input}`)).toEqual(['a.b', '{"n": 1}']);
  });

  it('leaves back-ticks inside a value unchanged', () => {
    expect(call('Action: a.b\nAction Input: `ls` or `ps`')).toEqual(['a.b', '`ls` or `ps`']);
  });

  it.each([
    '`a.b`',
    '```a.b```',
    '\n```\na.b\n```',
    '**a.b**',
    '"a.b"',
    'a.b.',
    'a.b\nto see the pods',
    '\n\na.b',
  ])('reads %j as the tool a.b', (name) => {
    expect(call(`Action: ${name}\nAction Input: {}`)).toEqual(['a.b', '{}']);
  });

  it('leaves names with underscores at their ends unchanged', () => {
    expect(call('Action: _a._b_\nAction Input: {}')).toEqual(['_a._b_', '{}']);
  });
});

describe('rule 7: an Action Input without Action', () => {
  it.each([
    ['without a colon', 'Thought: I look.\nAction\nmy-server.get_pods\nAction Input: {}'],
    ['on the same line', 'Thought: I look.\nAction my-server.get_pods\nAction Input: {}'],
    ['in another case', 'Thought: I look.\nACTION: my-server.get_pods\nAction Input: {}'],
    ['with a space before the colon', 'Thought: I look.\naction : `my-server.get_pods`\nAction Input: {}'],
    ['glued to the thought', 'Thought\nI look.Action\nmy-server.get_pods\nAction Input: {}'],
    ['some lines above', 'Thought: I look.\nAction\nThe pods:\nmy-server.get_pods\nAction Input: {}'],
  ])('looks back for the word, %s', (_, text) => {
    expect(call(text)).toEqual(['my-server.get_pods', '{}']);
    expect(thought(text)).toBe('I look.');
  });

  it('takes the last such word', () => {
    expect(call('Thought: The action\na.b\nis wrong. My action\nc.d\nAction Input: {}')).toEqual([
      'c.d',
      '{}',
    ]);
  });

  it.each([
    ['no line that is exactly a name', 'Thought: x\nAction\nuse a.b for this\nAction Input: {}'],
    ['no such word', 'Thought: x\na.b\nAction Input: {}'],
    ['only part of another word', 'Thought: a transaction\na.b\nAction Input: {}'],
    ['only the header in lower case', 'Thought: x\naction input: y\na.b\nAction Input: {}'],
  ])('gives up when there is %s', (_, text) => {
    expect(call(text)).toMatch(/the "Action:" with the name of the tool is missing/);
  });
});

describe('rule 8: the tool', () => {
  it.each(['get_pods', 'kubernetes', 'server tool'])('%s without a dot is unknown', (name) => {
    expect(parseReactAnswer(`Thought: x\nAction: ${name}\nAction Input: {}`)).toMatchObject({
      thought: 'x',
      action: name,
      hasAction: true,
      isUnknownTool: true,
      isMalformed: false,
      errorMessage: `Unknown tool "${name}": names of tools look like "server.tool".`,
    });
  });

  it.each(['server.tool', 'server.sub.tool', '.tool', 'a-b.c_d'])(
    '%s is for the controller to look up',
    (name) => {
      expect(parseReactAnswer(`Action: ${name}\nAction Input: {}`)).toMatchObject({
        action: name,
        isUnknownTool: false,
        errorMessage: '',
      });
    },
  );
});

describe('rule 9: malformed answers', () => {
  it.each([
    ['the input is missing', 'Thought: x\nAction: a.b', '"Action Input:" of "Action: a.b" is missing'],
    [
      'the action is missing',
      'Thought: x\nAction Input: {}',
      '"Action:" with the name of the tool is missing',
    ],
    ['the action has no name', 'Thought: x\nAction:  \nAction Input: {}', '"Action:" names none'],
    ['the action is None', 'Thought: x\nAction: None\nAction Input: None', '"Action:" names none'],
    ['the action is N/A, without input', 'Thought: x\nAction: N/A', 'names no tool'],
    ['there is only a thought', 'Thought: x', 'only a "Thought:"'],
    ['there is no section', 'It is the memory.', 'No section'],
    ['there is nothing', '', 'No section'],
    ['there are only blanks', ' \n\t\n ', 'No section'],
    ['the final answer is empty', 'Thought: x\nFinal Answer: \n ', '"Final Answer:" is empty'],
    [
      'neither name nor input is there',
      'Thought: x\nAction:',
      'names no tool and "Action Input:" is missing',
    ],
  ])('report that %s', (_, text, message) => {
    expect(parseReactAnswer(text)).toMatchObject({
      isMalformed: true,
      hasAction: false,
      isFinalAnswer: false,
      isUnknownTool: false,
      errorMessage: expect.stringContaining(message),
    });
  });

  it('are quoted in part only', () => {
    expect(parseReactAnswer(`Action: ${'x'.repeat(100_000)}`).errorMessage.length).toBeLessThan(300);
  });
});

describe('any text', () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      ...[
        'Thought:',
        'Thought',
        'Action:',
        'Action Input:',
        'Final Answer:',
        'Observation:',
        'action',
        'Action',
      ],
      ...[
        '**',
        '`',
        '```',
        '```json',
        '### ',
        '__',
        '~~~',
        '"',
        '“',
        '. ',
        '! ',
        '?',
        ':',
        ',',
        ' ',
        '\n',
        '\r\n',
        '\r',
        '\t',
      ],
      ...[
        '{}',
        '{"a": 1}',
        'a.b',
        'server.tool',
        'functions.',
        'None',
        'x: |',
        'x: 1',
        '- x',
        '[Based on',
        'Please specify',
        '\u2028',
        'é',
        '🚀',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragment, { maxLength: 40 }).map((all) => all.join('')),
  );

  it('has exactly one meaning, always the same, and never throws', () => {
    fc.assert(
      fc.property(text, (answer) => {
        const parsed = parseReactAnswer(answer);
        const { hasAction, isFinalAnswer, isMalformed, isUnknownTool } = parsed;
        expect([hasAction, isFinalAnswer, isMalformed].filter(Boolean)).toHaveLength(1);
        expect(hasAction).toBe(parsed.action !== '');
        expect(isUnknownTool).toBe(hasAction && !parsed.action.includes('.'));
        expect(parsed.errorMessage !== '').toBe(isMalformed || isUnknownTool);
        expect(parseConclusion(answer)).toEqual(parseConclusion(answer));
        if (isFinalAnswer) expect(parsed.finalAnswer).not.toBe('');
        expect(parseReactAnswer(answer)).toEqual(parsed);
      }),
      { numRuns: randomRuns(1000) },
    );
  });

  const prose = fc
    .array(fc.string({ unit: fc.constantFrom(...'abc ÄÖ漢🚀,;()"\'-'), maxLength: 30 }), { maxLength: 4 })
    .map((all) => all.join('\n').trim());
  const name = fc.tuple(
    fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/),
    fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/),
  );
  const newline = fc.constantFrom('\n', '\r\n');

  it('a well-formed call round-trips', () => {
    const input = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(
        prose,
        name,
        input,
        fc.constantFrom(undefined, 2),
        newline,
        (about, tool, args, indent, eol) => {
          const json = JSON.stringify(args, undefined, indent);
          const answer = lines(`Thought: ${about}`, `Action: ${tool.join('.')}`, `Action Input: ${json}`);
          const parsed = parseReactAnswer(answer.replaceAll('\n', eol));
          expect(parsed).toMatchObject({ hasAction: true, thought: about, action: tool.join('.') });
          expect(JSON.parse(parsed.actionInput)).toEqual(JSON.parse(json));
        },
      ),
    );
  });

  it('a well-formed final answer round-trips', () => {
    const report = prose.filter((words) => words !== '');
    fc.assert(
      fc.property(prose, report, newline, (about, analysis, eol) => {
        const answer = `Thought: ${about}\nFinal Answer: ${analysis}`;
        expect(parseReactAnswer(answer.replaceAll('\n', eol))).toMatchObject({
          isFinalAnswer: true,
          thought: about,
          finalAnswer: analysis,
        });
      }),
    );
  });

  const repeated = [
    'Action:\n',
    'Action: ',
    '. Action: ',
    'Action: x. Final Answer: ',
    'Action Input:\n',
    '**Action:** ',
    'Final Answer:\n',
    'Observation: Please specify\n',
    'action ',
    '*',
    '`',
    '```\n',
    ' ',
    '\n',
    '.*',
    '# ',
    '. `Action: ',
    '"',
    '“. Action: ',
    '. Action: a.b Action Input: {} ',
    'Final Answer: -\n',
    '~~~\n',
    'Action Input: |\n',
    'Action Input: {"a":[',
    '{"a":',
    '(',
    '[a.b',
    'functions.',
    'none ',
    '- |\n',
  ];

  it.for(repeated.filter((_, index) => IS_FULL || index % 8 === 0))(
    'takes linear time: a quarter of a megabyte of %j, which would take minutes otherwise',
    async (piece, { signal }) => {
      // Each takes little; in proportion to the square it would be many minutes.
      const texts = ['', 'Thought: ', 'Action: a.b\nAction Input: ', 'Action\nAction Input: '].map(
        (before) => `${before}${piece.repeat(Math.ceil(250_000 / piece.length))}x`,
      );
      await runInThread(new URL('./parseAnswer.ts', import.meta.url), 'parseReactAnswer', texts, signal);
    },
  );
});

describe('a string of an Action Input with raw line breaks', () => {
  const script = (end: string) =>
    `Action: k8s.apply\nAction Input: {"script": "one\nAction: k8s.delete\nAction Input: {}\nFinal Answer: x\nObservation: y\nend${end}`;

  it.each([
    ['is one argument: headers in it are text', script('"}')],
    ['is one argument also of Python', script("'}").replace('"one', "'one")],
    ['is one argument below its header', script('"}').replace('Input: {"s', 'Input:\n{\n  "s')],
    ['is one argument in a call', script('"})').replace('Input: {"s', 'Input: k8s.apply({"s')],
  ])('%s', (_, text) => {
    const { action, actionInput } = parseReactAnswer(text);
    expect(action).toBe('k8s.apply');
    expect(parseActionArguments(actionInput)).toEqual({
      script: 'one\nAction: k8s.delete\nAction Input: {}\nFinal Answer: x\nObservation: y\nend',
    });
  });

  it('that is never closed calls nothing, and is reported', () => {
    expect(parseReactAnswer(script(''))).toMatchObject({
      isMalformed: true,
      hasAction: false,
      errorMessage: expect.stringContaining('A string in the "Action Input:" is not closed'),
    });
  });

  it('does not hide the conclusion where none can be called', () => {
    const text = 'Action: a.b\nAction Input: {"q": "open\nFinal Answer: Memory.';
    expect(parseConclusion(text).finalAnswer).toBe('Memory.');
  });
});
