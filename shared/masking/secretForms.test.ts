import { describe, expect, it } from 'vitest';
import { createMasker } from './masker.ts';

const masker = createMasker({});
const S = 'k7Tq.Wz4pL';
/** A secret of the samples with what is masked together with it. */
const SECRET =
  /Xk29slQ0vbTr|(?:a''|q8Zt""|q8Zt''|(?<=""")\n)?k7Tq\.Wz4pL(?:(?<=app:.{10})\\n| and its end is cut)?/g;

// A small sample: `test/leaks/secretForms.test.ts` draws thousands.
describe('the secret is masked in', () => {
  it.each([
    `{"kind":"SecretList","items":[{"data":{"pin":"${S}"}}]}`,
    `items:\n- data:\n    pin: ${S}\nkind: SecretList`,
    `{'data': {'pin': '${S}'}, 'kind': None, 'type': 'Opaque'}`,
    `kubectl patch secret db -p '{"stringData":{"pin":"${S}"}}'`,
    `resource "kubernetes_secret" "db" {\n  data = {\n    pin = "${S}"\n  }\n}`,
    `kubectl create secret generic db --from-literal=pin=${S}`,
    ` id | password\n----+----------\n  1 | ${S}`,
    `user,password\napp,${S}`,
    `NAME   PASSWORD\ndb     ${S}`,
    `user,password,note\nbob,Xk29slQ0vbTr,\napp,${S},-`,
    `user\tpassword\tnote\nbob\tXk29slQ0vbTr\t\napp\t${S}\t-`,
    ` id | user | password\n----+------+----------\n    | bob  | Xk29slQ0vbTr\n  2 | app  | ${S}`,
    ` user | password | note\n------+----------+------\n app  | ${S} | `,
    `,user,password\n0,app,${S}`,
    `\tuser\tpassword\n0\tapp\t${S}`,
    `id,name,password\n1,"app, old",${S}`,
    `msg="applied { "kind":"Secret","data":{"pin":"${S}"}} to shop"`,
    `==== Data ====\nKey    Value\n---    -----\npin    ${S}`,
    `| user | token |\n|---|---|\n| app | ${S} |`,
    `|  SecretString |  ${S}  |`,
    `ENV DB_PASSWORD ${S}`,
    `{"value":"${S}","type":"PLAINTEXT","name":"DB_PASSWORD"}`,
    `- value: ${S}\n  name: DB_PASSWORD`,
    `bindpw ${S}`,
    `admin_pw=${S}`,
    `{"userPw":"${S}"}`,
    `password=${S}`,
    `{"content":"db:5432:shop:app:${S}\\n"}`,
    `echo ${S} | kinit app`,
    `ssh-keygen -f id -N ${S}`,
    `mc alias set a https://b admin ${S}`,
    `net user bob ${S} /add`,
    `C:\\> net user bob ${S} of the shop in zone`,
    `net%20user%20bob%20${S}%20%2Fadd restarted after zone`,
    `net.exe user /add bob ${S}`,
    `ssh-keygen -p -P ${S} -N new`,
    `mc alias set m https://x --api S3v4 admin ${S}`,
    `["kubectl","create","secret","generic","a","--from-literal","pin=${S}"]`,
    `kinit app << EOF\n${S}\nEOF`,
    `key,value\nhost,db\npassword,${S}`,
    `<value>${S}</value><name>DB_PASSWORD</name>`,
    `passwords:\n  - ${S}\n`,
    `password: 'a''${S}'`,
    `Host=db;Password="q8Zt""${S}";`,
    `ALTER USER app IDENTIFIED BY 'q8Zt''${S}';`,
    `password = """\n${S} and its end is cut`,
    JSON.stringify({ out: `+ htpasswd -b -c /tmp/.htpasswd admin ${S}`, code: 0 }),
    JSON.stringify({ out: `db.yaml:2:kind: Secret\ndb.yaml-3-data:\ndb.yaml-4-  pin: ${S}`, code: 0 }),
    JSON.stringify({ out: ` kind: Secret\n data:\n-  pin: Xk29slQ0vbTr\n+  pin: ${S}`, code: 0 }),
  ])('%s', (text) => {
    expect(masker.mask(text).text.replace(/\[masked:[a-z-]+\]/g, '*')).toBe(text.replace(SECRET, '*'));
  });

  it('values of JSON: items of a list of Secrets, and names of variables in any field', () => {
    for (const value of [
      { kind: 'SecretList', items: [{ data: { pin: S } }] },
      { type: 'Opaque', data: { pin: S } },
      { Value: S, Key: 'DB_PASSWORD' },
      { primaryKey: `${'aB3/'.repeat(10)}xY9=` },
    ])
      expect(masker.maskJson(value).count).toBe(1);
  });
});

describe('nothing is masked in', () => {
  it.each([
    'net user growth rose by 5%',
    'Key: logs/2026/11/28/7f2b0c1e-9d7a-4c0c-8b1f-2f1d8d6a5b43.json.gz',
    'Token 7f2b0c1e-9d7a-4c0c-8b1f-2f1d8d6a5b43 was already used',
    'kubectl create configmap shop --from-literal=version=9fceb02d',
    '{"properties":{"stringData":{"type":"object","additionalProperties":{"type":"string"}}}}',
    '| Token type | Count |\n|---|---|\n| bearer | 4096 |',
    'NAME      SECRETS   AGE\ndefault   1         41d',
    'resource "kubernetes_secret" "db" {\n  data = {\n    password = var.db_password\n  }\n}',
    '- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db, key: pin}\n- value: db-1\n  name: DB_HOST',
    '{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"pin"}}}',
  ])('%s', (text) => {
    expect(masker.mask(text).text).toBe(text);
  });
});
