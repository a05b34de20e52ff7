import { expect, it } from 'vitest';
import { Problem, problemDetails, REMEDIES } from '../../shared/api/http/problem.ts';
import { readApiError } from '../../shared/client/apiError.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { ROUTES } from '../../shared/lists/routes.ts';
import { UsageError } from '../process/usageError.ts';
import { explainProblem } from './apiProblem.ts';

const errorOf = async (error: Error) => {
  const details = problemDetails(error, (text) => text);
  const response = Response.json(details, { status: 409 });
  return explainProblem(await readApiError(response, '/v1/sessions/s-1/questions'), 'http://here');
};

it.each([
  ['cancelSession', 'inquest cancel s-1'],
  ['startSession', 'inquest start-deferred s-1'],
  ['tellSession', 'inquest guide s-1'],
] as const)('the remedy %s is the command `%s`', async (remedy, command) => {
  const error = await errorOf(new Problem('SESSION_STATE', 'not now', { remedy }));
  expect(error.message).toBe(`not now with \`${command}\``);
});

it('every remedy is an operation of the API', () => {
  expect(ROUTES.map(({ id }) => id)).toEqual(expect.arrayContaining([...REMEDIES]));
});

it('names the options of invalid fields', async () => {
  const errors = [
    { field: 'query.limit', message: 'is too large' },
    { field: 'body.links.0', message: 'is no key' },
    { field: 'body.text', message: 'is empty' },
    { field: 'header X', message: 'is missing' },
  ];
  const error = await errorOf(new Problem('REQUEST_INVALID', 'query.limit: is too large', { errors }));
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message.split('\n')).toEqual([
    '--limit: is too large',
    '--links: is no key',
    'the text: is empty',
    'header X: is missing',
  ]);
});

it('names the system that lacks an object, and the command that lists the existing ones', async () => {
  const error = await errorOf(
    new Problem('NOT_FOUND', 'there is no agent a; GET /v1/agents lists the agents'),
  );
  expect(error.message).toBe('there is no agent a in http://here; `inquest agents list` lists the agents');
});

it('asks to run the command again after an error that can be retried', async () => {
  const error = await errorOf(new RetryableError('STORE_CONFLICT', 'others changed it.'));
  expect(error.message).toBe('STORE_CONFLICT: others changed it. Run the same command again.');
});
