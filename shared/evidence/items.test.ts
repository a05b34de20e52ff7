import { expect, it } from 'vitest';
import {
  formatStateKey,
  type Item,
  type Items,
  namesIn,
  plainValue,
  readItems,
  splitCamelWords,
} from './items.ts';

const listItems = ({ named, valued }: Items): Item[] => [
  ...new Set([...named.values(), ...valued.values()].flatMap((items) => [...items])),
];
/** `web-1 in shop: status=Running!`: names of an item and of its parent, and fields, `!` for a state. */
function shown(item: Item): string {
  const names = ({ names: own }: Item): string => [...own].join(' ') || '-';
  const fields = item.fields.map(
    ({ words, value, isState }) => `${words.at(-1)}=${value}${isState ? '!' : ''}`,
  );
  return `${names(item)}${item.parent === undefined ? '' : ` in ${names(item.parent)}`}: ${fields.join(', ')}`;
}

it.each<[string, string, string[]]>([
  [
    'an object of JSON, without a long message and what names others',
    '{"name":"web-1","status":"Running","ready":true,"restartCount":3,"note":"one two three four five six seven","nodeName":"n1","none":null}',
    ['web-1: status=Running!, ready=true, restartcount=3, nodename=n1'],
  ],
  [
    'the first words of a state',
    '{"name":"web-1","status":"Up 9 days since the last one of them"}',
    ['web-1: status=Up 9 days since the last!'],
  ],
  ['a value of six words', '{"name":"a","note":"1 2 3 4 5 6"}', ['a: note=1 2 3 4 5 6']],
  ['a list', '[{"pod":"a-1","cpu":5},{"pod":"a-2","cpu":7}]', ['a-1: cpu=5', 'a-2: cpu=7']],
  [
    'lines of JSON among others',
    'found:\n{"id":"x-1","level":"warn"}\nno json\n{"id":"x-2","level":"info"}',
    ['x-1: level=warn', 'x-2: level=info'],
  ],
  ['JSON behind a line', 'found:\n{"id":"x-1",\n"level":"warn"}', ['x-1: level=warn']],
  [
    'conditions of an object',
    '{"name":"web-1","conditions":[{"type":"Ready","status":"False"},{"type":"Initialized","status":7}]}',
    [
      'web-1: ready=False',
      '- in web-1: type=Ready, status=False!',
      '- in web-1: type=Initialized, status=7!',
    ],
  ],
  [
    'blocks by their keys',
    '{"logs-2026.11":{"health":"yellow","docs":5},"settings":{"size":7},"v-1":[{"name":"b"}],"k-2":3}',
    ['logs-2026 logs-2026.11 in -: health=yellow!, docs=5', '-: size=7, k=3', 'b in -: '],
  ],
  [
    'names of lists, and of hosts',
    '{"kind":"Pod","name":"a","x":{"names":["b","c"],"port":80},"host":"h-1.example.com:443"}',
    ['a b c 443 h-1.example.com h-1 h-1.example.com:443: kind=Pod, port=80'],
  ],
  [
    'a table, which a blank line ends',
    'NAME    READY   STATUS    RESTARTS   AGE\nweb-1   1/1     Running   0          4d\nweb-2   0/1     Pending   12         5m\n\nweb-3 x 1 2 3',
    [
      'web-1 1 1/1 in -: ready=1/1, status=Running!, restarts=0, age=4d',
      'web-2 1 0/1 in -: ready=0/1, status=Pending!, restarts=12, age=5m',
    ],
  ],
  [
    'a table with missing cells',
    'NAME    STATE     NODE    COUNT\nweb-1   Running           4\nweb-2             n2      5',
    ['web-1 running in -: state=Running!, count=4', 'web-2 n2 in -: count=5'],
  ],
  [
    'a table with a head of words, whose rows have more',
    'Filesystem  Size  Used Avail Mounted on\n/dev/sda1   1.8T  1.7T   74G /scratch\ntmpfs        98G   41G   53G /',
    [
      'sda1 dev/sda1 1.8t in -: filesystem=/dev/sda1, size=1.8T, used=1.7T, avail=74G, mounted=/scratch',
      'tmpfs 98g in -: filesystem=tmpfs, size=98G, used=41G, avail=53G, mounted=/',
    ],
  ],
  [
    'a table of Markdown, and one behind it',
    '| name | state | lag |\n|------|-------|-----|\n| db-1 | up | 4 |\n\n| name | role | lag |\n| db-2 | replica | 9 |',
    ['db-1 up in -: state=up!, lag=4', 'db-2 replica in -: role=replica!, lag=9'],
  ],
  ['a table with tabs', 'name\tstate\tlag\ndb-1\tup\t4', ['db-1 up in -: state=up!, lag=4']],
  ['a table with commas', 'host,used,free\ndb-1,5,6', ['db-1 5 in -: used=5, free=6']],
  ['no table in two columns', 'a,b\n1,2', []],
  [
    'YAML',
    'metadata:\n  name: web-1\n  labels:\n    app: web\nstatus:\n- type: Ready\n  status: "False"\n- reason: x',
    ['web-1: app=web, ready=False', '- in web-1: type=Ready, status=False!', '- in web-1: reason=x'],
  ],
  [
    'an indented list of YAML',
    'pods:\n  - name: a-1\n    phase: Failed\n  - name: a-2\n    phase: Running',
    ['a-1 in -: phase=Failed!', 'a-2 in -: phase=Running!'],
  ],
  [
    'records that start with the same key',
    'Name: a-1\nState: up\nName: a-2\nState: down',
    ['a-1 in -: state=up!', 'a-2 in -: state=down!'],
  ],
  ['a key that stands twice', 'a: 1\nb: 2\nb: 3', ['-: a=1, b=2, b=3']],
  [
    'pairs in several forms',
    'replica_id: 7\nIO = yes\ncluster-1::lag::5\nSealed   true',
    ['7: io=yes, clusterlag=5, sealed=true'],
  ],
  [
    'states in sentences',
    'https://etcd-a:2379 is healthy; web-1 is not ready and cart is ready, web-2 is blue',
    ['https 2379 etcd-a etcd-a:2379: state=healthy!', 'web-1: state=not ready!'],
  ],
])('reads %s', (_, text, items) => {
  expect(listItems(readItems(text)).map(shown).sort()).toEqual(items.toSorted());
});

it('items are found by each of their names, by the words of their keys, by values and by states', () => {
  const text =
    '{"name":"shop/web-1:80","readyReplicas":"1,204 ms","status":"Not Ready","at":"2026-11-17T09:31:00Z"}';
  const { named, valued } = readItems(text);
  expect([...named.keys()].sort()).toEqual(
    ['80', 'at', 'ready', 'readyreplicas', 'replicas', 'shop/web-1:80', 'status', 'web-1', 'web-1:80'].sort(),
  );
  expect([...valued.keys()].sort()).toEqual(['09:31:00', '1204', 'not ready', 'shop/web-1:80', 'state not']);
});

it('samples are values of their series, which its metric names as well', () => {
  const range = '{"metric":{"job":"api"},"values":[[1794904800,"0.25"],[1794904860,"0.5"]]}';
  expect([...readItems(range).valued.keys()]).toEqual(['api', '0.25', '0.5']);
  const [one] = listItems(readItems('{"metric":{"__name__":"up","job":"api"},"value":[1794904800,"1"]}'));
  expect(one && shown(one)).toMatch(/^up api: up=1, /);
});

it('items of one list have the same list, others have not', () => {
  const [a, b, c] = listItems(readItems('{"x":[{"id":"a"},{"id":"b"}],"y":[{"id":"c"}]}'));
  expect([a?.list === b?.list, a?.list === c?.list]).toEqual([true, false]);
});

it('brackets in brackets end after 30', () => {
  const nested = (depth: number): string => (depth === 0 ? '{"id":"a"}' : `[${nested(depth - 1)}]`);
  expect([28, 31].map((depth) => listItems(readItems(nested(depth))).length)).toEqual([1, 0]);
});

it('words and values are compared in one form', () => {
  expect(namesIn('GKE-1.eu/Pool-2, a')).toEqual(['pool-2', 'gke-1.eu/pool-2', 'a']);
  expect(splitCamelWords('SchedulingDisabled')).toEqual(['scheduling', 'disabled', 'schedulingdisabled']);
  expect(splitCamelWords('pod2Ready_now')).toEqual(['pod2', 'ready', 'now', 'podreadynow']);
  expect(['1,204 ms', 'at 09:31:00', 'Ready'].map(plainValue)).toEqual(['1204', '09:31:00', 'ready']);
  expect(formatStateKey('Not Ready')).toBe('state not');
});
