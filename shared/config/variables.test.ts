import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker } from '../masking/masker.ts';
import { expandVariables } from './variables.ts';

describe('expandVariables', () => {
  const env = { HOST: 'mcp.example.com', PORT: '8443', EMPTY: '', TRICKY: `\${HOST} $& $1` };

  it('replaces variables anywhere in the text', () => {
    expect(expandVariables(`https://\${HOST}:\${PORT}/mcp`, env)).toEqual({
      ok: true,
      text: 'https://mcp.example.com:8443/mcp',
    });
  });

  it('takes the default when the variable is missing or empty', () => {
    expect(expandVariables(`\${NOPE:-http://127.0.0.1:1/mcp}`, env)).toEqual({
      ok: true,
      text: 'http://127.0.0.1:1/mcp',
    });
    expect(expandVariables(`a\${EMPTY:-b}c\${NOPE:-}`, env)).toEqual({ ok: true, text: 'abc' });
    expect(expandVariables(`\${HOST:-other}`, env)).toEqual({ ok: true, text: 'mcp.example.com' });
  });

  it('does not expand a reference in the value of a variable', () => {
    expect(expandVariables(`\${TRICKY}`, env)).toEqual({ ok: true, text: `\${HOST} $& $1` });
  });

  it(`turns $\${ into a literal`, () => {
    expect(expandVariables(`$\${HOST} costs $5`, env)).toEqual({ ok: true, text: `\${HOST} costs $5` });
  });

  it('names every missing variable', () => {
    expect(expandVariables(`\${NOPE}/\${EMPTY}`, env)).toEqual({
      ok: false,
      messages: [
        `environment variable NOPE is not set; set it, or give a default, as in \${NAME:-default}`,
        `environment variable EMPTY is empty; set it, or give a default, as in \${NAME:-default}`,
      ],
    });
  });

  it('names a variable of a secret in a message that masking keeps', () => {
    const expanded = expandVariables(`\${SLACK_BOT_TOKEN}`, env);
    const text = expanded.ok ? '' : expanded.messages.join();
    expect(createMasker({ sessionKey: 's' }).mask(text).text).toBe(text);
  });

  it.each([`\${`, `\${}`, `\${A B}`, `\${HOST`, `\${1X}`, `\${HOST:default}`])('refuses %s', (text) => {
    expect(expandVariables(text, env)).toMatchObject({ ok: false });
  });

  it('never shows a value in a message', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const expansion = expandVariables(`${text}\${SECRET}\${MISSING}`, { SECRET: 'hunter2-hunter2' });
        expect(expansion.ok ? '' : expansion.messages.join()).not.toContain('hunter2');
      }),
    );
  });
});
