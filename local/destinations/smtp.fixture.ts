// A stand-in for a server that takes mail for delivery (RFC 6409), on the package `smtp-server`: STARTTLS or
// TLS, a login, and answers that a test chooses for each step.

import type { KeyObject } from 'node:crypto';
import { SMTPServer, type SMTPServerError } from 'smtp-server';
import { boundPort } from '../processes/ports.ts';

/** A message that was accepted. */
interface StandInMail {
  from: string;
  to: string[];
  /** The message as it arrived (RFC 5322). */
  source: string;
}

/** The step that a fault is for. */
type Step = 'login' | 'sender' | 'receiver' | 'data';

/** A stand-in that runs. */
export interface StandInMailServer {
  port: number;
  mails: StandInMail[];
  /**
   * Plans the answers of the next messages, one each. `code` is an answer of RFC 5321, 4.2.3: 4xx can succeed
   * later, 5xx cannot. `cut` closes the connection after the message was accepted, without an answer.
   */
  failNext(...faults: ({ step: Step; code: number; text: string } | { step: 'data'; cut: true })[]): void;
  stop(): Promise<void>;
}

/** How the stand-in behaves. */
export interface SmtpOptions {
  /** TLS from the first byte (port 465), or STARTTLS (port 587). RFC 8314. */
  isSecure: boolean;
  certificate: { pem: string; key: KeyObject };
  /** The only login. Absent: none is asked for. */
  login?: { user: string; password: string };
  /** Whether it offers STARTTLS. Default: true. */
  hasStartTls?: boolean;
}

/** Starts the stand-in on a free port of 127.0.0.1. */
export async function startSmtp({
  isSecure,
  certificate,
  login,
  hasStartTls = true,
}: SmtpOptions): Promise<StandInMailServer> {
  const mails: StandInMail[] = [];
  const faults: Parameters<StandInMailServer['failNext']> = [];
  /** The error of the next fault if it is for this step. */
  const errorAt = (step: Step): SMTPServerError | undefined => {
    const [fault] = faults;
    if (fault === undefined || fault.step !== step || 'cut' in fault) return undefined;
    faults.shift();
    return Object.assign(new Error(fault.text), { responseCode: fault.code });
  };
  const server = new SMTPServer({
    secure: isSecure,
    cert: certificate.pem,
    key: certificate.key.export({ type: 'pkcs8', format: 'pem' }),
    authOptional: login === undefined,
    disabledCommands: hasStartTls ? [] : ['STARTTLS', 'AUTH'],
    // RFC 8314: no login in clear text.
    allowInsecureAuth: false,
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.password;
      const wrong = Object.assign(new Error('Authentication credentials invalid'), { responseCode: 535 });
      done(errorAt('login') ?? (isRight ? null : wrong), isRight ? { user: username } : undefined);
    },
    onMailFrom: (_address, _session, done) => done(errorAt('sender')),
    onRcptTo: (_address, _session, done) => done(errorAt('receiver')),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refused = errorAt('data');
        if (refused !== undefined) return done(refused);
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        });
        if (faults[0] === undefined || !('cut' in faults[0])) return done(null);
        faults.shift();
        for (const connection of server.connections) connection._socket.destroy();
      });
    },
  });
  // A client that goes away is no error of the server.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    port: boundPort(server.server),
    mails,
    failNext: (...next) => void faults.push(...next),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
