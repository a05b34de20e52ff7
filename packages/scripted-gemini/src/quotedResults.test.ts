import { expect, it } from 'vitest';
import { quoteResults } from './quotedResults.ts';

const response = (output: string, name = 'prometheus__query') => ({
  role: 'user',
  parts: [{ functionResponse: { name, response: { output } } }],
});
const request = {
  contents: [response('up 0'), response('{"value":[1795544896.3,"20"]}'), response('error 7', 'k8s__logs')],
};

it('a text quotes the first group of a pattern in the last result of a tool, or its whole match', () => {
  const turn = {
    text: `In use: \${result prometheus__query /"value":\\[[\\d.]+,"(\\d+)"/}; \${result k8s__logs /error \\d/}.`,
  };
  expect(quoteResults(turn, request)).toEqual({ text: 'In use: 20; error 7.' });
});

it('a position chooses an earlier result, also in the arguments of a call', () => {
  const turn = {
    toolCalls: [{ name: 'k8s__logs', args: { lines: [`\${result prometheus__query#1 /up (\\d)/}`] } }],
  };
  expect(quoteResults(turn, request)).toEqual({ toolCalls: [{ name: 'k8s__logs', args: { lines: ['0'] } }] });
});

it('a slash in a pattern is escaped, and a doubled dollar sign is literal', () => {
  const turn = { text: `\${result k8s__logs /r\\/|error/} $\${result k8s__logs /x/}` };
  expect(quoteResults(turn, request)).toEqual({ text: `error \${result k8s__logs /x/}` });
});

it('a quote without a result or without a match is refused with the reason', () => {
  const turn = { text: `\${result k8s__get /x/} \${result k8s__logs /warning/}` };
  expect(quoteResults(turn, request)).toMatchObject({
    error: {
      httpStatus: 400,
      message: expect.stringMatching(/0 results of k8s__get.*does not match "error 7"/),
    },
  });
});

it('a tool has the name that its requests have', () => {
  const turn = { text: `\${result k8s.logs /error (\\d)/}` };
  const wireName = (name: string) => name.replace('.', '__');
  expect(quoteResults(turn, request, wireName)).toEqual({ text: '7' });
});
