// Secrets on command lines and in the files of tools that have a notation of their own: `mysql -p…`, .netrc,
// .pgpass, `AUTH …` of Redis, `IDENTIFIED BY '…'` of SQL.

import { matchAt, type Scan } from '../scan/scan.ts';
import { isPlaceholder } from '../scan/values.ts';

/** A value of a command line, in quotes or without. */
const VALUE = `(?:"([^"\\n\\ufdd0]{1,500})"|'((?:[^'\\n\\ufdd0]|''(?=[^\\s'",;:)}\\]])){1,500})'|([^\\s"'|;&<>\`\\ufdd0]{1,500}))`;
/** Other arguments, on the same command. */
const ARGUMENTS = '[^\\n|;\\ufdd0]{0,300}?';

interface Notation {
  /** A text that every match contains, for a fast search. */
  trigger: string;
  /** The text between the trigger and the value. */
  before: string;
  /** The kind in the mark. */
  kind: string;
  /** The form of the value. Default: anything but a placeholder. */
  value?: RegExp;
  /** Words of SQL and the like, in any case. Options of commands mean something else in the other case. */
  anyCase?: true;
}

const NOTATIONS: readonly Notation[] = [
  {
    trigger: '\\bmysql\\w{0,10}|mariadb\\w{0,12}|mycli',
    before: `\\b${ARGUMENTS}\\s-p`,
    kind: 'password',
    value: /^[^\s-]/,
  },
  {
    trigger: 'sshpass|plink|pscp|psftp|smbpasswd',
    before: `\\b${ARGUMENTS}\\s-(?:p|pw)\\s{0,4}`,
    kind: 'password',
  },
  {
    trigger: 'redis-cli|iredis|valkey-cli',
    before: `\\b${ARGUMENTS}\\s(?:-a|--pass)\\s{1,4}`,
    kind: 'password',
  },
  {
    trigger: '\\b(?:docker|podman|nerdctl|helm|skopeo|oras|crane|az|oc|buildah)\\s',
    before: `[^\\n|;\\ufdd0]{0,60}?login\\b[^\\n|;\\ufdd0]{0,200}?\\s-p[\\s=]{1,4}`,
    kind: 'password',
  },
  {
    trigger:
      '\\b(?:mongo(?:sh|dump|restore|export|import)?|cqlsh|sqlcmd|bcp|isql|ldap(?:search|modify|add|delete|whoami)|twine|clickhouse-client|influx|rabbitmqadmin|unzip|7z[ar]?|zip|keytool)\\b',
    before: `${ARGUMENTS}\\s-(?:p|P|w|pw|storepass|keypass)\\s{0,4}`,
    kind: 'password',
    value: /^[^\s-]{4,}/,
  },
  {
    trigger: 'smbclient|mount\\.cifs|net\\s{1,4}use\\b',
    before: `${ARGUMENTS}(?:-U\\s{0,4}[^\\s%]{1,60}%|/user:\\S{1,60}\\s{1,4})`,
    kind: 'password',
  },
  {
    trigger: 'rabbitmqctl|vault\\s{1,4}login|doctl\\s{1,4}auth|gh\\s{1,4}auth',
    before: `\\s{1,4}(?:add_user|change_password|--with-token)?\\s{0,4}(?:\\S{1,60}\\s{1,4})?(?=\\S{8,200}\\s*$)`,
    kind: 'password',
  },
  { trigger: '\\b(?:bind|root)pw(?=[ \\t])', before: '[ \\t]{1,8}', kind: 'password', anyCase: true },
  {
    trigger: 'kinit',
    before: '\\b[^\\n|;&\\ufdd0]{0,200}?(?:<<<\\s{0,4}|<<-?\\s{0,4}["\']?\\w{1,20}["\']?[ \\t]{0,8}\\n)',
    kind: 'password',
  },
  { trigger: '\\buser(?:add|mod)\\b', before: `${ARGUMENTS}\\s-p\\s{1,4}`, kind: 'password' },
  { trigger: 'ipmitool', before: `\\b${ARGUMENTS}\\s-P\\s{0,4}`, kind: 'password' },
  { trigger: '\\blftp\\s', before: `${ARGUMENTS}(?:-u|--user)[\\s=]{1,4}[^\\s,"']{1,60},`, kind: 'password' },
  {
    trigger: '\\bgh\\s{1,4}secret\\s{1,4}set',
    before: `\\s${ARGUMENTS}(?:--body|-b)[\\s=]{1,4}`,
    kind: 'password',
  },
  { trigger: 'chpasswd|passwd --stdin', before: '', kind: 'password', value: /^$/ },
  { trigger: '-pass(?:in|out)\\s', before: '\\s{0,4}pass:', kind: 'password' },
  {
    trigger: 'identified\\s{1,4}by',
    before: `\\s{1,8}(?:password\\s{1,4})?(?:values\\s{1,4})?(?=["'])`,
    kind: 'password',
    anyCase: true,
  },
  {
    trigger: '(?:with|encrypted|set|user\\s\\S{1,60})\\s{1,4}password',
    before: `\\s{1,8}(?:=\\s{0,4})?(?=["'])`,
    kind: 'password',
    anyCase: true,
  },
  { trigger: '\\b(?:requirepass|masterauth|masteruser)', before: '["\']?\\s{1,8}', kind: 'password' },
  {
    trigger: '(?:^|["\\s])auth',
    before: '["\']?\\s{1,4}(?:plain\\s{1,4}|login\\s{1,4})(?=[A-Za-z0-9+/]{8,}={0,2}\\s*$)',
    kind: 'password',
    anyCase: true,
  },
  {
    trigger: '\\b(?:machine|default)\\s',
    before: `[^\\n\\ufdd0]{0,200}?\\b(?:password|passwd)\\s{1,20}`,
    kind: 'password',
  },
  { trigger: '_auth(?:token)?|_password', before: '\\s{0,4}=\\s{0,4}', kind: 'token' },
  {
    trigger:
      'snmp-server\\s{1,4}community|enable\\s{1,4}(?:secret|password)|username\\s\\S{1,60}\\s(?:secret|password)',
    before: '\\s{1,4}(?:[0579]\\s{1,4})?',
    kind: 'password',
  },
  {
    trigger: 'openconnect|wpa_passphrase|wpa_supplicant|\\bpsk',
    before: '\\s{0,4}=\\s{0,4}',
    kind: 'password',
    value: /^.{8,63}$/,
  },
];

const TRIGGER = new RegExp(NOTATIONS.map(({ trigger }) => `(${trigger})`).join('|'), 'gim');
const AFTER = NOTATIONS.map(({ before, anyCase }) => new RegExp(before + VALUE, anyCase ? 'iym' : 'ym'));

/** `host:port:database:user:password`, one a line or in quotes. */
const PGPASS =
  /(?:^|["'])(?:[\w.*-]{1,200}|\/[\w./-]{1,100}):(?:\*|5432|5433|6432|5439|26257|\d{4,5}):[^:\s"']{1,100}:[^:\s"']{1,100}:([^\s"'\ufdd0]{3,200})\s*(?:$|["'])/gm;
/** `echo 'root:secret' | chpasswd`. */
const CHPASSWD =
  /echo\s{1,4}(?:-\w\s)?["']?[\w.-]{1,60}:([^\s"'|\ufdd0]{1,200})["']?\s{0,4}\|\s{0,4}(?:sudo\s)?chpasswd/gi;
/** `printf secret | docker login --password-stdin`, `echo secret | sudo -S`. */
const PIPED =
  /(?:echo|printf)\s{1,4}(?:-\w\s{1,4}|["']?%s(?:\\n)?["']?\s{1,4})?["']?([^\s"'|$\ufdd0]{4,500})["']?\s{0,4}\|(?:[^\n|;]{0,200}?--(?:password|token)-?(?:stdin|file)?|\s{0,4}(?:sudo\s{1,4})?(?:kinit|cryptsetup|smbpasswd|passwd)\b|\s{0,4}sudo\s{1,4}(?:-\w{1,9}\s{1,4})?-\w{0,5}S)/gi;

/** `kubectl create secret generic db --from-literal=pin=1234`: the key can say nothing. */
const FROM_LITERAL =
  /--from-literal(?:=|\s{1,4}|["'],\s{0,4})(?:"[\w.-]{1,253}=([^"\n\ufdd0]{1,500})|'[\w.-]{1,253}=([^'\n\ufdd0]{1,500})|[\w.-]{1,253}=(?:"([^"\n\ufdd0]{1,500})|'([^'\n\ufdd0]{1,500})|([^\s"'|;&\ufdd0]{1,500})))/g;
const OF_CONFIG_MAP = /\b(?:configmap|cm)\b[^\n|;]*$/;

/** `- pin=1234`, below `literals` of the `secretGenerator` of a kustomization. */
const GENERATOR =
  /\bsecretGenerator:[ \t]{0,9}\r?\n((?:[ \t]{0,40}(?:-[ \t]|[\w"']{1,60}:)[^\n]{0,1000}\n?){1,200})/g;
const GENERATED = /^[ \t]*-[ \t]+["']?[\w.-]{1,253}=(.{1,500}?)["']?[ \t\r]*$/gm;

/** Finds secrets in the notations of tools. */
export function findInCommands(scan: Scan): void {
  const { text } = scan;
  TRIGGER.lastIndex = 0;
  for (let hit = TRIGGER.exec(text); hit !== null; hit = TRIGGER.exec(text)) {
    const index = hit.findIndex((group, position) => position > 0 && group !== undefined) - 1;
    const [notation, after] = [NOTATIONS[index], AFTER[index]];
    scan.spend(100);
    if (hit[0] === '') TRIGGER.lastIndex++;
    if (notation === undefined || after === undefined) continue;
    const at = hit.index + hit[0].length;
    const found = matchAt(text, at, after);
    if (found === null) continue;
    const value = found[1] ?? found[2] ?? found[3] ?? '';
    const end = at + found[0].length - (found[3] === undefined ? 1 : 0);
    scan.spend(found[0].length);
    if (isPlaceholder(value) || (notation.value !== undefined && !notation.value.test(value))) continue;
    scan.found(end - value.length, end, notation.kind);
  }
  if (text.includes('--from-literal')) findLiterals(scan);
  if (text.includes('secretGenerator')) findGenerated(scan);
  if (text.includes(':')) eachGroup(scan, PGPASS, 'password');
  if (/chpasswd/i.test(text)) eachGroup(scan, CHPASSWD, 'password');
  if (text.includes('|')) eachGroup(scan, PIPED, 'password');
}

function findLiterals(scan: Scan): void {
  const { text } = scan;
  FROM_LITERAL.lastIndex = 0;
  for (let found = FROM_LITERAL.exec(text); found !== null; found = FROM_LITERAL.exec(text)) {
    scan.spend(found[0].length + 300);
    const value = found.slice(1).find((one) => one !== undefined) ?? '';
    const end = found.index + found[0].length;
    const isPublic = OF_CONFIG_MAP.test(text.slice(Math.max(0, found.index - 300), found.index));
    if (!isPublic && !isPlaceholder(value)) scan.found(end - value.length, end, 'kubernetes-secret');
  }
}

function findGenerated(scan: Scan): void {
  GENERATOR.lastIndex = 0;
  for (let found = GENERATOR.exec(scan.text); found !== null; found = GENERATOR.exec(scan.text)) {
    scan.spend(found[0].length);
    const start = found.index + found[0].length - (found[1] ?? '').length;
    for (const { index, 0: line, 1: value = '' } of (found[1] ?? '').matchAll(GENERATED)) {
      const from = start + index + line.lastIndexOf(value);
      scan.found(from, from + value.length, 'kubernetes-secret');
    }
  }
}

function eachGroup(scan: Scan, pattern: RegExp, kind: string): void {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(scan.text); found !== null; found = pattern.exec(scan.text)) {
    const value = found[1] ?? '';
    scan.spend(found[0].length);
    const start = found.index + found[0].lastIndexOf(value);
    if (!isPlaceholder(value)) scan.found(start, start + value.length, kind);
  }
}
