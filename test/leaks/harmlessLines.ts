// Lines that only look as if they had secrets: random ids, digests, names, tables of usual systems.

import type { Random } from '../../shared/engine/testing/random.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const draw = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.int(0, alphabet.length - 1)]).join('');
const hex = (random: Random, length: number): string => draw(random, '0123456789abcdef', length);
const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join('-');
const pod = (random: Random): string =>
  `${random.pick(['shop', 'checkout', 'cart'])}-${hex(random, 10)}-${draw(random, LOWER + DIGITS, 5)}`;
const date = (random: Random): string => `2026-11-${random.int(10, 28)}`;

/** One line, or a few, of a usual system. */
const LINES: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  // Kubernetes
  (r) =>
    `Normal  Scheduled  2m  default-scheduler  Successfully assigned prod/${pod(r)} to ip-10-0-${r.int(0, 255)}-17`,
  (r) =>
    `MountVolume.SetUp failed for volume "db-secret" : secret "${r.pick(['db', 'tls'])}-credentials" not found`,
  (r) =>
    `NAME                     TYPE                DATA   AGE\ndb-credentials           Opaque              2      ${r.int(1, 90)}d\nshop-tls                 kubernetes.io/tls   2      8d`,
  (r) => `NAME      SECRETS   AGE\ndefault   ${r.int(0, 2)}         41d\nshop      1         3d`,
  (r) =>
    `NAME                     READY   STATUS             RESTARTS   AGE\n${pod(r)}   0/1     CrashLoopBackOff   ${r.int(1, 40)}         3d`,
  (r) =>
    `Name:         db\nType:  Opaque\n\nData\n====\npassword:  ${r.int(8, 30)} bytes\nusername:  3 bytes`,
  (r) => `      secretKeyRef:\n        name: db-${hex(r, 5)}\n        key: password`,
  (r) => `    image: registry.example.com/shop@sha256:${hex(r, 64)}`,
  (r) => `    uid: ${uuid(r)}\n    resourceVersion: "${draw(r, '123456789', 8)}"`,
  (r) =>
    `volumes:\n- name: kube-api-access-${draw(r, LOWER + DIGITS, 5)}\n  projected:\n    sources:\n    - serviceAccountToken:\n        expirationSeconds: 3607\n        path: token`,
  (r) =>
    `env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db-${hex(r, 4)}, key: pin}\n- value: db-${r.int(1, 9)}\n  name: DB_HOST`,
  (r) => `kind: ConfigMap\ndata:\n  region: eu-west-${r.int(1, 3)}\n  version: ${hex(r, 12)}\n`,
  (r) =>
    JSON.stringify({
      kind: 'ConfigMapList',
      items: [{ data: { version: hex(r, 12) }, metadata: { name: 'a' } }],
    }),
  (r) => `kubectl create configmap shop --from-literal=version=${hex(r, 7)}`,
  // nginx, access logs
  (r) =>
    `10.0.${r.int(0, 255)}.7 - - [${r.int(10, 28)}/Nov/2026:10:00:01 +0000] "GET /v1/orders/${uuid(r)} HTTP/1.1" 200 ${r.int(100, 9999)} "-" "curl/8.5.0"`,
  (r) =>
    `2026/11/28 10:00:01 [error] 31#31: *${r.int(1, 9999)} upstream timed out (110) while reading, request: "GET /api/tokens HTTP/1.1", upstream: "http://10.0.0.${r.int(1, 254)}:8080/api/tokens"`,
  (r) => `GET /assets/app.${hex(r, 20)}.js 304 ${r.int(1, 9)}ms`,
  (r) => `request_id=${hex(r, 32)} path=/login status=401 msg="password is wrong"`,
  // Postgres
  (r) =>
    `2026-11-28 10:00:01.123 UTC [${r.int(100, 9999)}] FATAL:  password authentication failed for user "app"`,
  () => `DETAIL:  Connection matched pg_hba.conf line 95: "host all all 10.0.0.0/8 scram-sha-256"`,
  (r) =>
    ` id |  user  | last_login\n----+--------+------------\n  ${r.int(1, 9)} | app    | ${date(r)}\n(1 row)`,
  (r) =>
    ` datname | numbackends | xact_commit\n---------+-------------+-------------\n shop    |          ${r.int(10, 99)} |     ${r.int(1000, 99_999)}`,
  (r) =>
    ` usename | passwd   | valuntil\n---------+----------+----------\n app${r.int(1, 9)}    | ******** |`,
  (r) =>
    `ERROR:  duplicate key value violates unique constraint "orders_pkey"\nDETAIL:  Key (id)=(${uuid(r)}) already exists.`,
  // Terraform
  (r) =>
    `  # aws_instance.web will be created\n  + resource "aws_instance" "web" {\n      + ami           = "ami-${hex(r, 17)}"\n      + key_name      = "deploy"\n      + id            = (known after apply)\n    }`,
  () =>
    '  + resource "kubernetes_secret" "db" {\n      + data = (sensitive value)\n      + id   = (known after apply)\n    }',
  () =>
    'resource "kubernetes_secret" "db" {\n  data = {\n    password = var.db_password\n    user     = local.db_user\n  }\n}',
  (r) =>
    `aws_secretsmanager_secret.db: Refreshing state... [id=arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-${draw(r, `${LOWER}ABC`, 6)}]`,
  (r) =>
    `  + resource "aws_ssm_parameter" "a" {\n      + name  = "/shop/version"\n      + type  = "String"\n      + value = "${hex(r, 7)}"\n    }`,
  // Object keys, ids, digests
  (r) => `Key: logs/2026/11/${r.int(10, 28)}/${uuid(r)}.json.gz`,
  (r) => `Key: photos/${hex(r, 2)}/${hex(r, 32)}.jpg`,
  (r) => `"Key": "exports/${date(r)}/part-00000-${uuid(r)}-c000.snappy.parquet", "Size": ${r.int(1, 9999)}`,
  (r) =>
    `An error occurred (NoSuchKey) when calling the GetObject operation: Key: backups/db-${date(r)}-${hex(r, 16)}.dump`,
  (r) => `<Key>uploads/${draw(r, LOWER + DIGITS, 12)}/${uuid(r)}.png</Key>`,
  (r) => `Token ${uuid(r)} was already used`,
  (r) => `token ${uuid(r)} has expired`,
  (r) => `Token UUID ${uuid(r)} was revoked by admin`,
  (r) => `Token id ${uuid(r)} is unknown`,
  (r) => `commit ${hex(r, 40)}\nAuthor: Ada <ada@example.com>`,
  (r) => `HEAD is now at ${hex(r, 7)} Rotate the password of the database`,
  (r) => `Digest: sha256:${hex(r, 64)}\nStatus: Downloaded newer image for node:24`,
  (r) => `ETag: "${hex(r, 32)}"`,
  (r) => `"trace_id":"${hex(r, 32)}","span_id":"${hex(r, 16)}"`,
  (r) => `traceparent: 00-${hex(r, 32)}-${hex(r, 16)}-01`,
  (r) =>
    `"integrity": "sha512-${Buffer.from(hex(r, 64), 'hex').toString('base64')}${Buffer.from(hex(r, 64), 'hex').toString('base64').slice(0, 40)}=="`,
  (r) => `src="data:image/png;base64,${Buffer.from(hex(r, 96), 'hex').toString('base64')}"`,
  (r) => `cache key: node-modules-${hex(r, 64)}`,
  (r) => `Cache restored from key: linux-npm-${hex(r, 40)}`,
  (r) => `partition_key=${uuid(r)} sort_key=${r.int(1, 99)}`,
  (r) => `primary_key: order_${r.int(1000, 9999)}, primaryKey: id`,
  (r) => `idempotency-key: ${uuid(r)}`,
  (r) => `x-request-id: ${uuid(r)}`,
  // Words about secrets
  (r) => `The password of user ${r.int(10, 99)} expires in 3 days; set a new one.`,
  () => 'Please enter your password, or use a token of your account.',
  (r) => `user,orders,city\nada,${r.int(1, 99)},Bonn\nbob,${r.int(1, 99)},Kiel`,
  (r) =>
    `| metric | value |\n|---|---|\n| tokens | ${r.int(100, 99_999)} |\n| latency | ${r.int(1, 99)} ms |`,
  (r) => `| Token type | Count |\n|------------|-------|\n| bearer     | ${r.int(1, 99)}    |`,
  (r) =>
    `Model            Input tokens   Output tokens\ngemini-3.6-pro   ${r.int(1000, 9999)}           ${r.int(100, 999)}`,
  (r) => `Step 3/9 : ENV NODE_ENV production\n ---> Running in ${hex(r, 12)}`,
  () => 'password = config.db.password\ntoken = process.env.API_TOKEN\nsecret := os.Getenv("SECRET")',
  () => 'password: $DB_PASSWORD\napi_key: "{{ .Values.apiKey }}"\nsecret: <redacted>',
  (r) => `The secret db-${hex(r, 5)} was rotated; key version ${r.int(1, 9)} is active.`,
  (r) => `net user bob\nUser name                    bob\nPassword last set            ${date(r)} 10:00:01`,
  (r) => `ssh-keygen -lf id_ed25519.pub\n256 SHA256:${draw(r, LOWER + DIGITS, 43)} ada@host (ED25519)`,
  (r) =>
    `Key                  Value\n---                  -----\nversion              ${r.int(1, 9)}\ndestroyed            false\ncreated_time         ${date(r)}T10:00:01Z`,
  (r) => JSON.stringify({ name: 'token-refresh', value: r.int(1, 99), unit: 'requests' }),
  (r) =>
    JSON.stringify([
      { value: hex(r, 12), name: 'VERSION' },
      { value: 'on', name: 'FEATURE_LOGIN' },
    ]),
  () =>
    JSON.stringify({
      properties: { stringData: { type: 'object', additionalProperties: { type: 'string' } } },
    }),
  (r) => `{'name': 'orders', 'labels': {'team': 'shop'}, 'kind': 'Topic', 'data': {'lag': ${r.int(1, 99)}}}`,
];

/** A harmless text. */
export const drawHarmless = (random: Random): string => random.pick(LINES)(random);
