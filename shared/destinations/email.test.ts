// E-mail against a server at the wire, with TLS from the start and with STARTTLS.

import { describe, expect, it, onTestFinished } from 'vitest';
import { type SmtpOptions, startSmtp } from '../../local/destinations/smtp.fixture.ts';
import { createCertificate } from '../../test/support/certificate.ts';
import { createEmail } from './email.ts';
import { sampleMessage } from './samples.fixture.ts';

const LOGIN = { user: 'inquest', password: 'correct horse' };
const certificate = createCertificate({ commonName: 'localhost' });

async function open(options: Partial<SmtpOptions> = {}, password = LOGIN.password) {
  const server = await startSmtp({ isSecure: false, certificate, login: LOGIN, ...options });
  onTestFinished(() => server.stop());
  const destination = await createEmail({ mailAuthority: certificate.pem })(
    {
      host: 'localhost',
      port: server.port,
      user: LOGIN.user,
      password,
      from: 'Inquest <inquest@example.com>',
      to: ['oncall@example.com', 'shop@example.com'],
    },
    'mail',
  );
  return { server, destination };
}

describe('e-mail', () => {
  it('reaches all receivers over STARTTLS, with one Message-ID for all attempts', async () => {
    const { server, destination } = await open();
    const sent = await destination.send(sampleMessage('ended'));
    expect(await destination.send(sampleMessage('ended'))).toEqual(sent);
    expect(sent).toMatchObject({
      outcome: 'sent',
      ref: expect.stringMatching(/^<inquest\.[0-9a-f]{40}@example\.com>$/),
    });
    expect(server.mails[0]).toMatchObject({
      from: 'inquest@example.com',
      to: ['oncall@example.com', 'shop@example.com'],
    });
    const ids = server.mails.map(({ source }) => /^message-id: (.*)$/im.exec(source)?.[1]?.trim());
    expect(ids).toEqual([sent.outcome === 'sent' && sent.ref, sent.outcome === 'sent' && sent.ref]);
    expect(server.mails[0]?.source).toMatch(/^auto-submitted: auto-generated\r?$/im);
  });

  it('answers in the thread of its first message', async () => {
    const { server, destination } = await open();
    await destination.send(sampleMessage('details', {}, { id: 'd', thread: '<root@example.com>' }));
    expect(server.mails[0]?.source).toMatch(/^in-reply-to: <root@example\.com>\r?$/im);
  });

  it('adds no header from a text', async () => {
    const { server, destination } = await open();
    const text = 'done\r\nBcc: evil@example.com\r\n\r\n<script>';
    await destination.send(sampleMessage('ended', { text }));
    expect(server.mails[0]?.to).toHaveLength(2);
    expect(server.mails[0]?.source).not.toMatch(/^bcc:/im);
  });

  it.each([
    ['login', 535, 'refused', 'login_refused'],
    ['login', 454, 'retry', 'busy'],
    ['sender', 550, 'refused', 'address_refused'],
    ['receiver', 451, 'retry', 'busy'],
    ['data', 554, 'refused', 'refused'],
    ['data', 452, 'retry', 'busy'],
  ] as const)('takes %s with %i as %s', async (step, code, outcome, name) => {
    const { server, destination } = await open();
    const fault = { step, code, text: 'No' };
    server.failNext(...(step === 'receiver' ? [fault, fault] : [fault]));
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome,
      failure: { code: name },
    });
    expect(server.mails).toEqual([]);
  });

  it('leaves a message unknown whose answer was lost after its data', async () => {
    const { server, destination } = await open();
    server.failNext({ step: 'data', cut: true });
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({ outcome: 'unknown' });
    expect(server.mails).toHaveLength(1);
  });

  it('is sent later when the server cannot be reached, and names the fix', async () => {
    const { server, destination } = await open();
    await server.stop();
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome: 'retry',
      failure: { code: 'connection', message: expect.stringContaining('port 25') },
    });
  });

  it('refuses a server whose certificate is not trusted', async () => {
    const { destination } = await open({ certificate: createCertificate({ commonName: 'localhost' }) });
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome: 'retry',
      failure: { code: 'tls', message: expect.stringContaining('certificate') },
    });
  });

  it('sends nothing to a server without encryption', async () => {
    const server = await startSmtp({ isSecure: false, certificate, hasStartTls: false });
    onTestFinished(() => server.stop());
    const destination = await createEmail({})(
      { host: 'localhost', port: server.port, from: 'inquest@example.com', to: ['oncall@example.com'] },
      'mail',
    );
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({ failure: { code: 'tls' } });
    expect(server.mails).toEqual([]);
  });

  it('checks the connection and the login without a message', async () => {
    const right = await open();
    expect(await right.destination.check?.()).toEqual([]);
    const wrong = await open({}, 'wrong');
    expect(await wrong.destination.check?.()).toMatchObject([{ code: 'login_refused' }]);
    expect(JSON.stringify(await wrong.destination.check?.())).not.toContain('wrong');
    expect(right.server.mails).toEqual([]);
  });
});
