// A stand-in for the control plane of one Google Cloud project. Its answers are constructed: no answer of
// Google was recorded. Requests and answers are checked against Google's discovery documents, so that neither
// has a field that Google does not know.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gcpMetadata } from 'google-auth-library';
import { onTestFinished, vi } from 'vitest';
import { TOKEN_INFO } from '../../../cli/google/addresses.ts';
import { checkShape, methodOf } from './discovery.ts';

/** A stored object, newest version last. */
interface StoredObject {
  versions: { generation: string; bytes: Buffer }[];
}

/** The state of the project, which tests set and read. */
export interface StandInState {
  project: string;
  projectNumber: string;
  lifecycleState: string;
  /** APIs whose calls are refused: `secretmanager.googleapis.com`. */
  disabledApis: Set<string>;
  buckets: Map<string, { resource: Record<string, unknown>; objects: Map<string, StoredObject> }>;
  /** Versions by secret id, oldest first. */
  secrets: Map<string, { state: string; value: string }[]>;
  /** Ids of databases. */
  databases: Set<string>;
  /** Ids of databases whose protection was removed. */
  unprotected: Set<string>;
  /** Answers of plain list and get methods, by path; undefined answers 404. */
  resources: Map<string, Record<string, unknown>>;
  /** The person whose credentials these are. Undefined: a service account. */
  person: string | undefined;
  /** The next requests whose path contains the key are answered with this. */
  refusals: Map<string, { status: number; body: object }>;
}

/** A started stand-in. */
export interface StandInGoogle {
  state: StandInState;
  /** All requests: method and address without parameters. */
  requests: string[];
}

/** The APIs that a project has, unless they are disabled. */
const API_NAMES =
  'run pubsub firestore firebaserules cloudscheduler iam cloudresourcemanager monitoring logging artifactregistry serviceusage storage secretmanager iap aiplatform telemetry compute billingbudgets'.split(
    ' ',
  );
const TOKEN = 'stand-in-token';
const GOOGLE = /^https:\/\/[a-z0-9]+\.googleapis\.com\//;

/**
 * Starts the stand-in until the test is over, and sends this process's requests to Google's hosts to it.
 * Credentials come from a metadata server, as on Google Cloud. The test fails after a request or an answer
 * that Google's documents do not have.
 */
export async function createGoogleStandIn(given: Partial<StandInState> = {}): Promise<StandInGoogle> {
  const state: StandInState = {
    project: 'shop-prod',
    projectNumber: '415104041262',
    lifecycleState: 'ACTIVE',
    disabledApis: new Set(),
    buckets: new Map(),
    secrets: new Map(),
    databases: new Set(),
    unprotected: new Set(),
    resources: new Map(),
    person: undefined,
    refusals: new Map(),
    ...given,
  };
  const requests: string[] = [];
  const faults: Error[] = [];
  const metadata = createServer(answerMetadata);
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(metadata.address() as AddressInfo).port}`;
  const real = globalThis.fetch;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (!GOOGLE.test(String(input))) return real(input, init);
    try {
      const { status, body } = await answer(state, new Request(input, init), requests);
      return new Response(Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body), { status });
    } catch (error) {
      faults.push(error as Error);
      throw error;
    }
  });
  const gcloud = mkdtempSync(join(tmpdir(), 'inquest-gcloud-'));
  vi.stubEnv('CLOUDSDK_CONFIG', gcloud);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
  vi.stubEnv('GCE_METADATA_HOST', host);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  gcpMetadata.resetIsAvailableCache();
  onTestFinished(async () => {
    spy.mockRestore();
    vi.unstubAllEnvs();
    gcpMetadata.resetIsAvailableCache();
    rmSync(gcloud, { recursive: true });
    metadata.close();
    if (faults[0] !== undefined) throw faults[0];
  });
  return { state, requests };
}

function answerMetadata({ url = '' }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Metadata-Flavor', 'Google');
  if (!/\/token(?:\?|$)/.test(url)) return void response.writeHead(404).end();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ access_token: TOKEN, expires_in: 3600, token_type: 'Bearer' }));
}

const tokenInfo = ({ person, project }: StandInState) => ({
  email: person ?? `deployer@${project}.iam.gserviceaccount.com`,
  email_verified: 'true',
  scope:
    'openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/cloud-platform',
});

interface Answer {
  status: number;
  body: object | Buffer;
}

async function answer(state: StandInState, request: Request, requests: string[]): Promise<Answer> {
  const url = new URL(request.url);
  const { hostname: host } = url;
  // It is part of no discovery document, and of no project.
  if (request.url === TOKEN_INFO) return ok(tokenInfo(state));
  const method = methodOf(request.method, url);
  requests.push(`${request.method} ${url.href.split('?')[0]}`);
  if (request.headers.get('authorization') !== `Bearer ${TOKEN}`)
    return refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
  if (request.headers.get('x-goog-user-project') !== state.project)
    throw new Error('the request names no project for its quota');
  const bytes = Buffer.from(await request.arrayBuffer());
  const isUpload = url.pathname.startsWith('/upload/');
  const body =
    isUpload || bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, unknown>);
  if (!isUpload) checkShape(method, 'request', body);
  for (const [part, refused] of state.refusals)
    if (url.href.includes(part)) {
      state.refusals.delete(part);
      return refused;
    }
  if (state.disabledApis.has(host)) return disabled(state, host);
  const answered = respond(state, { id: method.id, url, body, bytes });
  if (answered.status === 200 && !Buffer.isBuffer(answered.body) && url.searchParams.get('alt') !== 'media')
    for (const one of Array.isArray(answered.body) ? answered.body : [answered.body])
      checkShape(method, 'response', one);
  return answered;
}

interface Call {
  id: string;
  url: URL;
  body: Record<string, unknown>;
  bytes: Buffer;
}

function respond(state: StandInState, call: Call): Answer {
  const { id, url, body } = call;
  if (id.startsWith('buckets.') || id.startsWith('objects.')) return respondStorage(state, call);
  switch (id) {
    case 'projects.get': {
      const { project, projectNumber, lifecycleState } = state;
      if (!url.pathname.endsWith(`/${project}`))
        return refusal(403, 'PERMISSION_DENIED', 'The caller does not have permission');
      return ok({ projectId: project, projectNumber, lifecycleState, name: project });
    }
    case 'services.list': {
      const found = state.resources.get(url.pathname);
      const services = API_NAMES.map((name) => `${name}.googleapis.com`)
        .filter((host) => !state.disabledApis.has(host))
        .map((host) => ({ name: `projects/${state.projectNumber}/services/${host}`, state: 'ENABLED' }));
      return ok(found ?? { services });
    }
    case 'services.batchEnable': {
      for (const api of body.serviceIds as string[]) state.disabledApis.delete(api);
      return ok({ name: 'operations/acat.p2-415104041262-1', done: false });
    }
    case 'operations.get':
      return ok({ name: 'operations/acat.p2-415104041262-1', done: true, response: {} });
    case 'projects.secrets.versions.list':
    case 'projects.secrets.addVersion':
      return respondSecret(state, call);
    case 'projects.databases.get': {
      const name = url.pathname.split('/').at(-1) ?? '';
      return state.databases.has(name)
        ? ok({ name: `projects/${state.project}/databases/${name}` })
        : notFound();
    }
    case 'projects.databases.patch': {
      state.unprotected.add(url.pathname.split('/').at(-1) ?? '');
      return ok({ name: `${url.pathname.replace('/v1/', '')}/operations/1`, done: true });
    }
    default: {
      const found = state.resources.get(url.pathname);
      return found === undefined ? notFound() : ok(found);
    }
  }
}

function respondStorage(state: StandInState, { id, url, body, bytes }: Call): Answer {
  const [, bucketName = '', objectName] = /\/b\/([^/]+)(?:\/o(?:\/(.+))?)?$/.exec(url.pathname) ?? [];
  if (id === 'buckets.insert') {
    const name = String(body.name);
    if (state.buckets.has(name))
      return refusal(
        409,
        'conflict',
        'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
      );
    const resource = { ...body, projectNumber: state.projectNumber };
    state.buckets.set(name, { resource, objects: new Map() });
    return ok(resource);
  }
  const bucket = state.buckets.get(bucketName);
  if (bucket === undefined) return notFound();
  switch (id) {
    case 'buckets.get':
      return ok(bucket.resource);
    case 'buckets.patch': {
      const labels = { ...(bucket.resource.labels as object), ...(body.labels as object) };
      bucket.resource = { ...bucket.resource, ...body, labels };
      return ok(bucket.resource);
    }
    case 'buckets.delete':
      if (bucket.objects.size > 0)
        return refusal(409, 'conflict', 'The bucket you tried to delete is not empty.');
      state.buckets.delete(bucketName);
      return ok({});
    case 'objects.list': {
      const prefix = url.searchParams.get('prefix') ?? '';
      const items = [...bucket.objects]
        .filter(([name]) => name.startsWith(prefix))
        .flatMap(([name, { versions }]) => versions.map(({ generation }) => ({ name, generation })));
      return ok({ kind: 'storage#objects', items });
    }
    case 'objects.insert': {
      const name = url.searchParams.get('name') ?? '';
      const stored = bucket.objects.get(name) ?? { versions: [] };
      if (url.searchParams.get('ifGenerationMatch') === '0' && stored.versions.length > 0)
        return refusal(
          412,
          'conditionNotMet',
          'At least one of the pre-conditions you specified did not hold.',
        );
      const isVersioned = (bucket.resource.versioning as { enabled?: boolean } | undefined)?.enabled === true;
      const generation = String(1_700_000_000_000_000 + stored.versions.length);
      bucket.objects.set(name, {
        versions: [...(isVersioned ? stored.versions : []), { generation, bytes }],
      });
      return ok({
        name,
        bucket: bucketName,
        generation,
        md5Hash: createHash('md5').update(bytes).digest('base64'),
      });
    }
  }
  const name = decodeURIComponent(objectName ?? '');
  const object = bucket.objects.get(name);
  const latest = object?.versions.at(-1);
  if (object === undefined || latest === undefined) return notFound();
  if (id === 'objects.get')
    return url.searchParams.get('alt') === 'media'
      ? { status: 200, body: latest.bytes }
      : ok({ name, generation: latest.generation });
  const generation = url.searchParams.get('generation');
  object.versions = object.versions.filter(
    (version) => generation !== null && version.generation !== generation,
  );
  if (object.versions.length === 0) bucket.objects.delete(name);
  return ok({});
}

function respondSecret(state: StandInState, { id, url, body }: Call): Answer {
  const [, secret = ''] = /\/secrets\/([^/:]+)/.exec(url.pathname) ?? [];
  const versions = state.secrets.get(secret);
  if (versions === undefined)
    return refusal(404, 'NOT_FOUND', `Secret [projects/${state.projectNumber}/secrets/${secret}] not found.`);
  const nameOf = (number: number) => `projects/${state.projectNumber}/secrets/${secret}/versions/${number}`;
  if (id === 'projects.secrets.addVersion') {
    const { data } = body.payload as { data: string };
    versions.push({ state: 'ENABLED', value: Buffer.from(data, 'base64').toString() });
    return ok({ name: nameOf(versions.length), state: 'ENABLED' });
  }
  const wanted = url.searchParams.get('filter')?.replace('state:', '');
  const listed = versions
    .map((version, index) => ({ name: nameOf(index + 1), state: version.state }))
    .reverse();
  const found = listed.filter((version) => wanted === undefined || version.state === wanted);
  return ok({
    versions: found.slice(0, Number(url.searchParams.get('pageSize') ?? 100)),
    totalSize: found.length,
  });
}

const ok = (body: object): Answer => ({ status: 200, body });
const notFound = (): Answer => refusal(404, 'notFound', 'Not Found');

function refusal(status: number, reason: string, message: string): Answer {
  return {
    status,
    body: {
      error: { code: status, message, status: reason, errors: [{ message, domain: 'global', reason }] },
    },
  };
}

/** As Google documents it: https://cloud.google.com/apis/design/errors */
function disabled(state: StandInState, service: string): Answer {
  const consumer = `projects/${state.projectNumber}`;
  const message = `${service} has not been used in project ${state.projectNumber} before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/${service}/overview?project=${state.projectNumber} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'SERVICE_DISABLED',
    domain: 'googleapis.com',
    metadata: { service, consumer },
  };
  return {
    status: 403,
    body: { error: { code: 403, message, status: 'PERMISSION_DENIED', details: [info] } },
  };
}
