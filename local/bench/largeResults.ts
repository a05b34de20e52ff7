// Large results of tools that are nothing but findings, and a log without any to compare with.

/** Length of a result in the characters of ASCII, and how many come at once. */
export const RESULT_LENGTH = 6_000_000;
export const RESULTS_AT_ONCE = 4;

/** Each `line` with its number and the name of the text, so that no two secrets are equal. */
function linesOf(line: (id: string) => string): (length: number, name: string) => string {
  return (length, name) => {
    const lines: string[] = [];
    for (let size = 0, index = 0; size < length; index++) {
      const written = line(`${name.replace(/\W/g, '')}x${index}`);
      lines.push(written);
      size += written.length;
    }
    return lines.join('').slice(0, length);
  };
}

const encoded = (id: string): string => Buffer.from(`value ${id}`).toString('base64');

/** Makes a result of so many characters. */
export const LARGE_RESULTS: Record<string, (length: number, name: string) => string> = {
  passwords: linesOf((id) => `password=SameHead99${id}\n`),
  'passwords, with signs that are not of Latin-1': linesOf((id) => `→ password=SameHead99${id}\n`),
  'JSON with passwords': linesOf((id) => `{"user":"u${id}","password":"SameHead99${id}"}\n`),
  'JSON in JSON with passwords': linesOf(
    (id) => `{"log":"{\\"user\\":\\"u${id}\\",\\"password\\":\\"SameHead99${id}\\"}\\n"}\n`,
  ),
  'Secrets of Kubernetes as JSON': linesOf((id) => `{"kind":"Secret","data":{"a":"${encoded(id)}"}}\n`),
  'Secrets of Kubernetes as YAML': linesOf((id) => `kind: Secret\ndata:\n  a: ${encoded(id)}\n---\n`),
  'a log without findings': linesOf((id) => `level=info msg="order placed" order=${id} latency=0.123\n`),
};
