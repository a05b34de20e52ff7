import { expect, it } from 'vitest';
import { faultLine } from './configError.ts';
import { triageFileSchema } from './triageFile.ts';
import { validateFile } from './validate.ts';
import { parseYaml } from './yamlFile.ts';

/** The faults of a file, one line each. */
function faults(text: string): string[] {
  const yaml = parseYaml('triage.yaml', text);
  const found = [...yaml.faults];
  validateFile(yaml, triageFileSchema(yaml.value), found);
  return found.map(faultLine);
}

const rule = (line: string) => faults(`rules:\n  - name: one\n    action: record\n    ${line}\n`);

it('a file with every setting has no faults', () => {
  expect(
    faults(`
timezone: Europe/Berlin
severities: [urgent]
windows:
  upgrade: {from: 2026-12-01T22:00, to: 2026-12-02T02:00, timezone: UTC}
  weekly: {days: [sun, mon-tue], from: 02:00, to: 24:00}
rules:
  - name: urgent
    severity: [Urgent, SEV-1]
    action: investigate
  - name: night
    source: [alertmanager, json]
    labels: {env: "d*"}
    text: reboot
    pattern: ["disk .+ full"]
    state: [firing, unknown]
    time: {days: fri-mon, from: "20:00", to: "06:00"}
    window: [upgrade, weekly]
    reason: Nobody is there.
    action: record
default: investigate
`),
  ).toEqual([]);
});

it.each([
  [
    'timezone: Europe/Berln',
    /^triage\.yaml:1:11 timezone: unknown time zone "Europe\/Berln"; .*did you mean "Europe\/Berlin"\?$/,
  ],
  [
    'windows:\n  w: {from: 2026-12-02T02:00, to: 2026-12-01T22:00}',
    /^triage\.yaml:2:\d+ windows\.w\.to: is not after from; /,
  ],
  [
    'windows:\n  w: {from: 2026-06-31T02:00, to: 2026-07-01T22:00}',
    /windows\.w\.from: is no day or time that there is$/,
  ],
  [
    'windows:\n  w: {from: 2026-06-30, to: 2026-07-01T22:00}',
    /windows\.w\.from: must be a date with a time such as/,
  ],
  ['windows:\n  w: {to: 2026-07-01T22:00}', /windows\.w\.from: must be a date with a time/],
  [
    'windows:\n  w: {from: "25:00"}',
    /windows\.w\.from: must be a time of day such as "06:30", from 00:00 to 23:59$/,
  ],
  [
    'windows:\n  w: {from: 2026-06-30T02:00, to: 2026-06-31T02:00}',
    /windows\.w\.to: is no day or time that there is$/,
  ],
  ['windows:\n  w: {from: "24:00"}', /windows\.w\.from: must be a time of day .*to 23:59$/],
  ['windows:\n  w: {to: "24:01"}', /windows\.w\.to: must be a time of day .*to 24:00$/],
  ['windows:\n  w: {from: "02:60"}', /windows\.w\.from: must be a time of day/],
  ['windows:\n  w: {days: mon-tue-wed}', /windows\.w\.days: must be days such as mon or mon-fri/],
  ['windows:\n  w: {days: mon-xyz}', /windows\.w\.days: must be days such as mon or mon-fri/],
  ['windows:\n  w: {days: xyz-mon}', /windows\.w\.days: must be days such as mon or mon-fri/],
  ['windows:\n  w: {days: sunday}', /windows\.w\.days: must be days such as mon or mon-fri/],
  ['windows:\n  w: {from: "02:00", to: "02:00"}', /windows\.w\.to: is the same time as from; /],
  ['windows:\n  w: {}', /windows\.w: has no time; set days, from or to$/],
  ['windows:\n  w: {form: "02:00", to: "03:00"}', /windows\.w\.form: unknown key; .*did you mean "from"\?$/],
  ['correlate:\n  - {labels: []}', /correlate\[0\]\.labels: must hold at least 1$/],
  ['correlate:\n  - {labels: [a], window: 15}', /correlate\[0\]\.window: must be a duration such as 120s/],
  [
    'rules:\n  - {name: a, text: abc, action: investigate, join: true}',
    /rules\[0\]\.join: needs correlate, which lists/,
  ],
  [
    'correlate:\n  - {labels: [a]}\nrules:\n  - {name: a, text: abc, action: drop, join: true}',
    /rules\[0\]\.join: needs action: investigate/,
  ],
  ['default: ignore', /default: unknown value "ignore"; expected one of investigate, record, drop$/],
  [
    'rules:\n  - {name: a, text: abc, action: drop}\n  - {name: a, text: abc, action: drop}',
    /rules\[1\]\.name: another rule has the name "a"/,
  ],
])('a fault is reported with its place: %s', (text, message) => {
  const found = faults(text);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(message);
});

it.each([
  [
    'severity: criticl',
    /^triage\.yaml:4:15 rules\[0\]\.severity: unknown severity "criticl"; .*did you mean "critical"\?$/,
  ],
  ['pattern: "(abc"', /rules\[0\]\.pattern: is no pattern of RE2: missing closing \)/],
  ['pattern: "(?<=a)b"', /is no pattern of RE2: .*RE2 has no look-around and no back-references$/],
  ['pattern: "a*"', /matches the empty text; require at least one character/],
  ['pattern: "a{5000}"', /is no pattern of RE2: invalid repeat/],
  ['window: upgrade', /rules\[0\]\.window: unknown window "upgrade"; none is defined$/],
  ['state: [fired]', /rules\[0\]\.state\[0\]: unknown value "fired"; .*did you mean "firing"\?$/],
  ['source: alertmangaer', /did you mean "alertmanager"\?$/],
  [
    'time: {timezone: Mars/Phobos, days: mon}',
    /rules\[0\]\.time\.timezone: unknown time zone "Mars\/Phobos"/,
  ],
  ['reason: Nothing else', /rules\[0\]: has no condition and would take every alert/],
  ['text: abc\n    nam: x', /rules\[0\]\.nam: unknown key; .*did you mean "name"\?$/],
])('a fault of a rule is reported: %s', (line, message) => {
  const found = rule(line);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(message);
});

it('names of built-in decisions are refused', () => {
  expect(faults('rules:\n  - {name: watchdog, text: abc, action: drop}')).toEqual([
    expect.stringContaining('"watchdog" is the name of a built-in decision'),
  ]);
});
