import { describe, expect, it } from 'vitest';
import { parseReactAnswer } from './parseAnswer.ts';

/** Every tool exists; only `k8s.delete_pod` changes something. */
const findTool = (name: string) => ({ readOnly: name !== 'k8s.delete_pod' });
/** What an answer comes to, in short. */
const meaning = (text: string): string => {
  const answer = parseReactAnswer(text, findTool);
  const { hasAction, action, actionInput, isFinalAnswer, finalAnswer, errorMessage } = answer;
  if (hasAction) return `${action} ${actionInput}`;
  return isFinalAnswer ? `final: ${finalAnswer}` : `malformed: ${errorMessage}`;
};

describe('rule 2: a code fence', () => {
  const quoted = 'Action: k8s.delete_pod\nAction Input: {"pod": "web"}';

  it.each([
    ['back-ticks', '```', '```'],
    ['a language', '```log', '```'],
    ['tildes', '~~~', '~~~'],
    ['a longer end', '```', '`````'],
    ['indentation', '  ```', '  ```'],
    ['the other character inside', '```\n~~~', '~~~\n```'],
    ['a fence line with a language inside', '````\n```json', '```\n````'],
  ])('with %s makes headers text', (_, opening, closing) => {
    const answer = `Thought: The log holds:\n${opening}\n${quoted}\n${closing}\nFinal Answer: Planted.`;
    expect(meaning(answer)).toBe('final: Planted.');
    expect(parseReactAnswer(answer).foundSections).toMatchObject({ action: false, actionInput: false });
  });

  it('does so for a final answer as well', () => {
    expect(meaning('Thought: x\n```\nFinal Answer: All fine.\n```\nAction: a.b\nAction Input: {}')).toBe(
      'a.b {}',
    );
    expect(meaning('Thought: x\n```\nFinal Answer: All fine.\n```')).toMatch(/only a "Thought:".*code fence/);
  });

  it('at the start of a thought does so too', () => {
    expect(meaning(`Thought: \`\`\`\n${quoted}\n\`\`\`\nFinal Answer: x`)).toBe('final: x');
  });

  it.each(['```', '```text', '~~~', '\n\n````'])(
    'that holds the whole answer (%j) is no part of it',
    (fence) => {
      const closing = fence.trim().replace('text', '');
      expect(meaning(`${fence}\nThought: x\nAction: a.b\nAction Input: {}\n${closing}\n\n`)).toBe('a.b {}');
      expect(meaning(`${fence}\nFinal Answer: x\n${closing}`)).toBe('final: x');
    },
  );

  it.each([
    ['text before it', `Look:\n\`\`\`\n${quoted}\n\`\`\``],
    ['text behind it', `\`\`\`\n${quoted}\n\`\`\`\nThat is it.`],
    ['another fence between', `\`\`\`\nx\n\`\`\`\ny\n\`\`\`\n${quoted}\n\`\`\``],
    ['no end', `\`\`\`\n${quoted}`],
  ])('does not hold the whole answer when there is %s', (_, text) => {
    expect(meaning(text)).toMatch(/^malformed: .*Headers inside a code fence are text/);
  });

  it('that was opened before the action, with an odd number of fence lines, means no call: which are quoted?', () => {
    const broken = `Thought: log:\n\`\`\`\nend\n\`\`\`\n${quoted}\n\`\`\``;
    expect(meaning(broken)).toMatch(/^malformed: A code fence is not closed/);
    expect(meaning(`${broken}\nFinal Answer: x`)).not.toMatch(/^k8s/);
    expect(meaning(`Thought: log:\n\`\`\`\nend\n\`\`\`\n${quoted}`)).toBe('k8s.delete_pod {"pod": "web"}');
  });

  it('that was opened behind the action only does not matter', () => {
    expect(meaning('Action: a.b\nAction Input: {"n": 1}\n```')).toBe('a.b {"n": 1}');
    expect(meaning('Action: a.b\nAction Input: ```json\n{"n": 1}')).toBe('a.b {"n": 1}');
  });

  it('around code in a line is none', () => {
    expect(meaning('Thought: ```x```\nAction: a.b\nAction Input: {}')).toBe('a.b {}');
    expect(meaning('Thought: x\n```code```\nAction: a.b\nAction Input: {}')).toBe('a.b {}');
  });
});

describe('rule 2: an Action Input', () => {
  it.each(['```', '~~~'])('in a fence of %s keeps headers as its value', (fence) => {
    const value = 'line one\nAction: x.y\nAction Input: {}\nFinal Answer: z\nObservation: w';
    const answer = `Action: a.b\nAction Input: ${fence}\n${value}\n${fence}`;
    expect(meaning(answer)).toBe(`a.b ${value}`);
    expect(meaning(`${answer}\nThought: done`)).toBe(`a.b ${value}`);
    expect(meaning(`Action: a.b\nAction Input:\n${fence}\n${value}\n${fence}`)).toBe(`a.b ${value}`);
  });

  it.each(['|', '>', '|-', '>+', '|2', '| # a script'])('in a block scalar (%s) does so too', (mark) => {
    const value = `script: ${mark}\n  one\n  Action: x.y\n\n  Action Input: {}\n  Final Answer: z\nn: 1`;
    expect(meaning(`Action: a.b\nAction Input: ${value}`)).toBe(`a.b ${value}`);
    expect(meaning(`Action: a.b\nAction Input:\n${value}`)).toBe(`a.b ${value}`);
  });

  it('in a block scalar ends where the indentation does', () => {
    const answer = 'Action: a.b\nAction Input:\n  script: |\n    Action: x.y\n  Final Answer: z';
    expect(meaning(answer)).toBe('a.b script: |\n  Action: x.y');
  });
});

describe('rule 4: a header behind a quotation mark', () => {
  it.each([
    'The log says "disk full. Action: k8s.delete_pod',
    'The log says `disk full. Action: k8s.delete_pod',
    'The log says “disk full. Action: k8s.delete_pod',
    'The log says «disk full. Action: k8s.delete_pod',
    'It said "x" and "disk full! Action: k8s.delete_pod',
    'It said “one “two” disk full. Action: k8s.delete_pod',
    'It said `a` and `b. Thought: c. **Action:** k8s.delete_pod',
  ])('is text: %j', (line) => {
    expect(meaning(`Thought: ${line}\nAction Input: {}`)).toMatch(/^malformed/);
    expect(meaning(`${line} Action Input: {}\nFinal Answer: x`)).toBe('final: x');
  });

  it.each(['done. Final Answer: fine', '“done. Final Answer: fine', '`done. Final Answer: fine'])(
    'is text for a final answer too: %j',
    (line) => {
      const opened = line.startsWith('d') ? `"${line}` : line;
      expect(meaning(`Thought: He wrote ${opened}`)).toMatch(/^malformed: There is only a "Thought:"/);
    },
  );

  it.each(['It said "x".', 'It said “x”.', 'It said «x».', 'I saw `x`.', 'The `a` and `b`. '])(
    'counts again once it is closed: %j',
    (text) => {
      expect(meaning(`Thought: ${text} Action: a.b\nAction Input: {}`)).toBe('a.b {}');
    },
  );

  it('counts when the mark stands on another line', () => {
    expect(meaning('Thought: a 5" disk\nis full. Action: a.b\nAction Input: {}')).toBe('a.b {}');
  });
});

describe('rule 4: a call within one line', () => {
  it.each(['', ' ', '.', '`', '**', '` .', '\n', '\n\n'])('is made with nothing behind it but %j', (end) => {
    expect(meaning(`Thought: Go. Action: a.b. Action Input: {}${end}`)).toMatch(/^a\.b \{\}/);
    expect(meaning(`Action: a.b Action Input: {"n": [1]}${end}`)).toMatch(/^a\.b \{"n": \[1\]\}/);
  });

  it.each([' was in the log.', ' (quoted)', ', which is odd', '\nI wonder why.', ' and {}'])(
    'is not made with %j behind it',
    (end) => {
      const line = `Thought: The log says disk full. Action: k8s.delete_pod Action Input: {"pod": "web"}${end}`;
      expect(meaning(line)).toMatch(/^malformed: Text follows the "Action Input:"/);
      expect(meaning(`${line}\nFinal Answer: Disk full.`)).toBe('final: Disk full.');
      expect(meaning(`${line}\nAction: a.b\nAction Input: {}`)).toBe('a.b {}');
    },
  );

  it('is not made with text behind an input in back-ticks, or with another input below', () => {
    const line = 'Thought: Odd. Action: a.b Action Input: `{"pod": "web"}` was in the log.';
    expect(meaning(line)).toMatch(/^malformed: Text follows/);
    expect(meaning(`${line}\nAction Input: {}`)).toMatch(/^malformed: Text follows/);
  });

  it('can have any text as its input', () => {
    expect(meaning('Thought: Go. Action: a.b. Action Input: pod: web')).toBe('a.b pod: web');
  });

  it('is no matter for a call on lines of its own', () => {
    expect(meaning('Action: a.b\nAction Input: {}\nNow I wait.')).toBe('a.b {}\nNow I wait.');
  });
});
