// GitHub's API for installations of an App: checks signatures, and issues tokens that are valid for an hour.

import { createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const HOUR_MS = 3_600_000;
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

/** The settings of a server with tokens of this API. */
export const githubApp = (apiUrl: string) => ({
  auth: 'github-app' as const,
  githubApp: { appId: '77', installationId: '42', privateKey: PEM, repositories: ['shop'], apiUrl },
});

/** Starts the API. @param answer refuses every request with it. */
export async function startGithub(now: () => number, answer?: { status: number; message: string }) {
  const expiries = new Map<string, number>();
  const github = {
    url: '',
    bodies: [] as unknown[],
    minted: [] as string[],
    /** Whether a token is valid now. */
    admits: (token: string) => (expiries.get(token) ?? 0) > now(),
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const [head = '', claims = '', signature = ''] = (request.headers.authorization ?? '')
      .slice(7)
      .split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${head}.${claims}`)
      .verify(publicKey, signature, 'base64url');
    const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    // GitHub refuses a signature of the future: clocks differ.
    const isPast = iat * 1000 <= now() - 30_000;
    const isCurrent = isPast && exp * 1000 > now() && exp * 1000 <= now() + 600_000;
    if (answer !== undefined || !isSigned || !isCurrent || iss !== '77')
      return void response
        .writeHead(answer?.status ?? 401)
        .end(JSON.stringify({ message: answer?.message ?? `bad ${request.headers.authorization}` }));
    github.bodies.push([request.url, JSON.parse(body)]);
    const token = `ghs_installationtoken${github.minted.length}abcdefghijklm`;
    github.minted.push(token);
    expiries.set(token, now() + HOUR_MS);
    response
      .writeHead(201)
      .end(JSON.stringify({ token, expires_at: new Date(now() + HOUR_MS).toISOString() }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  github.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return github;
}
