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
    text: `In use: \${result prometheus.query /"value":\\[[\\d.]+,"(\\d+)"/}; \${result k8s.logs /error \\d/}.`,
  };
  expect(quoteResults(turn, request)).toEqual({ text: 'In use: 20; error 7.' });
});

it('a position chooses an earlier result, also in the arguments of a call', () => {
  const turn = {
    toolCalls: [{ name: 'k8s.logs', args: { lines: [`\${result prometheus.query#1 /up (\\d)/}`] } }],
  };
  expect(quoteResults(turn, request)).toEqual({ toolCalls: [{ name: 'k8s.logs', args: { lines: ['0'] } }] });
});

it('a slash in a pattern is escaped, and a doubled dollar sign is literal', () => {
  const turn = { text: `\${result k8s.logs /r\\/|error/} $\${result k8s.logs /x/}` };
  expect(quoteResults(turn, request)).toEqual({ text: `error \${result k8s.logs /x/}` });
});

it('a quote without a result or without a match is refused with the reason', () => {
  const turn = { text: `\${result k8s.get /x/} \${result k8s.logs /warning/}` };
  expect(quoteResults(turn, request)).toMatchObject({
    error: {
      httpStatus: 400,
      message: expect.stringMatching(/0 results of k8s\.get.*does not match "error 7"/),
    },
  });
});
