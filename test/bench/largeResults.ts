// Large results of tools that are nothing but findings, and logs without any to compare with.

/** Length of a result in characters, and how many come at once. */
export const RESULT_LENGTH = 6_000_000;
export const RESULTS_AT_ONCE = 4;

/** Writes a result with the parts of a number; `name` makes unique secrets. */
type WriteResult = (length: number, name: string) => string;

/** Each `part` with its number and the name of the text, so that no two secrets are equal. */
function partsOf(part: (id: string) => string, head = ''): WriteResult {
  return (length, name) => {
    const parts = [head];
    for (let size = head.length, index = 0; size < length; index++) {
      const written = part(`${name.replace(/\W/g, '')}x${index}`);
      parts.push(written);
      size += written.length;
    }
    return parts.join('').slice(0, length);
  };
}

const encoded = (id: string): string => Buffer.from(`value ${id}`).toString('base64');
const secretJson = (id: string): string => `{"kind":"Secret","data":{"a":"${encoded(id)}"}}`;
const secretYaml = (id: string): string => `kind: Secret\ndata:\n  a: ${encoded(id)}\n---\n`;
const inString = (text: string): string => JSON.stringify(text).slice(1, -1);

const ASCII: Record<string, WriteResult> = {
  passwords: partsOf((id) => `password=SameHead99${id}\n`),
  'passwords in one line': partsOf((id) => `password=SameHead99${id} `),
  'passwords as YAML': partsOf((id) => `- user: u${id}\n  password: SameHead99${id}\n`),
  'JSON with passwords': partsOf((id) => `{"user":"u${id}","password":"SameHead99${id}"}\n`),
  'JSON with passwords, in one line': partsOf((id) => `{"user":"u${id}","password":"SameHead99${id}"},`, '['),
  'JSON in JSON with passwords': partsOf(
    (id) => `{"log":"{\\"user\\":\\"u${id}\\",\\"password\\":\\"SameHead99${id}\\"}\\n"}\n`,
  ),
  'Secrets as JSON': partsOf((id) => `${secretJson(id)}\n`),
  'Secrets as JSON, in one line': partsOf((id) => `${secretJson(id)},`, '{"kind":"List","items":['),
  'Secrets as JSON in JSON': partsOf((id) => `{"log":"${inString(secretJson(id))}\\n"}\n`),
  'Secrets as YAML': partsOf(secretYaml),
  'Secrets as YAML in JSON': partsOf((id) => `{"log":"${inString(secretYaml(id))}"}\n`),
  'Secrets as maps of Go': partsOf((id) => `&Secret{Data:map[string]string{a: ${encoded(id)},},}\n`),
  tokens: partsOf((id) => `ghp_${`${id}${'aB3dE5gH7jK9'.repeat(4)}`.slice(0, 36)}\n`),
  'URLs with passwords': partsOf((id) => `https://user:SameHead99${id}@shop.example.com/\n`),
  'passwords in base64': partsOf((id) => `${Buffer.from(`password=SameHead99${id}`).toString('base64')}\n`),
};

/** Texts of the same kind whose characters take two bytes in memory. */
const wide = (make: WriteResult, sign: string): WriteResult => {
  return (length, name) => `${sign}\n${make(length - sign.length - 1, name)}`;
};

/** Makes a result of so many characters. */
export const LARGE_RESULTS: Record<string, WriteResult> = {
  ...ASCII,
  ...Object.fromEntries(
    Object.entries(ASCII).map(([kind, make]) => [`${kind}, two bytes a character`, wide(make, '→')]),
  ),
  'Cyrillic with passwords': partsOf((id) => `пользователь ${id} вошёл, пароль password=ключ99${id}\n`),
  'Chinese with passwords, as JSON': partsOf((id) => `{"用户":"用户${id}","password":"密码密码99${id}"}\n`),
  'Emoji with passwords': partsOf((id) => `😀 password=😀SameHead99${id}\n`),
  'a log without findings': partsOf((id) => `level=info msg="order placed" order=${id} latency=0.123\n`),
  'a log of errors': partsOf((id) => `level=error msg="order ${id} failed: connection refused" code=503\n`),
};
