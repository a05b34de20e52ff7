import { expect, it } from 'vitest';
import { ConfigError } from './configError.ts';

it('hides secrets that stand in a file where they do not belong, and nothing else', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const place = { file: 'servers.yaml', position: { line: 2, column: 5 } };
  const error = new ConfigError([
    { ...place, path: `servers.a.headers.Bearer ${token}`, message: 'must be text' },
    {
      ...place,
      path: 'models.flash.model',
      message: 'unknown value "gemini-9.9-xq7z21"; expected one of a, b',
    },
  ]);
  expect(error.message).not.toContain(token);
  expect(error.message.split('\n')[1]).toBe(
    'servers.yaml:2:5 models.flash.model: unknown value "gemini-9.9-xq7z21"; expected one of a, b',
  );
});
