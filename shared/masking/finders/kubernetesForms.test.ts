import { describe, expect, it } from 'vitest';
import { createMasker } from '../masker.ts';

const masker = createMasker({});
const masked = (text: string) => masker.mask(text).text;
const VALUE = 'aGV5';
const LINES =
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  pin: ${VALUE}\n  a: ${VALUE}\ntype: Opaque`.split(
    '\n',
  );
const time = (index: number) => `2026-11-22T10:00:0${index}.12345678${index}Z`;
const each = (write: (line: string, index: number) => string): string => LINES.map(write).join('\n');

describe('a Secret of YAML behind', () => {
  it.each([
    ['times', each((line, index) => `${time(index)} ${line}`)],
    ['the prefix of a container runtime', each((line, index) => `${time(index)} stdout F ${line}`)],
    ['that of journald', each((line, index) => `Nov 22 10:00:0${index} node-1 app[12${index}]: ${line}`)],
    ['numbers of lines', each((line, index) => `${index + 6}:${line}`)],
    ['names of files', each((line, index) => `a.yaml:${index + 6}:${line}`)],
    [
      'grep with its context',
      each((line, index) => (index === 1 ? `a.yaml:7:${line}` : `a.yaml-${index + 6}-${line}`)),
    ],
    ['tabs', each((line, index) => `     ${index + 1}\t${line}`)],
    ['a service of compose', each((line) => `service-1  | ${line}`)],
    ['a pod', each((line) => `[pod/shop-abc/app] ${line}`)],
    ['klog', each((line, index) => `I1122 10:00:00.12345${index}  900 file.go:12] ${line}`)],
    ['a level and a dash', each((line, index) => `[2026-11-22 10:00:0${index}] INFO  app - ${line}`)],
    ['comments', each((line) => `# ${line}`)],
    ['comments of C', each((line) => ` * ${line}`)],
    ['quotations', each((line) => `> ${line}`)],
    ['a table', each((line) => `| ${line.padEnd(30)} |`)],
    [
      'lines of JSON',
      each((line, index) => JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: time(index) })),
    ],
    ['logfmt', each((line, index) => `time=${time(index)} level=info msg="${line}"`)],
    ['plus signs', each((line) => `+${line}`)],
    ['signs of a diff', ` kind: Secret\n data:\n-  pin: ${VALUE}\n+  pin: ${VALUE}\n   a: ${VALUE}\n`],
  ])('%s', (_, text) => {
    expect(masked(text)).not.toContain(VALUE);
    expect(masked(text).match(/\[masked:/g)?.length).toBeGreaterThanOrEqual(2);
    expect(masked(text).replace(/\[masked:[^\]]+\]/g, VALUE)).toBe(text);
  });
});

it('a Secret of JSON within strings of JSON loses its values, and nothing else', () => {
  let text = JSON.stringify({ kind: 'Secret', data: { pin: VALUE, a: VALUE }, type: 'Opaque' });
  for (let depth = 0; depth < 3; depth++) {
    expect(masked(text)).not.toContain(VALUE);
    expect(masked(text).replace(/\[masked:[^\]]+\]/g, VALUE)).toBe(text);
    text = JSON.stringify({ log: text, stream: 'stdout' });
  }
});

it('an object of JSON with a string that is no key hides the values behind it all the same', () => {
  const text = `{"kind" "Secret", "kind": "Secret", "data": {"pin": "${VALUE}"}}`;
  for (const written of [text, JSON.stringify({ log: text })]) expect(masked(written)).not.toContain(VALUE);
});

describe('a Secret as', () => {
  it.each([
    [
      'a flow mapping',
      `{apiVersion: v1, kind: Secret, metadata: {name: db}, data: {pin: ${VALUE}, a: ${VALUE}}}`,
    ],
    [
      'a flow mapping whose kind comes last',
      `- {apiVersion: v1, data: {pin: ${VALUE}, a: "${VALUE}"}, kind: Secret}`,
    ],
    ['a flow mapping in lines', `{\n kind: Secret,\n data: {\n pin: ${VALUE},\n a: '${VALUE}'\n }\n}`],
    ['a block with a flow mapping in lines', `kind: Secret\ndata: {\n  pin: ${VALUE},\n  a: ${VALUE}\n}\n`],
    [
      'a struct of Go',
      `&Secret{ObjectMeta:{db  shop},Data:map[string][]byte{pin: [97 71 86],a: [97 71 86],},Type:Opaque,StringData:map[string]string{b: ${VALUE},},}`,
    ],
    [
      'the source of a struct',
      `&v1.Secret{Data:map[string][]uint8{"pin":[]uint8{0x61, 0x47}, "a":[]uint8{0x61, 0x47}}, StringData:map[string]string{"b":"${VALUE}"}}`,
    ],
    ['a map of Go', `map[apiVersion:v1 data:map[a:${VALUE} pin:${VALUE}] kind:Secret metadata:map[name:db]]`],
    [
      'a dump with types and lengths',
      `(v1.Secret) {\n Data: (map[string][]uint8) (len=2) {\n  pin: ([]uint8) (len=3 cap=3) "${VALUE}",\n  (string) (len=1) "a": (string) (len=4) "${VALUE}"\n }\n}`,
    ],
    ['a patch', `kubectl patch secret db -p '{"data":{"pin":"${VALUE}", "a" : "${VALUE}"}}' --type=merge`],
    ['a patch of texts', `kubectl -n shop patch secrets db -p '{"stringData" : {"pin":"${VALUE}"}}'`],
    [
      'data of a template',
      `kubectl get secrets db -o go-template='{{.data}}'\n  map[a:${VALUE} pin:${VALUE}]\n$ ls`,
    ],
    ['a map of a kind in quotes', `kind:"Secret" data:map[a:${VALUE} b:${VALUE}] a:b`],
    [
      'data from jsonpath',
      `$ kubectl get secret db -o jsonpath='{.data}'\n{"pin":"${VALUE}","a":"${VALUE}"}`,
    ],
    ['a map from jsonpath', `kubectl get secret db -o jsonpath={.data}\nmap[a:${VALUE} pin:${VALUE}]`],
    ['a value from jsonpath', `$ kubectl get secret db -n shop -o jsonpath='{.data.pin}'\n${VALUE}\n$ ls`],
    [
      'a value that was decoded',
      `kubectl get secret db -o jsonpath='{.data.pin}' | base64 -d\n${VALUE}-is-it\n`,
    ],
  ])('%s', (_, text) => {
    const hidden = masked(text).replaceAll('[masked:kubernetes-secret]', '*');
    expect(hidden).toBe(text.replace(/aGV5(?:-is-it)?|97 71 86|0x61, 0x47/g, '*'));
  });
});

it.each([
  'map[apiVersion:v1 data:map[a:plain b:text] kind:ConfigMap]',
  '{apiVersion: v1, kind: ConfigMap, data: {a: plain}}',
  "kubectl get secret db -o jsonpath='{.data.pin}'\naws s3 ls shop\n",
  ' kind: ConfigMap\n data:\n-  a: plain\n+  a: other\n',
  'kubectl patch configmap db -p \'{"data":{"a":"plain"}}\'',
  '&ConfigMap{Data:map[string]string{a: plain,},}',
  "kubectl get secret db -o jsonpath='{.data.pin}'\n# ls\n",
  "kubectl get secret db -o jsonpath='{.data.pin}'\nError:\n",
])('nothing is masked in %s', (text) => {
  expect(masked(text)).toBe(text);
});
