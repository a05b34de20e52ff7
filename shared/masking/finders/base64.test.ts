import { describe, expect, it } from 'vitest';
import { createMasker } from '../masker.ts';

const masker = createMasker({});
const TEXT = 'user: app\npassword: w1nter-Kite-77-and-more\nhost: db.internal\n';
const BASE64 = Buffer.from(TEXT).toString('base64');
const wrapped = (width: number) => BASE64.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];

describe('base64 with a secret in it is masked in lines of', () => {
  it.each([8, 12, 16, 20, 32, 40, 48, 64, 76])('%d characters', (width) => {
    const text = `before\n${wrapped(width).join('\n')}\nthe end`;
    expect(masker.mask(text).text).toMatch(/^before\n\[masked:[a-z]+\]\nthe end$/);
  });

  it.each([
    ['indented', (line: string) => `    ${line}`],
    ['in a quotation', (line: string) => `> ${line}`],
    ['in source code', (line: string) => `  "${line}" +`],
    ['with line breaks of Windows', (line: string) => `${line}\r`],
    ['behind comment signs', (line: string) => `# ${line}`],
  ])('32 characters, %s', (_, write) => {
    const lines = wrapped(32);
    const masked = masker.mask(lines.map(write).join('\n')).text;
    for (const line of lines) expect(masked).not.toContain(line);
  });
});

it('words in lines of equal length, and text without a secret, stay', () => {
  const words = ['checkout', 'payments', 'shipping', 'invoices', 'customer'].join('\n');
  const text = Buffer.from('all pods of the shop are up. '.repeat(9))
    .toString('base64')
    .replace(/.{32}/g, '$&\n');
  expect(masker.mask(`${words}\n\n${text}`).text).toBe(`${words}\n\n${text}`);
});
