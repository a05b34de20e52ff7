// Vertex AI before the scripted Gemini: who may call it, and calls that a test holds back.

import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { boundPort } from '../../local/processes/ports.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { accessTokenOf } from './metadataServer.ts';
import type { Rights } from './rights.ts';
import type { DeploymentSettings } from './settings.ts';

/** The model server of a deployment. */
export interface ModelServer {
  url: string;
  /** Called for each request with its body, before the model is asked, when set. */
  before: ((body: string) => Promise<void>) | undefined;
  stop(): Promise<void>;
}

const ANSWER = { text: 'The cause is known.' };
/** A first responder looks at logs and metrics. */
const SCRIPT = {
  conversations: [
    {
      when: 'first responder',
      turns: [
        { toolCalls: [{ name: 'logging.list_log_entries' }, { name: 'monitoring.list_timeseries' }] },
        ANSWER,
      ],
    },
    { turns: [ANSWER] },
  ],
};

/** Starts a model that ends each investigation with `The cause is known.` */
export async function startModelServer(
  settings: () => DeploymentSettings,
  rights: Rights,
): Promise<ModelServer> {
  const gemini = await startScriptedModel({ script: SCRIPT });
  const isAllowed = (authorization = '') => {
    const current = settings();
    return Object.values(current.services).some(
      ({ service_account: account }) =>
        authorization === `Bearer ${accessTokenOf(account)}` &&
        rights.allows(`serviceAccount:${account}`, 'roles/aiplatform.user', `projects/${current.project}`),
    );
  };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (!isAllowed(request.headers.authorization)) return void response.writeHead(403).end();
    await modelServer.before?.(body.toString('utf8'));
    const { method, headers, url = '' } = request;
    const passedOn = sendRequest(`${gemini.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passedOn.on('error', () => response.destroy());
    passedOn.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const modelServer: ModelServer = {
    url: `http://127.0.0.1:${boundPort(server)}`,
    before: undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await gemini.stop();
    },
  };
  return modelServer;
}
