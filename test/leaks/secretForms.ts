// Secrets in tools' notations, and harmless lines like them, random: the measure of the rules.

import type { Random } from '../../shared/engine/testing/random.ts';

/** A text with one secret. */
export interface SecretForm {
  /** The notation. */
  name: string;
  /** The secret as it stands in the text, without line breaks. */
  raw: string;
  text: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;

const draw = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.int(0, alphabet.length - 1)]).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (random: Random, length: number): string => draw(random, '0123456789abcdef', length);

/** Passwords as people and programs make them: without blanks, quotes and separators of columns. */
function drawPassword(random: Random): string {
  const make = random.pick<(random: Random) => string>([
    (one) => `${draw(one, ALNUM, 12)}_${draw(one, DIGITS, 3)}`,
    (one) => `${one.pick(['Winter', 'tiger', 'Blau', 'Kite'])}-${draw(one, ALNUM, 4)}!${one.int(10, 99)}`,
    (one) => `${draw(one, ALNUM, 4)}.${draw(one, ALNUM, 5)}.${draw(one, ALNUM, 4)}7`,
    (one) => draw(one, LOWER + DIGITS, 14) + one.int(0, 9),
    (one) => draw(one, ALNUM, 24),
    (one) => hex(one, 32),
    (one) => `${draw(one, LOWER, 5)}-${draw(one, LOWER, 6)}-${one.int(10, 99)}`,
  ]);
  return make(random);
}
/** A value of a Kubernetes Secret. */
const drawData = (random: Random): string =>
  random.chance(0.6) ? base64(drawPassword(random)) : base64(draw(random, LOWER, 6));
const azureKey = (random: Random, length: number): string =>
  `${draw(random, `${ALNUM}+/`, length)}${'='.repeat((4 - (length % 4)) % 4)}`;

/** Keys of Secrets: most say nothing. */
const drawKey = (random: Random): string =>
  random.pick(['pin', 'a', 'value', 'tls.crt', 'config', 'user', 'dsn-1']);
const PASSWORD_NAMES: [string, ...string[]] = [
  'password',
  'DB_PASSWORD',
  'admin_password',
  'client_secret',
  'api_token',
  'Password',
  'ROOT_PASS',
  'accessToken',
];
const drawName = (random: Random): string => random.pick(PASSWORD_NAMES);
const drawVariable = (random: Random): string =>
  random.pick([
    'DB_PASSWORD',
    'MYSQL_ROOT_PASSWORD',
    'API_TOKEN',
    'CLIENT_SECRET',
    'REDIS_PASS',
    'JWT_SECRET',
    'SMTP_PW',
  ]);

type Write = (raw: string, random: Random) => string;
interface Form {
  value: (random: Random) => string;
  write: Write;
}
const password = (write: Write): Form => ({ value: drawPassword, write });
const data = (write: Write): Form => ({ value: drawData, write });

const item = (raw: string, random: Random) => ({
  data: { [drawKey(random)]: raw },
  metadata: { name: 'shop', namespace: 'prod' },
});
const python = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('"', "'")
    .replaceAll('null', 'None')
    .replaceAll(':', ': ')
    .replaceAll(',', ', ');

const LISTS: Record<string, Form> = {
  'SecretList, JSON': data((raw, r) =>
    JSON.stringify({ apiVersion: 'v1', items: [item(raw, r)], kind: 'SecretList' }),
  ),
  'SecretList, JSON, kind first': data((raw, r) =>
    JSON.stringify(
      { kind: 'SecretList', apiVersion: 'v1', items: [{ ...item(raw, r), type: 'Opaque' }] },
      null,
      2,
    ),
  ),
  'SecretList, YAML': data(
    (raw, r) =>
      `apiVersion: v1\nitems:\n- data:\n    ${drawKey(r)}: ${raw}\n  metadata:\n    name: shop\nkind: SecretList\nmetadata:\n  resourceVersion: ""`,
  ),
  'SecretList, YAML, kind first': data(
    (raw, r) =>
      `kind: SecretList\napiVersion: v1\nitems:\n  - metadata:\n      name: shop\n    stringData:\n      ${drawKey(r)}: ${raw}\n`,
  ),
  'item without kind, JSON': data((raw, r) => JSON.stringify({ ...item(raw, r), type: 'Opaque' })),
  'items without kind, JSON': data((raw, r) =>
    JSON.stringify({
      items: [{ ...item(raw, r), type: r.pick(['kubernetes.io/tls', 'kubernetes.io/basic-auth', 'Opaque']) }],
    }),
  ),
  'item without kind, YAML': data(
    (raw, r) =>
      `metadata:\n  name: shop\ntype: ${r.pick(['Opaque', 'kubernetes.io/ssh-auth'])}\ndata:\n  ${drawKey(r)}: ${raw}`,
  ),
  'item without kind, YAML, type last': data(
    (raw, r) =>
      `- data:\n    ${drawKey(r)}: ${raw}\n  metadata:\n    name: shop\n  type: kubernetes.io/dockerconfigjson`,
  ),
  'Python dict': data((raw, r) => python({ kind: 'Secret', ...item(raw, r) })),
  'Python dict of a client': data((raw, r) =>
    python({ api_version: 'v1', ...item(raw, r), kind: null, string_data: null, type: 'Opaque' }),
  ),
  'Python dict, string_data': data(
    (raw, r) => `{'kind': 'Secret', 'string_data': {'${drawKey(r)}': '${raw}'}}`,
  ),
  'Python dict of a list': data((raw, r) => python({ items: [item(raw, r)], kind: 'SecretList' })),
  'YAML map in one line': data(
    (raw, r) => `{items: [{data: {${drawKey(r)}: ${raw}}, metadata: {name: a}}], kind: SecretList}`,
  ),
};

const TERRAFORM: Record<string, Form> = {
  kubernetes_secret: password(
    (raw, r) =>
      `resource "kubernetes_secret" "db" {\n  metadata {\n    name = "db"\n  }\n\n  data = {\n    ${r.pick(['pin', 'user', 'a'])} = "${raw}"\n  }\n}`,
  ),
  'kubernetes_secret_v1, quoted keys': password(
    (raw) =>
      `resource "kubernetes_secret_v1" "db" {\n  type = "Opaque"\n  data = {\n    "config.ini" = "${raw}"\n    "b"          = "${raw}"\n  }\n}`,
  ),
  'kubernetes_secret in a plan': password(
    (raw) =>
      `  # kubernetes_secret.db will be created\n  + resource "kubernetes_secret" "db" {\n      + data = {\n          + "pin" = "${raw}"\n        }\n      + id   = (known after apply)\n    }`,
  ),
  'kubernetes_secret changed in a plan': password(
    (raw, r) =>
      `  ~ resource "kubernetes_secret" "db" {\n      ~ data = {\n          ~ "pin" = "${drawPassword(r)}" -> "${raw}"\n        }\n        id   = "prod/db"\n    }`,
  ),
  'kubernetes_secret in a state': password((raw) =>
    JSON.stringify({
      mode: 'managed',
      type: 'kubernetes_secret',
      name: 'db',
      instances: [{ attributes: { binary_data: null, data: { pin: raw }, id: 'prod/db' } }],
    }),
  ),
  binary_data: data(
    (raw) => `resource "kubernetes_secret" "db" {\n  binary_data = {\n    "key.bin" = "${raw}"\n  }\n}`,
  ),
  secret_data: password(
    (raw) =>
      `resource "google_secret_manager_secret_version" "db" {\n  secret      = google_secret_manager_secret.db.id\n  secret_data = "${raw}"\n}`,
  ),
  secret_string: password(
    (raw) =>
      `resource "aws_secretsmanager_secret_version" "db" {\n  secret_id     = "db"\n  secret_string = "${raw}"\n}`,
  ),
  azurerm_key_vault_secret: password(
    (raw) =>
      `resource "azurerm_key_vault_secret" "db" {\n  name         = "db"\n  value        = "${raw}"\n  key_vault_id = "x"\n}`,
  ),
  random_password: password(
    (raw) => `  + resource "random_password" "db" {\n      + length = 16\n      + result = "${raw}"\n    }`,
  ),
};

const LITERALS: Record<string, Form> = {
  '--from-literal=': password(
    (raw, r) => `kubectl create secret generic db --from-literal=${drawKey(r)}=${raw}`,
  ),
  '--from-literal with a blank': password(
    (raw, r) =>
      `+ kubectl -n prod create secret generic db --from-literal user=app --from-literal ${drawKey(r)}=${raw} --dry-run=client`,
  ),
  '--from-literal in quotes': password(
    (raw, r) => `kubectl create secret generic db --from-literal='${drawKey(r)}=${raw}' -o yaml`,
  ),
  '--from-literal, value in quotes': password(
    (raw, r) =>
      `oc create secret generic db \\\n  --from-literal=a=b \\\n  --from-literal=${drawKey(r)}="${raw}"`,
  ),
  '--from-literal in a list': password((raw) =>
    JSON.stringify({ args: ['create', 'secret', 'generic', 'db', `--from-literal=pin=${raw}`] }),
  ),
  'literals of kustomize': password(
    (raw, r) => `secretGenerator:\n- name: db\n  literals:\n  - user=app\n  - ${drawKey(r)}=${raw}\n`,
  ),
  'a patch': password((raw) => `kubectl patch secret db -p '{"stringData":{"pin":"${raw}"}}'`),
};

const pad = (text: string, width: number): string => text.padEnd(width);
const TABLES: Record<string, Form> = {
  psql: password(
    (raw, r) =>
      ` id | username |       ${pad(drawName(r), 20)}\n----+----------+---------------------\n  1 | app      | ${raw}\n  2 | ops      | ${drawPassword(r)}\n(2 rows)`,
  ),
  'psql, the column in the middle': password(
    (raw, r) => ` id | ${drawName(r)} | host \n----+--------------+------\n  1 | ${raw} | db-1\n(1 row)`,
  ),
  'psql, expanded': password(
    (raw, r) => `-[ RECORD 1 ]----\nid       | 1\n${pad(drawName(r), 16)} | ${raw}\nhost     | db`,
  ),
  mysql: password(
    (raw, r) =>
      `+----+--------+----------------------------------+\n| id | user   | ${pad(drawName(r), 32)} |\n+----+--------+----------------------------------+\n|  1 | app    | ${pad(raw, 32)} |\n+----+--------+----------------------------------+`,
  ),
  CSV: password((raw, r) => `user,${drawName(r)},host\napp,${raw},db-1\nops,${drawPassword(r)},db-2\n`),
  'CSV, quoted': password((raw, r) => `"id","${drawName(r)}"\n"1","${raw}"\n`),
  'CSV, semicolons': password((raw, r) => `host;user;${drawName(r)}\ndb-1;app;${raw}`),
  TSV: password((raw, r) => `user\t${drawName(r)}\thost\napp\t${raw}\tdb-1`),
  'custom-columns': password(
    (raw, r) =>
      `NAME      ${pad(r.pick(['PASSWORD', 'TOKEN', 'CLIENT_SECRET']), 30)}   AGE\ndb-1      ${pad(raw, 30)}   3d\n`,
  ),
  'custom-columns, last': data((raw) => `NAMESPACE   NAME   PASSWORD\nprod        db     ${raw}\n`),
  'vault kv get': password(
    (raw, r) =>
      `====== Data ======\nKey                 Value\n---                 -----\nusername            app\n${pad(drawName(r), 20)}${raw}`,
  ),
  'vault kv get, any key': password(
    (raw, r) =>
      `$ vault kv get secret/shop\n====== Metadata ======\nKey                Value\n---                -----\nversion            1\n\n==== Data ====\nKey      Value\n---      -----\n${pad(r.pick(['pin', 'db', 'root']), 9)}${raw}\n`,
  ),
  'column -t': password(
    (raw, r) =>
      `HOST          db-1\nUSER          app\n${pad(drawVariable(r), 22)}${raw}\nPORT          5432`,
  ),
  'column -t with a head': password(
    (raw, r) => `user  ${pad(drawName(r), 34)}host\napp   ${pad(raw, 34)}db-1`,
  ),
  markdown: password((raw, r) => `| user | ${drawName(r)} |\n|---|---|\n| app | ${raw} |\n`),
  'markdown, the column in the middle': password(
    (raw, r) => `| user | ${drawName(r)} | host |\n| --- | :---: | ---: |\n| app | \`${raw}\` | db-1 |\n`,
  ),
  'markdown, keys': password(
    (raw, r) => `| setting | value |\n|---------|-------|\n| host | db-1 |\n| ${drawName(r)} | ${raw} |`,
  ),
  '--output table': password(
    (raw) =>
      `------------------------------------\n|          GetSecretValue          |\n+---------------+------------------+\n|  Name         |  shop            |\n|  SecretString |  ${raw}  |\n+---------------+------------------+`,
  ),
  '--output table, head': password(
    (raw, r) =>
      `+------------+--------------------------------+\n|  UserName  |  ${pad(drawName(r), 28)}  |\n+------------+--------------------------------+\n|  app       |  ${pad(raw, 28)}  |\n+------------+--------------------------------+`,
  ),
  'az -o table': password(
    (raw, r) =>
      `Name           Value\n-------------  --------------------\nHOST           db-1\n${pad(drawVariable(r), 22)}  ${raw}\n`,
  ),
  'a table of boxes': password(
    (raw, r) =>
      `┌──────┬──────────┐\n│ user │ ${drawName(r)} │\n├──────┼──────────┤\n│ app  │ ${raw} │\n└──────┴──────────┘`,
  ),
};

const ENVIRONMENTS: Record<string, Form> = {
  'ENV of a Dockerfile': password((raw, r) => `FROM node:24\nENV ${drawVariable(r)} ${raw}\nRUN npm ci`),
  'ENV in a build log': password(
    (raw, r) => `Step 4/9 : ENV ${drawVariable(r)} ${raw}\n ---> Running in 1f2e3d4c5b6a`,
  ),
  'ENV of BuildKit': password((raw, r) => `#7 [3/6] ENV ${drawVariable(r)} ${raw}`),
  setenv: password((raw, r) => `setenv ${drawVariable(r)} ${raw}`),
  setx: password((raw, r) => `C:\\> setx ${drawVariable(r)} ${raw} /M`),
  'set -gx': password((raw, r) => `set -gx ${drawVariable(r)} ${raw}`),
  SetEnv: password((raw, r) => `<VirtualHost *:80>\n  SetEnv ${drawVariable(r)} ${raw}\n</VirtualHost>`),
  fastcgi_param: password((raw, r) => `location / {\n  fastcgi_param ${drawVariable(r)} ${raw};\n}`),
  'env of nginx': password((raw, r) => `env[${drawVariable(r)}] = ${raw}`),
  'gh secret set': password((raw, r) => `gh secret set ${drawVariable(r)} --body ${raw}`),
};

const ORDER: Record<string, Form> = {
  'value before name, JSON': password((raw, r) => JSON.stringify({ value: raw, name: drawVariable(r) })),
  'value before name, JSON in lines': password((raw, r) =>
    JSON.stringify(
      {
        env: [
          { value: 'db-1', name: 'HOST' },
          { value: raw, name: drawVariable(r) },
        ],
      },
      null,
      2,
    ),
  ),
  'value before type and name': password((raw, r) =>
    JSON.stringify({ value: raw, type: 'PLAINTEXT', name: drawVariable(r) }),
  ),
  'Value before Key': password((raw, r) => JSON.stringify({ Value: raw, Key: drawName(r) })),
  'value before name, YAML': password(
    (raw, r) => `env:\n- value: ${raw}\n  name: ${drawVariable(r)}\n- value: db\n  name: HOST`,
  ),
  'value before name, YAML, quoted': password((raw, r) => `- value: "${raw}"\n  name: "${drawVariable(r)}"`),
  'value before name, Python': password((raw, r) => `{'value': '${raw}', 'name': '${drawVariable(r)}'}`),
  'value before key, flow': password((raw, r) => `{value: ${raw}, key: ${drawVariable(r)}}`),
  'value before name, XML': password((raw, r) => `<entry value="${raw}" name="${drawName(r)}"/>`),
  'key before value': password((raw, r) => JSON.stringify({ Key: drawVariable(r), Value: raw })),
};

const NAMES: Record<string, Form> = {
  bindpw: password((raw, r) => `${r.pick(['bindpw', 'rootpw', 'binddn_pw'])}=${raw}`),
  'bindpw with a blank': password(
    (raw, r) => `uri ldap://ldap\nbinddn cn=app,dc=x\n${r.pick(['bindpw', 'rootpw'])} ${raw}\n`,
  ),
  'bindpw in YAML': password((raw) => `ldap:\n  bindPW: ${raw}`),
  admin_pw: password(
    (raw, r) => `${r.pick(['admin_pw', 'smtp_pw', 'root_pw', 'db.pw', 'ADMIN_PW', 'ldap-pw'])} = ${raw}`,
  ),
  userPw: password((raw, r) => JSON.stringify({ [r.pick(['userPw', 'adminPw', 'bindPw', 'dbPw'])]: raw })),
  'userPw in a log': password(
    (raw, r) => `level=info ${r.pick(['userPw', 'adminPw', 'dbpw', 'userpw'])}=${raw} retries=3`,
  ),
  'dots, unquoted': {
    value: (r) =>
      `${draw(r, ALNUM, 4)}k.${draw(r, ALNUM, 5)}.${draw(r, LOWER, 3)}${draw(r, UPPER, 1)}${draw(r, DIGITS, 1)}`.replace(
        /^\d/,
        'x',
      ),
    write: (raw, r) => `${r.pick(['password', 'db_password', 'admin_pw', 'passwd'])}=${raw}`,
  },
  'dots, words': {
    value: (r) => `${draw(r, LOWER, 5)}.${draw(r, LOWER, 6)}.${draw(r, LOWER, 5)}`,
    write: (raw, r) =>
      r.pick([`"password": "${raw}"`, `password: ${raw}`, `--password=${raw}`, `db_password=${raw}`]),
  },
  'dots, secrets': {
    value: (r) => `${draw(r, ALNUM, 6)}.${draw(r, ALNUM, 6)}.x${draw(r, DIGITS, 2)}`,
    write: (raw, r) => `${r.pick(['client_secret', 'api_key', 'auth_token'])}: ${raw}`,
  },
};

const AZURE: Record<string, Form> = {
  'Cosmos, connection string': {
    value: (r) => azureKey(r, 86),
    write: (raw) => `AccountEndpoint=https://shop.documents.azure.com:443/;AccountKey=${raw};`,
  },
  'Cosmos, keys': {
    value: (r) => azureKey(r, 86),
    write: (raw, r) =>
      JSON.stringify({
        [r.pick([
          'primaryMasterKey',
          'secondaryMasterKey',
          'primaryReadonlyMasterKey',
          'primaryKey',
          'secondaryKey',
        ])]: raw,
      }),
  },
  'Cosmos, variables': {
    value: (r) => azureKey(r, 86),
    write: (raw, r) => `${r.pick(['COSMOS_KEY', 'CosmosKey', 'cosmos_primary_key', 'COSMOSDB_KEY'])}=${raw}`,
  },
  'cache, keys': {
    value: (r) => azureKey(r, 43),
    write: (raw, r) =>
      JSON.stringify(
        { [r.pick(['primaryKey', 'secondaryKey', 'primary_key'])]: raw, port: 6380 },
        null,
        r.pick([0, 2]),
      ),
  },
  'cache, variables': {
    value: (r) => azureKey(r, 43),
    write: (raw, r) =>
      `${r.pick(['REDIS_KEY', 'CACHE_KEY', 'redisKey', 'cacheKey', 'REDIS_CACHE_KEY'])}${r.pick(['=', ': ', ' = '])}${raw}`,
  },
  'cache, connection string': {
    value: (r) => azureKey(r, 43),
    write: (raw) => `shop.redis.cache.windows.net:6380,password=${raw},ssl=True,abortConnect=False`,
  },
  'keys in a table': {
    value: (r) => azureKey(r, 43),
    write: (raw, r) =>
      `PrimaryKey                                    SecondaryKey\n--------------------------------------------  --------------------------------------------\n${raw}  ${azureKey(r, 43)}`,
  },
};

const pgpass = (raw: string): string => `db.internal:5432:shop:app:${raw}`;
const COMMANDS: Record<string, Form> = {
  '.pgpass in JSON': password((raw, r) =>
    JSON.stringify({ path: '/root/.pgpass', content: `${pgpass(raw)}\n${pgpass(drawPassword(r))}\n` }),
  ),
  '.pgpass in JSON, one line': password((raw) => JSON.stringify({ '.pgpass': `*:*:*:app:${raw}` })),
  '.pgpass in quotes': password((raw) => `echo "${pgpass(raw)}" > ~/.pgpass`),
  'echo | kinit': password(
    (raw, r) => `echo ${r.pick([raw, `'${raw}'`, `"${raw}"`])} | kinit admin@EXAMPLE.COM`,
  ),
  'printf | kinit': password((raw) => `printf '%s' '${raw}' | kinit -V admin`),
  'kinit <<<': password((raw, r) => `kinit app@EXAMPLE.COM <<< ${r.pick([raw, `"${raw}"`, `'${raw}'`])}`),
  'ssh-keygen -N': password(
    (raw, r) => `ssh-keygen -t ed25519 -f /root/.ssh/id -N ${r.pick([raw, `'${raw}'`, `"${raw}"`])} -q`,
  ),
  'ssh-keygen -p': password((raw) => `+ ssh-keygen -p -P old -N ${raw} -f id_rsa`),
  'mc alias set': password(
    (raw, r) => `mc alias set local http://minio:9000 ${r.pick(['admin', draw(r, UPPER, 20)])} ${raw}`,
  ),
  'mc alias set, options': password(
    (raw) => `+ mc --insecure alias set s3 https://s3.example.com "app" "${raw}" --api S3v4`,
  ),
  'mc config host add': password((raw) => `mc config host add local http://minio:9000 admin ${raw}`),
  'net user': password((raw) => `net user bob ${raw} /add`),
  'net user, no option': password((raw) => `C:\\> net user svc-shop ${raw}`),
  'net user of a domain': password((raw) => `NET USER bob ${raw} /DOMAIN`),
  'sudo -S': password((raw) => `echo '${raw}' | sudo -S systemctl restart shop`),
  'ipmitool -P': password((raw) => `ipmitool -I lanplus -H 10.0.0.9 -U admin -P ${raw} power status`),
  'lftp -u': password((raw) => `lftp -u app,${raw} sftp://files.example.com`),
  'htpasswd -b': password((raw) => `htpasswd -bc /etc/nginx/.htpasswd admin ${raw}`),
  'aws configure set': password((raw) => `aws configure set aws_secret_access_key ${raw} --profile shop`),
};

const SECRET_LINES = (raw: string): string[] =>
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  pin: ${raw}\ntype: Opaque`.split('\n');
const time = (index: number): string => `2026-11-28T10:00:0${index}.12345678${index}Z`;
const FORMS_OF_LINES: Record<string, Form> = {
  'behind the prefix of CRI': data((raw) =>
    SECRET_LINES(raw)
      .map((line, index) => `${time(index)} stdout F ${line}`)
      .join('\n'),
  ),
  'password behind the prefix of CRI': password(
    (raw, r) => `${time(1)} stderr F starts\n${time(2)} stdout F ${drawVariable(r)}: ${raw}`,
  ),
  'behind grep -A': data((raw) =>
    SECRET_LINES(raw)
      .slice(1)
      .map((line, index) => (index === 0 ? `db.yaml:2:${line}` : `db.yaml-${index + 2}-${line}`))
      .join('\n'),
  ),
  'password behind grep -A': password(
    (raw, r) =>
      `conf/app.yaml:7:database:\nconf/app.yaml-8-  host: db\nconf/app.yaml-9-  ${r.pick(['password', 'pw', 'userPw'])}: ${raw}`,
  ),
  'htpasswd behind + ': password((raw) => `+ htpasswd -b -c /tmp/.htpasswd admin ${raw}`),
  'htpasswd behind + , more lines': password((raw) => `+ set -e\n+ htpasswd -nbB admin ${raw}\n+ exit 0`),
  'in a diff': data((raw) => ` kind: Secret\n data:\n-  pin: ${base64('old')}\n+  pin: ${raw}\n   a: b\n`),
  'in a whole diff': data(
    (raw) =>
      `--- a/db.yaml\n+++ b/db.yaml\n@@ -1,6 +1,6 @@\n apiVersion: v1\n kind: Secret\n data:\n-  pin: b2xk\n+  pin: ${raw}\n`,
  ),
  'in a YAML list': data(
    (raw) =>
      `- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: a\n  data:\n    pin: ${raw}\n- kind: Pod\n`,
  ),
  'in items of YAML': data(
    (raw) => `apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  data:\n    pin: ${raw}\n`,
  ),
  'key of a list': password(
    (raw, r) => `env:\n  - name: ${drawVariable(r)}\n    value: ${raw}\n  - name: PORT\n    value: "8080"`,
  ),
};

/** All notations, by their class. */
const SECRET_FORMS: Record<string, Record<string, Form>> = {
  LISTS,
  TERRAFORM,
  LITERALS,
  TABLES,
  ENVIRONMENTS,
  ORDER,
  NAMES,
  AZURE,
  COMMANDS,
  FORMS_OF_LINES,
};

/** A secret of the form `name` of a class. */
export function drawForm(random: Random, group: string, name: string): SecretForm {
  const form = SECRET_FORMS[group]?.[name];
  if (form === undefined) throw new Error(`no form ${name}`);
  const raw = form.value(random);
  return { name, raw, text: form.write(raw, random) };
}

/** Every form of every class. */
export const FORM_NAMES: readonly (readonly [group: string, name: string])[] = Object.entries(
  SECRET_FORMS,
).flatMap(([group, forms]) => Object.keys(forms).map((name) => [group, name] as const));
