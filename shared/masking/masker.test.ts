import { describe, expect, it } from 'vitest';
import { createRandom } from '../engine/testing/random.ts';
import { createMasker, DEFAULT_MASKING, MAX_TEXT } from './masker.ts';
import { pemKey } from './samples.fixture.ts';
import { digitsNeeded } from './scan/maskMarks.ts';
import { isSearchable } from './secretEncodings.ts';
import { patternFault } from './userRules.ts';

const masker = createMasker({ sessionKey: 'session-1', known: ['Kn0wn-s3cret', 's3cr3t'] });
const masked = (text: string) => masker.mask(text).text.replace(/#[0-9a-f]{6,}/g, '');

describe('a mark', () => {
  it('has the kind and six digits, which are equal for equal secrets of a session', () => {
    const { text, count, kinds } = masker.mask('password=hunter22 db_pwd: hunter22\npassword=other333');
    const [first, second, third] = [...text.matchAll(/\[masked:password#([0-9a-f]{6})\]/g)].map(
      ([, digits]) => digits,
    );
    expect([count, kinds]).toEqual([3, { password: 3 }]);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  it('depends on the key of the session, and has no digits without one', () => {
    const marks = ['a', 'b'].map((sessionKey) => createMasker({ sessionKey }).mask('password=hunter22').text);
    expect(marks[0]).not.toBe(marks[1]);
    expect(createMasker({}).mask('password=hunter22').text).toBe('password=[masked:password]');
  });

  it('is the same for a known secret in whatever form it stands', () => {
    const forms = [
      'Kn0wn-s3cret',
      Buffer.from('Kn0wn-s3cret').toString('base64'),
      Buffer.from('Kn0wn-s3cret').toString('hex'),
    ];
    expect(new Set(forms.map((form) => masker.mask(form).text)).size).toBe(1);
  });

  it('has more digits where six are equal, whatever the order', () => {
    const [a, b, c] = [`aaaaaa111111${'0'.repeat(52)}`, `aaaaaa222222${'0'.repeat(52)}`, 'b'.repeat(64)];
    const expected = { [a]: 12, [b]: 12, [c]: 6 };
    expect(Object.fromEntries(digitsNeeded(new Set([a, b, c])))).toEqual(expected);
    expect(Object.fromEntries(digitsNeeded(new Set([c, b, a])))).toEqual(expected);
  });

  it('is no secret, and the value beside it is', () => {
    expect(masker.mask('password=[masked:password#3f2a1c]').count).toBe(0);
    expect(masked('password=[masked:password#3f2a1c]hunter22')).toBe(
      'password=[masked:password][masked:password]',
    );
  });
});

describe('a known secret', () => {
  it.each(['true', 'password', 'postgres', '1234567', 'abc', '', '    '])(
    'that is too short or too common, %j, is not looked for',
    (secret) => {
      expect(isSearchable(secret)).toBe(false);
      expect(createMasker({ known: [secret] }).mask(`a ${secret} b`).count).toBe(0);
    },
  );

  it('that overlaps another one is masked up to its end', () => {
    const { text } = createMasker({ known: ['Kn0wn-s3cret', 's3cret-tail'] }).mask('a Kn0wn-s3cret-tail b');
    expect(text).toBe('a [masked:known] b');
  });

  const SIGNS = `Zq8/x+ <k>&'m"7é~w?`;
  const BYTES = Buffer.from(SIGNS);
  const each = (write: (hex: string) => string, sign = '') =>
    [...BYTES].map((byte) => write(byte.toString(16).padStart(2, '0'))).join(sign);

  it.each([
    ['JSON of Go', `Zq8/x+ \\u003ck\\u003e\\u0026'm\\"7é~w?`],
    ['JSON in ASCII', `Zq8/x\\u002b \\u003ck\\u003e\\u0026\\u0027m\\"7\\u00e9~w?`],
    ['JSON of PHP', `Zq8\\/x+ <k>&'m\\"7é~w?`],
    ['HTML', `Zq8/x+ &lt;k&gt;&amp;'m"7é~w?`],
    ['an attribute', 'Zq8/x+ &lt;k&gt;&amp;&#39;m&quot;7é~w?'],
    ['an attribute of React', 'Zq8/x+ &lt;k&gt;&amp;&#x27;m&quot;7é~w?'],
    ['an attribute of Go', 'Zq8/x+ &lt;k&gt;&amp;&#39;m&#34;7é~w?'],
    ['a URL', encodeURIComponent(SIGNS)],
    ['a URL in small letters', encodeURIComponent(SIGNS).replace(/%../g, (code) => code.toLowerCase())],
    ['a form', "Zq8%2Fx%2B+%3Ck%3E%26'm%227%C3%A9~w%3F"],
    ['a strict URL', 'Zq8%2Fx%2B%20%3Ck%3E%26%27m%227%C3%A9%7Ew%3F'],
    ['a URL in a URL', 'Zq8%252Fx%252B%2520%253Ck%253E%2526%2527m%25227%25C3%25A9%257Ew%253F'],
    ['a whole URL', encodeURI(SIGNS)],
    ['SQL', `Zq8/x+ <k>&''m"7é~w?`],
    ['a shell, in quotes', `Zq8/x+ <k>&'\\''m"7é~w?`],
    ['a shell', `Zq8/x+\\ \\<k\\>\\&\\'m\\"7\\é\\~w\\?`],
    ['all percents', each((hex) => `%${hex}`)],
    ['all percents in capitals', each((hex) => `%${hex.toUpperCase()}`)],
    ['hexadecimal', BYTES.toString('hex').toUpperCase()],
    ['escaped bytes', each((hex) => `\\x${hex}`)],
    ['bytes with colons', each((hex) => hex, ':')],
    ['base64', BYTES.toString('base64')],
    ['base64 of URLs', BYTES.toString('base64url')],
    ['base64 in a URL', encodeURIComponent(BYTES.toString('base64'))],
    ['base64 behind a byte', Buffer.from(`a${SIGNS}bc`).toString('base64')],
    ['base64 behind two bytes', Buffer.from(`ab${SIGNS}cd`).toString('base64')],
    ['base64 twice', Buffer.from(BYTES.toString('base64')).toString('base64')],
    ['base64 of UTF-16', Buffer.from(SIGNS, 'utf16le').toString('base64')],
  ])('is found in %s', (_, form) => {
    expect(createMasker({ known: [SIGNS] }).mask(`a ${form} b`).text).toMatch(
      /^a \S{0,4}\[masked:known\]\S{0,4} b$/,
    );
  });

  it('of four to seven characters is looked for as a word of its own', () => {
    expect(masked('use s3cr3t, not s3cr3ts or xs3cr3t')).toBe('use [masked:known], not s3cr3ts or xs3cr3t');
  });
});

describe('masked texts', () => {
  it.each([
    [
      'a Secret of YAML, whose keys stay',
      'apiVersion: v1\ndata:\n  pin: MTIzNA==\n  b: |\n    eHk=\n    eno=\nkind: Secret\nmetadata:\n  name: db',
      'apiVersion: v1\ndata:\n  pin: [masked:kubernetes-secret]\n  b: |\n    [masked:kubernetes-secret]\n    [masked:kubernetes-secret]\nkind: Secret\nmetadata:\n  name: db',
    ],
    [
      'an argument behind a comma without a blank',
      '["--password","hunter-22-hunter"]',
      '["--password","[masked:password]"]',
    ],
    [
      'a word of a command, and not the text behind it',
      'ssh-keygen -f id -N hunter-22-hunter,"next"',
      'ssh-keygen -f id -N [masked:password],"next"',
    ],
    [
      'one of a list, and not its neighbour',
      'items:\n- kind: ConfigMap\n  data:\n    a: plain\n- kind: Secret\n  data:\n    a: aGV5\n',
      'items:\n- kind: ConfigMap\n  data:\n    a: plain\n- kind: Secret\n  data:\n    a: [masked:kubernetes-secret]\n',
    ],
    [
      'the Secret of one document',
      'kind: ConfigMap\ndata:\n  a: x\n---\nkind: Secret\nstringData: {a: hey}\n',
      'kind: ConfigMap\ndata:\n  a: x\n---\nkind: Secret\nstringData: {a: [masked:kubernetes-secret]}\n',
    ],
    [
      'a Secret of JSON',
      '{"items":[{"data":{"a":"aGV5"},"kind":"Secret"},{"data":{"a":"x"},"kind":"ConfigMap"}]}',
      '{"items":[{"data":{"a":"[masked:kubernetes-secret]"},"kind":"Secret"},{"data":{"a":"x"},"kind":"ConfigMap"}]}',
    ],
    [
      'one in an annotation',
      '"last-applied-configuration": "{\\"data\\":{\\"a\\":\\"aGV5\\"},\\"kind\\":\\"Secret\\"}"',
      '"last-applied-configuration": "{\\"data\\":{\\"a\\":\\"[masked:kubernetes-secret]\\"},\\"kind\\":\\"Secret\\"}"',
    ],
    [
      'YAML in a string of JSON',
      '{"text":"kind: Secret\\ndata:\\n  a: aGV5\\n"}',
      '{"text":"kind: Secret\\ndata:\\n  a: [masked:kubernetes-secret]\\n"}',
    ],
    [
      'a Secret behind a quotation mark of a log line',
      'msg="applied {"kind":"Secret","data":{"a":"aGV5"}} to shop"',
      'msg="applied {"kind":"Secret","data":{"a":"[masked:kubernetes-secret]"}} to shop"',
    ],
    [
      'YAML in a string of JSON, in a line of JSON',
      JSON.stringify({ line: 'read {"a":"kind: Secret\\ndata:\\n  a: aGV5\\n"}' }),
      JSON.stringify({ line: 'read {"a":"kind: Secret\\ndata:\\n  a: [masked:kubernetes-secret]\\n"}' }),
    ],
    [
      'a key in base64 that looks like a path',
      'aws_secret_access_key = /2Cs302ihGCLiK/GiK6B/Uuv1xpy/4dxYBr0mO/X',
      'aws_secret_access_key = [masked:api-key]',
    ],
    [
      'a cut Secret',
      '{"kind":"Secret","data":{"a":"aGV5aGV5',
      '{"kind":"Secret","data":{"a":"[masked:kubernetes-secret]',
    ],
    ['in full width', 'ｐａｓｓｗｏｒｄ＝hunter22', 'ｐａｓｓｗｏｒｄ＝[masked:password]'],
    [
      'with colours',
      '\u001b[1mpassword\u001b[0m=\u001b[31mhunter22\u001b[0m ok',
      '\u001b[1mpassword\u001b[0m=\u001b[31m[masked:password]\u001b[0m ok',
    ],
    ['with invisible characters', 'pass\u200bword=hun\u2060ter22', 'pass\u200bword=[masked:password]'],
    [
      'at ends of lines of Windows',
      'password=hunter22\r\nuser=bob\r\n',
      'password=[masked:password]\r\nuser=bob\r\n',
    ],
    [
      'in base64',
      `blob ${Buffer.from('{"password":"hunter22"}').toString('base64')} end`,
      'blob [masked:password] end',
    ],
    [
      'a sentence of a password in YAML',
      'password: correct horse battery\nuser: bob',
      'password: [masked:password]\nuser: bob',
    ],
    [
      'once found, elsewhere',
      'password=Hunter22xyz\nlogin with Hunter22xyz failed',
      'password=[masked:password]\nlogin with [masked:password] failed',
    ],
    [
      'a password with a bracket, a comma, a semicolon',
      'password=ab,c;d)e user=x',
      'password=[masked:password] user=x',
    ],
    [
      'a password of a URL with an at sign',
      'postgres://app:p@ss:w0rd@db/x',
      'postgres://app:[masked:url-password]@db/x',
    ],
  ])('%s', (_, text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  it('is a private key in any notation, with nothing left of it', () => {
    const key = pemKey(createRandom(1));
    for (const text of [
      key,
      JSON.stringify(key),
      JSON.stringify(JSON.stringify(key)),
      key.replaceAll('\n', '\r\n'),
    ]) {
      expect(masked(`a ${text} b`)).toMatch(/^a \\*"?\\*"?\[masked:private-key\]\\*"?\\*"? b$/);
    }
  });
});

describe('a private key loses all its lines, and the text around stays', () => {
  const [BEGIN, END] = ['BEGIN', 'END'].map((word) => `${'-----'}${word} RSA PRIVATE KEY-----`);
  const LINE = 'aB3d/Fg7'.repeat(8);

  it.each([
    ['with headers', `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n${LINE}\n${END}`],
    ['with headers, cut', `${BEGIN}\nProc-Type: 4,ENCRYPTED\nX-Own: 1\n\n${LINE}\n${LINE}`],
    ['in a string of JSON, cut', `${BEGIN}\\n${LINE}\\n${LINE}`],
    ['in lines of source code, cut', `${BEGIN}" +\n  "${LINE}" +\n  "${LINE}`],
    [
      'of SSH2',
      `${'----'} BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nab\n${'----'} END SSH2 ENCRYPTED PRIVATE KEY ----`,
    ],
    ['without its first line', `${LINE}\n${LINE.slice(0, 30)}\n${END}`],
    ['with less than a line before its end', `${BEGIN}\nQUJD\n${END}`],
    [
      'of PuTTY',
      `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPublic-Lines: 1\n${LINE}\nPrivate-Lines: 1\n${LINE}\nPrivate-MAC: ab12\n`,
    ],
    ['of PuTTY, its second half', `Private-Lines: 2\n${LINE}\n${LINE}\n`],
  ])('%s', (_, key) => {
    expect(masked(`read:\n${key}`)).toBe('read:\n[masked:private-key]');
    expect(masked(`read:\n${key}`.replaceAll('\n', '\r\n'))).toBe('read:\r\n[masked:private-key]');
    expect(masked(`(read) ${key}. (done)`)).toBe('(read) [masked:private-key]. (done)');
  });

  it('and one behind another', () => {
    const key = `${BEGIN}\n${LINE}\n${END}`;
    const text = `${key} (1) ${key} (2) ${LINE}\n${END} (3) ${'-----'}BEGIN CERTIFICATE-----`;
    const mark = '[masked:private-key]';
    expect(masked(text)).toBe(`${mark} (1) ${mark} (2) ${mark} (3) ${'-----'}BEGIN CERTIFICATE-----`);
  });
});

describe('names that cannot be searched', () => {
  it('is replaced whole: a text that is too long', () => {
    expect(masker.mask('a'.repeat(MAX_TEXT + 1)).text).toMatch(/^\[masked:unreadable#[0-9a-f]{6}\]$/);
  });

  it('is replaced whole: one that a rule fails on', () => {
    const failing = createMasker({
      rules: { ...DEFAULT_MASKING, rules: [{ kind: 'own', pattern: 'hunter', ignoreCase: false }] },
    });
    const search = String.prototype.search;
    String.prototype.search = () => {
      throw new RangeError('out of memory');
    };
    try {
      expect(failing.mask('https://a:b@c').text).toBe('[masked:unreadable]');
    } finally {
      String.prototype.search = search;
    }
  });

  it.each([
    ['lone surrogates', '\ud800\udc00\ud800 \udfff'.repeat(1000)],
    [
      'all control characters',
      String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code)).repeat(100),
    ],
    ['a line of a megabyte', 'abc-123 '.repeat(131_072)],
  ])('%s are read', (_, text) => {
    expect(masker.mask(text)).toEqual({ text, count: 0, kinds: {} });
  });
});

describe('rules', () => {
  const rules = (own: object) =>
    createMasker({ known: ['Kn0wn-s3cret'], rules: { ...DEFAULT_MASKING, ...own } });

  it('of a group that is off find nothing; known secrets are masked all the same', () => {
    const text = 'password=hunter22 Kn0wn-s3cret';
    expect(rules({ off: ['keyNames'] }).mask(text).text).toBe('password=hunter22 [masked:known]');
  });

  it('leave values that are never masked unchanged', () => {
    const masking = rules({ never: ['hunter22', 'Kn0wn-s3cret'], neverKeys: ['my_token'] });
    const text = 'password=hunter22 Kn0wn-s3cret my_token=Ab12Cd34Ef56Gh78';
    expect(masking.mask(text).text).toBe(text);
    expect(masking.maskJson({ password: 'hunter22', my_token: 'Ab12Cd34Ef56Gh78' }).count).toBe(0);
  });

  it("of one's own mask their first group, or all", () => {
    const masking = rules({
      rules: [
        { kind: 'customer', pattern: 'CUST-([0-9]{4})', ignoreCase: true },
        { kind: 'plate', pattern: 'B-[A-Z]{2} [0-9]+', ignoreCase: false },
      ],
    });
    expect(masking.mask('cust-1234 drives B-XY 99').text).toBe(
      'cust-[masked:customer] drives [masked:plate]',
    );
  });

  it.each([
    ['(a', /is no pattern of RE2/],
    ['(?<=x)a', /no look-around/],
    ['(a)\\1', /no back-references/],
    ['a*', /matches the empty text/],
    ['(a)(b)', /more than one group/],
  ])('with the pattern %s are refused', (pattern, message) => {
    expect(patternFault(pattern)).toMatch(message);
  });

  it('that would take for ever elsewhere take as long as any', () => {
    const masking = rules({ rules: [{ kind: 'own', pattern: '(?:a+)+b', ignoreCase: false }] });
    expect(masking.mask('a'.repeat(50_000)).count).toBe(0);
  });
});

describe('JSON', () => {
  it('is masked in strings, keys, and by the names of keys', () => {
    const value = {
      password: 'hunter22',
      pin: 1234,
      nested: { apiKey: 'Zq8-long-enough-9', list: ['password=hunter22', 7, null, true] },
      env: [{ name: 'DB_PASSWORD', value: 'x y z' }],
      passwordFile: '/run/secrets/db',
      'Kn0wn-s3cret': 1,
    };
    const { value: result, count, kinds } = masker.maskJson(value);
    const text = JSON.stringify(result).replace(/#[0-9a-f]{6,}/g, '');
    expect(JSON.parse(text)).toEqual({
      password: '[masked:password]',
      pin: 1234,
      nested: { apiKey: '[masked:api-key]', list: ['password=[masked:password]', 7, null, true] },
      env: [{ name: 'DB_PASSWORD', value: '[masked:password]' }],
      passwordFile: '/run/secrets/db',
      '[masked:known]': 1,
    });
    expect(count).toBe(5);
    expect(kinds).toEqual({ password: 3, 'api-key': 1, known: 1 });
    expect(value.password).toBe('hunter22');
  });

  it('of a Secret loses its values', () => {
    const { value } = masker.maskJson({
      kind: 'Secret',
      metadata: { name: 'db' },
      data: { a: 'aGV5' },
      stringData: { b: 'x' },
    });
    expect(JSON.stringify(value).replace(/#[0-9a-f]{6}/g, '')).toBe(
      '{"kind":"Secret","metadata":{"name":"db"},"data":{"a":"[masked:kubernetes-secret]"},"stringData":{"b":"[masked:kubernetes-secret]"}}',
    );
  });

  it('masked again stays the same, and a value that is nested too deeply is left out', () => {
    let deep: unknown = 'hunter22';
    for (let level = 0; level < 300; level++) deep = { a: deep };
    const once = masker.maskJson({ deep, password: 'hunter22' });
    expect(JSON.stringify(once.value)).toContain('[masked:unreadable#');
    expect(masker.maskJson(once.value)).toEqual({ value: once.value, count: 0, kinds: {} });
  });
});

describe('the text in between', () => {
  const known = ['zebra quartz 77 lantern', 'ghost-9931-walnut'];
  const { mask } = createMasker({ known });
  const token = `ghp_${'a1B2'.repeat(9)}`;

  it.each([
    ['a line break in the place of a blank', 'zebra quartz\n  77 lantern', '[masked:known]'],
    ['an escaped line break in an escaped text', '{"a":"ghost-\\n9931-walnut"}', '{"a":"[masked:known]"}'],
    [
      'escaped colours',
      '{"a":"\\u001b[31mghost\\u001b[0m-9931-walnut"}',
      '{"a":"\\u001b[31m[masked:known]"}',
    ],
    ['a NUL before a token', `pod\0${token}\0end`, 'pod\0[masked:github-token]\0end'],
    [
      'a line break that is escaped twice before a token',
      `pod\\\\n${token}`,
      'pod\\\\n[masked:github-token]',
    ],
  ])('hides nothing: %s', (_, text, expected) => {
    expect(mask(text).text).toBe(expected);
  });
});
