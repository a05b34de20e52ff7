// Samples of texts with secrets, of random characters at run time, so that none looks like a live secret.

import { createRandom, type Random } from '../engine/testing/random.ts';

/** A text, and the secrets in it that masking must remove. */
export interface Sample {
  name: string;
  text: string;
  secrets: string[];
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHABETS = {
  alnum: LOWER + LOWER.toUpperCase() + DIGITS,
  lower: LOWER + DIGITS,
  upper: LOWER.toUpperCase() + DIGITS,
  hex: `${DIGITS}abcdef`,
  digits: DIGITS,
  url: `${LOWER}${LOWER.toUpperCase()}${DIGITS}-_`,
  base64: `${LOWER}${LOWER.toUpperCase()}${DIGITS}+/`,
};
type Alphabet = keyof typeof ALPHABETS;

/** `length` characters, among them a digit and a letter. */
export function randomText(random: Random, alphabet: Alphabet, length: number): string {
  const characters = ALPHABETS[alphabet];
  const text = Array.from({ length }, () => characters[random.int(0, characters.length - 1)]).join('');
  return alphabet === 'digits' || length < 4
    ? text
    : `${text.slice(0, -3)}${random.int(0, 9)}${text.slice(-2, -1)}${random.int(0, 9)}`;
}

const uuid = (random: Random): string =>
  [8, 4, 4, 4, 12].map((length) => randomText(random, 'hex', length)).join('-');

/** Keys of services: `<head>`, then characters of an alphabet and their number, several times. */
const SERVICE_KEYS: Record<string, string> = {
  adafruit: 'aio_ alnum 28',
  adobe: 'p8e- alnum 32',
  age: 'AGE-SECRET-KEY-1 upper 58',
  airtable: 'pat alnum 14 . hex 64',
  alibaba: 'LTAI alnum 20',
  anthropic: 'sk-ant-api03- url 93 AA',
  artifactory: 'AKCp alnum 69',
  asana: '0/ hex 32',
  atlassian: 'ATATT3 url 186',
  aws: 'AKIA upper 16',
  beamer: 'b_ lower 44',
  bitbucket: 'url 64',
  bittrex: 'lower 32',
  clickup: 'pk_ digits 8 _ upper 32',
  clojars: 'CLOJARS_ alnum 60',
  cloudflare: 'url 40',
  codecov: 'lower 32',
  coinbase: 'url 64',
  confluent: 'alnum 64',
  contentful: 'url 43',
  databricks: 'dapi hex 32',
  datadog: 'hex 40',
  digitalocean: 'dop_v1_ hex 64',
  discord: 'hex 64',
  docker: 'dckr_pat_ url 27',
  doppler: 'dp.pt. alnum 43',
  droneci: 'lower 32',
  dropbox: 'lower 15',
  dynatrace: 'dt0c01. upper 24 . upper 64',
  easypost: 'EZAK alnum 54',
  etsy: 'lower 24',
  facebook: 'hex 32',
  fastly: 'url 32',
  figma: 'figd_ url 40',
  finicity: 'hex 32',
  flickr: 'lower 32',
  flutterwave: 'FLWSECK_TEST- hex 32 -X',
  frameio: 'fio-u- url 64',
  freshbooks: 'lower 64',
  gcp: 'AIza url 35',
  github: 'ghp_ alnum 36',
  githubFine: 'github_pat_ alnum 82',
  gitlab: 'glpat- url 20',
  gitlabRunner: 'glrt- url 20',
  gitter: 'url 40',
  gocardless: 'live_ url 40',
  grafana: 'glsa_ alnum 32 _ hex 8',
  grafanaCloud: 'glc_ base64 60',
  groq: 'gsk_ alnum 52',
  harness: 'pat. alnum 22 . hex 24 . alnum 20',
  heroku: 'uuid',
  hubspot: 'uuid',
  huggingface: 'hf_ alnum 34',
  infracost: 'ico- alnum 32',
  intercom: 'url 60',
  kraken: 'base64 84',
  kucoin: 'hex 24',
  launchdarkly: 'url 40',
  linear: 'lin_api_ lower 40',
  linkedin: 'alnum 16',
  lob: 'live_ hex 35',
  mailchimp: 'hex 32 -us14',
  mailgun: 'key- hex 32',
  mapbox: 'pk. lower 60 . lower 22',
  mattermost: 'lower 26',
  messagebird: 'lower 25',
  netlify: 'url 43',
  newrelic: 'NRAK- upper 27',
  npm: 'npm_ lower 36',
  nytimes: 'url 32',
  okta: '00 url 40',
  openai: 'sk-proj- url 74',
  pagerduty: 'url 20',
  paystack: 'sk_live_ lower 40',
  perplexity: 'pplx- alnum 48',
  plaid: 'access-sandbox- uuid',
  planetscale: 'pscale_tkn_ url 43',
  postman: 'PMAK- hex 24 - hex 34',
  prefect: 'pnu_ lower 36',
  pulumi: 'pul- hex 40',
  pypi: 'pypi-AgEIcHlwaS5vcmc url 60',
  rapidapi: 'url 50',
  readme: 'rdme_ lower 70',
  rubygems: 'rubygems_ hex 48',
  scalingo: 'tk-us- url 48',
  sendbird: 'hex 40',
  sendgrid: 'SG. url 22 . url 43',
  sendinblue: 'xkeysib- hex 64 - alnum 16',
  sentry: 'sntryu_ hex 64',
  settlemint: 'sm_pat_ alnum 16',
  shippo: 'shippo_live_ hex 40',
  shopify: 'shpat_ hex 32',
  sidekiq: 'hex 8 : hex 8',
  slackBot: 'xoxb- digits 12 - digits 12 - alnum 24',
  slackApp: 'xapp-1-A upper 10 - digits 13 - hex 64',
  snyk: 'uuid',
  sonar: 'sqp_ hex 40',
  sourcegraph: 'sgp_ hex 40',
  square: 'sq0atp- url 22',
  squarespace: 'uuid',
  stripe: 'sk_live_ alnum 24',
  stripeRestricted: 'rk_test_ alnum 99',
  sumologic: 'su alnum 12',
  telegram: 'digits 9 :AA url 33',
  travisci: 'alnum 22',
  twilio: 'SK hex 32',
  twitch: 'lower 30',
  twitter: 'alnum 45',
  typeform: 'tfp_ url 59',
  vault: 'hvs. url 90',
  vaultBatch: 'hvb. url 140',
  yandex: 'AQVN url 36',
  zendesk: 'lower 40',
};

/** A key of a form such as `glsa_ alnum 32 _ hex 8`: texts, and alphabets with numbers of characters. */
export function serviceKey(random: Random, form: string): string {
  const words = form.split(' ');
  let key = '';
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === 'uuid') key += uuid(random);
    else if (Object.hasOwn(ALPHABETS, word))
      key += randomText(random, word as Alphabet, Number(words[++index]));
    else key += word;
  }
  return key;
}

const capital = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** Notations of configuration files and programs. */
const NOTATIONS: Record<string, (id: string, key: string) => string> = {
  'ini quoted': (id, key) => `${id}Token="${key}"`,
  'ini blanks': (id, key) => `${id}Token = "${key}"`,
  'ini bare': (id, key) => `${id}Token=${key}`,
  'ini bare blanks': (id, key) => `${id}Token = ${key}`,
  json: (id, key) => `{\n    "${id}_token": "${key}"\n}`,
  'json escaped': (id, key) => `{\n    \\"${id}_token\\": \\"${key}\\"\n}`,
  'json pair': (id, key) => `{\n  "name": "${id}_token",\n  "value": "${key}"\n}`,
  xml: (id, key) => `<${id}Token>${key}</${id}Token>`,
  'xml lines': (id, key) => `<${id}Token>\n    ${key}\n</${id}Token>`,
  'xml attribute': (id, key) => `<entry name="${id}Token" value="${key}" />`,
  yaml: (id, key) => `${id}_token: ${key}`,
  'yaml quoted': (id, key) => `${id}_token: '${key}'`,
  'yaml block': (id, key) => `${id}_token: |\n  ${key}`,
  'yaml folded': (id, key) => `${id}_token: >\n  ${key}`,
  'c#': (id, key) => `string ${id}Token = "${key}";`,
  go: (id, key) => `var ${id}Token string = "${key}"`,
  'go short': (id, key) => `${id}Token := "${key}"`,
  'go backtick': (id, key) => `${id}Token := \`${key}\``,
  kotlin: (id, key) => `var ${id}Token: String = "${key}"`,
  php: (id, key) => `$${id}Token .= "${key}"`,
  'php ??=': (id, key) => `$${id}Token ??= "${key}"`,
  python: (id, key) => `${id}Token = '${key}'`,
  'python environ': (id, key) => `os.environ["${id.toUpperCase()}_TOKEN"] = "${key}"`,
  csv: (id, key) => `${id}Token,${key},`,
  logstash: (id, key) => `  "${id}Token" => "${key}"`,
  make: (id, key) => `${id.toUpperCase()}_TOKEN ::= "${key}"`,
  'make evaluated': (id, key) => `${id.toUpperCase()}_TOKEN :::= "${key}"`,
  'make conditional': (id, key) => `${id.toUpperCase()}_TOKEN ?= "${key}"`,
  'make append': (id, key) => `${id.toUpperCase()}_TOKEN += "${key}"`,
  'api token': (id, key) => `${id}_api_token = "${key}"`,
  logfmt: (id, key) => `level=info msg=start ${id}_api_key=${key} user=7`,
  'java property': (id, key) => `System.setProperty("${id.toUpperCase()}_TOKEN", "${key}")`,
  'go dump': (id, key) => `{Name:shop ${capital(id)}Token:${key} Retries:3}`,
  flag: (id, key) => `run --${id}-token ${key} --verbose`,
};

/** One sample for each service and notation: keys behind a name that says so. */
export function assignmentSamples(seed: number): Sample[] {
  const random = createRandom(seed);
  return Object.entries(SERVICE_KEYS).flatMap(([id, form]) =>
    Object.entries(NOTATIONS).map(([notation, write]) => {
      const key = serviceKey(random, form);
      return { name: `${id}, ${notation}`, text: write(id, key), secrets: [key] };
    }),
  );
}

/** Texts in which a key stands near the name of its service, as in logs and notes. */
const MENTIONS: Record<string, (id: string, key: string) => string> = {
  quoted: (id, key) => `${id} token = '${key}'`,
  dash: (id, key) => `${id} token - '${key}'`,
  bare: (id, key) => `${id} '${key}'`,
  log: (id, key) =>
    `[INFO] Sending request to the ${id} API\n[DEBUG] Using Key=${key}\n[INFO] Response received: 200 OK`,
  named: (id, key) => `[DEBUG] Using ${id} key ${key}`,
  xml: (id, key) => `<id>{${id}}</id>\n<secret>{${id} AQAAABAAA ${key}}</secret>`,
  call: (id, key) => `client := ${id}.New("${key}")`,
  header: (id, key) => `curl https://api.${id}.com/v1/items -H "X-Api-Key: ${key}"`,
  comment: (id, key) => `# ${id} api key: ${key}`,
  two: (id, key) => `${id} secret '${key}' | '${key}'`,
};

const KEY_FORMS = [
  'alnum 32',
  'lower 40',
  'hex 32',
  'uuid',
  'url 43',
  'alnum 24',
  'upper 20',
  'hex 64',
  'base64 44',
  'lower 26',
];
const MENTIONED = [
  'abuseipdb',
  'algolia',
  'calendly',
  'dandelion',
  'etherscan',
  'fixerio',
  'geocodio',
  'hunter',
  'ipstack',
  'kickbox',
  'lokalise',
  'mapquest',
  'nutritionix',
  'opencage',
  'pipedrive',
  'rawg',
  'shodan',
  'tomorrowio',
  'uplead',
  'zerobounce',
];

/** One sample for each service, form of key and kind of mention. */
export function mentionSamples(seed: number): Sample[] {
  const random = createRandom(seed);
  return MENTIONED.flatMap((id, index) =>
    Object.entries(MENTIONS).flatMap(([mention, write]) =>
      KEY_FORMS.filter((_, form) => (form + index) % 2 === 0).map((form) => {
        const key = serviceKey(random, form);
        return { name: `${id}, ${form}, ${mention}`, text: write(id, key), secrets: [key] };
      }),
    ),
  );
}

/** Whole key with its lines, of a private key of any kind. */
export function pemKey(random: Random, label = 'RSA PRIVATE KEY', lines = 6): string {
  const body = Array.from({ length: lines }, () => randomText(random, 'base64', 64)).join('\n');
  return `${'-----'}BEGIN ${label}-----\n${body}\n${'-----'}END ${label}-----`;
}

const jwt = (random: Random): string =>
  `ey${'JhbGciOiJIUzI1NiJ9'}.ey${'JzdWIi'}${randomText(random, 'url', 60)}.${randomText(random, 'url', 43)}`;

/** Files and notes of one tool each. */
export function fileSamples(seed: number): Sample[] {
  const random = createRandom(seed);
  const samples: Sample[] = [];
  const add = (name: string, secret: string, text: string): void =>
    void samples.push({ name, text, secrets: [secret] });
  const alnum = (length: number) => randomText(random, 'alnum', length);
  const key = (form: string) => serviceKey(random, form);
  for (const label of [
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'EC PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'DSA PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ]) {
    const pem = pemKey(random, label);
    const line = pem.split('\n')[2] ?? '';
    add(`${label}`, line, pem);
    add(`${label}, one line`, line, JSON.stringify({ private_key: pem }));
    add(`${label}, escaped twice`, line, JSON.stringify(JSON.stringify({ pem })));
    add(`${label}, its end cut`, line, pem.slice(0, 300));
    add(`${label}, its beginning cut`, line, pem.slice(60));
    add(`${label}, indented`, line, pem.replaceAll('\n', '\n      '));
  }
  for (const [id, form] of Object.entries(SERVICE_KEYS)) {
    if (
      !/^[A-Za-z0-9_.-]+[-_.:]? |^AKIA|^LTAI|^dapi/.test(form) ||
      Object.hasOwn(ALPHABETS, form.split(' ')[0] ?? '')
    )
      continue;
    if (/^(?:b_|0\/|pk\.|live_|su|p8e-|tk-us-|ico-|00)/.test(form)) continue;
    const token = key(form);
    add(`${id} alone`, token, `saw ${token} in the output`);
  }
  const secret = key('base64 40');
  add(
    'aws credentials file',
    secret,
    `[default]\naws_access_key_id = ${key('AKIA upper 16')}\naws_secret_access_key = ${secret}\n`,
  );
  for (const [name, write] of Object.entries({
    'aws environment': (value: string) => `AWS_SECRET_ACCESS_KEY=${value}`,
    'aws json': (value: string) => `{"SecretAccessKey": "${value}", "Expiration": "2026-01-01T00:00:00Z"}`,
    'aws sts xml': (value: string) =>
      `<Credentials><SecretAccessKey>${value}</SecretAccessKey></Credentials>`,
    'azure storage': (value: string) =>
      `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${value}==;EndpointSuffix=core.windows.net`,
    'azure sas': (value: string) =>
      `https://shop.blob.core.windows.net/c/f?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig=${encodeURIComponent(value)}%3D`,
    'azure client secret': (value: string) => `"client_secret": "${value}"`,
    'service bus': (value: string) =>
      `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${value}=`,
    netrc: (value: string) => `machine api.example.com\n  login deploy\n  password ${value}`,
    'netrc line': (value: string) => `machine api.example.com login deploy password ${value}`,
    npmrc: (value: string) => `//registry.example.com/:_authToken=${value}`,
    'npmrc _auth': (value: string) => `_auth=${value}`,
    pgpass: (value: string) => `db.internal:5432:shop:app:${value.replaceAll('/', 'x')}`,
    'docker config': (value: string) => `{"auths": {"registry.example.com": {"auth": "${value}"}}}`,
    'basic auth url': (value: string) =>
      `https://deploy:${value.replaceAll('/', 'x')}@git.example.com/repo.git`,
    'mongodb url': (value: string) =>
      `mongodb+srv://app:${value.replaceAll('/', '%2F')}@cluster0.example.net/shop`,
    'redis url': (value: string) => `redis://:${value.replaceAll('/', 'x')}@cache:6379/0`,
    'jdbc url': (value: string) => `jdbc:postgresql://db:5432/shop?user=app&password=${value}`,
    'jdbc oracle': (value: string) => `jdbc:oracle:thin:app/${value.replaceAll('/', 'x')}@db:1521/ORCL`,
    'mysql dsn': (value: string) => `app:${value.replaceAll('/', 'x')}@tcp(db:3306)/shop`,
    'sql server': (value: string) => `Server=db;Database=shop;User Id=app;Password=${value};Encrypt=True`,
    'google service account': (value: string) =>
      `{"type":"service_account","private_key_id":"ab","private_key":"${'-----'}BEGIN PRIVATE KEY-----\\n${value}\\n${'-----'}END PRIVATE KEY-----\\n"}`,
    'google oauth': (value: string) =>
      `{"installed":{"client_id":"1-a.apps.googleusercontent.com","client_secret":"GOCSPX-${value.replaceAll('/', '_').replaceAll('+', '-').slice(0, 28)}"}}`,
    'refresh token': (value: string) =>
      `"refresh_token": "1//0${value.replaceAll('/', '_').replaceAll('+', '-')}"`,
    'slack webhook': (value: string) =>
      `https://hooks.slack.com/services/T0${key('upper 8')}/B0${key('upper 8')}/${value.replaceAll(/[/+]/g, 'x').slice(0, 24)}`,
    'discord webhook': (value: string) =>
      `https://discord.com/api/webhooks/${key('digits 18')}/${value.replaceAll(/[/+]/g, 'x')}${key('alnum 20')}`,
    'k8s secret': (value: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  anything: ${value}\n`,
    'k8s secret, kind last': (value: string) => `apiVersion: v1\ndata:\n  anything: ${value}\nkind: Secret\n`,
    htpasswd: (value: string) =>
      `admin:$apr1$${value.slice(0, 8).replaceAll('+', '.')}$${value.slice(8, 30).replaceAll('+', '.')}`,
    shadow: (value: string) =>
      `root:$6$${value.slice(0, 10).replaceAll('+', '.')}$${value.replaceAll('+', '.')}:19000:0:99999:7:::`,
    bcrypt: (value: string) => `hash is $2y$10$${value.replaceAll('+', '.')}abcdefghijklm`,
    dotenv: (value: string) => `DB_HOST=db\nDB_PASSWORD=${value}\nDEBUG=1`,
  })) {
    const value = key('base64 40');
    const text = write(value);
    const hidden = [
      value,
      value.replaceAll('/', 'x'),
      value.replaceAll('/', '%2F'),
      encodeURIComponent(value),
      value.slice(8, 30).replaceAll('+', '.'),
      value.replaceAll('/', '_').replaceAll('+', '-').slice(0, 28),
      value.replaceAll(/[/+]/g, 'x').slice(0, 24),
      value.replaceAll('+', '.'),
      value.replaceAll('/', '_').replaceAll('+', '-'),
    ].find((form) => text.includes(form));
    if (hidden !== undefined) add(name, hidden, text);
  }
  const putty = randomText(random, 'base64', 64);
  add(
    'putty',
    putty,
    `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: a\nPublic-Lines: 1\n${randomText(random, 'base64', 64)}\nPrivate-Lines: 2\n${putty}\n${randomText(random, 'base64', 40)}\nPrivate-MAC: ${key('hex 40')}\n`,
  );
  const token = jwt(random);
  add('jwt', token, `session ${token} expired`);
  const pin = alnum(12);
  add(
    'terraform output',
    pin,
    `{"outputs": {"db": {"value": "${pin}", "type": "string", "sensitive": true}}}`,
  );
  return samples;
}

/** Lines of logs of usual systems, with a secret each. */
export function logSamples(seed: number): Sample[] {
  const random = createRandom(seed);
  const alnum = (length: number) => randomText(random, 'alnum', length);
  const hex = (length: number) => randomText(random, 'hex', length);
  const password = () =>
    `${random.pick(['Winter', 'tiger', 'Blau', 'kite', 'Moss'])}-${alnum(4)}!${random.int(10, 99)}`;
  const lines: [secret: string, line: (secret: string) => string][] = [
    [password(), (s) => `2026-11-22T10:00:01Z ERROR connect failed: password=${s} host=db-1`],
    [
      password(),
      (s) => `FATAL: could not connect to "postgres://app:${s}@db.internal:5432/shop?sslmode=require"`,
    ],
    [
      password(),
      (s) => `time="2026-11-22T10:00:01Z" level=debug msg="config loaded" db_password="${s}" retries=3`,
    ],
    [password(), (s) => `{"severity":"DEBUG","message":"env","env":{"DB_PASSWORD":"${s}","PORT":"8080"}}`],
    [password(), (s) => `{"log":"{\\"user\\":\\"bob\\",\\"password\\":\\"${s}\\"}\\n","stream":"stdout"}`],
    [password(), (s) => `Starting with args [--user app --password ${s} --port 8080]`],
    [password(), (s) => `+ mysql -h db -u root -p${s} shop -e 'select 1'`],
    [password(), (s) => `+ PGPASSWORD='${s}' psql -h db -U app shop`],
    [password(), (s) => `+ curl -sS -u deploy:${s} https://nexus.example.com/repository/raw/a.tgz`],
    [password(), (s) => `+ sshpass -p '${s}' ssh root@10.0.0.4 uptime`],
    [password(), (s) => `+ redis-cli -h cache -a ${s} ping`],
    [password(), (s) => `+ docker login -u ci -p ${s} registry.example.com`],
    [password(), (s) => `Executing: CREATE USER app IDENTIFIED BY '${s}'`],
    [password(), (s) => `STATEMENT:  ALTER ROLE app WITH PASSWORD '${s}'`],
    [password(), (s) => `org.springframework.Env: spring.datasource.password = ${s}`],
    [password(), (s) => `User(name='bob', password='${s}', roles=['admin'])`],
    [password(), (s) => `#<User id: 7, email: "a@example.com", password: "${s}">`],
    [password(), (s) => `config.Database{Host:"db", User:"app", Password:"${s}", Port:5432}`],
    [password(), (s) => `&{Host:db User:app Password:${s} Port:5432}`],
    [password(), (s) => `<credentials><username>app</username><password>${s}</password></credentials>`],
    [password(), (s) => `<property name="connection.password" value="${s}"/>`],
    [
      password(),
      (s) => `    Environment:\n      DB_HOST:      db\n      DB_PASSWORD:  ${s}\n      PORT:         8080`,
    ],
    [password(), (s) => `    - name: DB_PASSWORD\n      value: ${s}\n    - name: PORT\n      value: "8080"`],
    [password(), (s) => `"Env": ["PATH=/usr/bin", "MYSQL_ROOT_PASSWORD=${s}", "LANG=C"]`],
    [password(), (s) => `smtp: AUTH failed for mailer with password: ${s}`],
    [password(), (s) => `"\u001b[32mpassword\u001b[0m": "\u001b[31m${s}\u001b[0m"`],
    [password(), (s) => `jdbc:mysql://db:3306/shop?user=app&password=${s}&useSSL=true`],
    [password(), (s) => `amqp://guest:${s}@rabbit:5672/%2f: connection refused`],
    [alnum(24), (s) => `GET /v1/items?api_key=${s}&page=2 HTTP/1.1" 200 512 "-" "curl/8"`],
    [alnum(32), (s) => `10.1.2.3 - - [22/Nov/2026:10:00:01 +0000] "GET /cb?code=${s} HTTP/1.1" 302 0`],
    [alnum(40), (s) => `POST https://hooks.example.com/in?token=${s} -> 500`],
    [alnum(40), (s) => `> Authorization: Bearer ${s}`],
    [alnum(40), (s) => `request headers: {"authorization":["Bearer ${s}"],"accept":["*/*"]}`],
    [Buffer.from(`deploy:${alnum(10)}`).toString('base64'), (s) => `proxy: Proxy-Authorization: Basic ${s}`],
    [alnum(32), (s) => `X-Api-Key: ${s}`],
    [alnum(26), (s) => `Cookie: theme=dark; sessionid=${s}; lang=en`],
    [alnum(32), (s) => `Set-Cookie: connect.sid=s%3A${s}; Path=/; HttpOnly; Secure`],
    [
      hex(64),
      (s) =>
        `Authorization: AWS4-HMAC-SHA256 Credential=AKIA${randomText(random, 'upper', 16)}/20261122/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=${s}`,
    ],
    [hex(32), (s) => `Authorization: Digest username="bob", realm="a", nonce="b", uri="/", response="${s}"`],
    [`AK${'IA'}${randomText(random, 'upper', 16)}`, (s) => `botocore: found credentials ${s} in shared file`],
    [randomText(random, 'base64', 40), (s) => `export AWS_SECRET_ACCESS_KEY=${s}`],
    [
      `AI${'za'}${randomText(random, 'url', 35)}`,
      (s) => `maps request failed: https://maps.googleapis.com/maps/api/geocode/json?address=x&key=${s}`,
    ],
    [`ya${'29.'}${randomText(random, 'url', 80)}`, (s) => `oauth2: token refreshed, access token ${s}`],
    [`gh${'p_'}${alnum(36)}`, (s) => `remote: https://x-access-token:${s}@github.com/acme/shop.git`],
    [`glpat${'-'}${randomText(random, 'url', 20)}`, (s) => `PRIVATE-TOKEN: ${s}`],
    [
      `xox${'b-'}${randomText(random, 'digits', 12)}-${randomText(random, 'digits', 12)}-${alnum(24)}`,
      (s) => `slack: posting with ${s}`,
    ],
    [`sk_${'live_'}${alnum(24)}`, (s) => `stripe: No such customer (key ${s})`],
    [`hvs${'.'}${randomText(random, 'url', 90)}`, (s) => `vault: login ok, client_token ${s}`],
    [jwt(random), (s) => `invalid token ${s}: signature mismatch`],
    [alnum(32), (s) => `client_secret=${s}&grant_type=client_credentials`],
    [alnum(30), (s) => `oauth: {client_id:abc client_secret:${s} scope:read}`],
    [alnum(20), (s) => `kubectl create secret generic db --from-literal=password=${s}`],
    [alnum(20), (s) => `helm upgrade shop ./chart --set db.auth.password=${s} --wait`],
    [uuid(random), (s) => `HEROKU_API_KEY=${s}`],
    [hex(32), (s) => `DD_API_KEY: ${s}`],
    [
      randomText(random, 'base64', 86),
      (s) => `AccountName=shop;AccountKey=${s}==;EndpointSuffix=core.windows.net`,
    ],
    [randomText(random, 'base64', 40), (s) => `{"username":"app","password":"${s}"} sent to /login`],
    [alnum(18), (s) => `payload=%7B%22user%22%3A%22bob%22%2C%22password%22%3A%22${s}%22%7D`],
    [
      Buffer.from(`{"user":"app","password":"${alnum(14)}"}`).toString('base64'),
      (s) => `x-config-blob: ${s}`,
    ],
    [alnum(16), (s) => `otpauth url secret=${s} issuer=shop`],
    [alnum(22), (s) => `INFO  Generated security password: ${s}`],
  ];
  return lines.map(([secret, line], index) => ({
    name: `log line ${index + 1}`,
    text: line(secret),
    secrets: [secret],
  }));
}
