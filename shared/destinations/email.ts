// E-mail through a server that takes mail for delivery. A message keeps its Message-ID over all attempts, by
// which some servers and clients drop a copy; none has to, so that a repetition after a lost answer is
// unsafe. RFC 5322, 6409 and 8314.

import type { SMTPTransportOptions } from 'nodemailer';
import type { CreateDestination, DeliveryFailure, SendResult } from '../contract/destination.ts';
import type { EmailSettings } from '../contract/destinationSettings.ts';
import { errorMessage } from '../core/errors.ts';
import { quoteText } from '../text/cut.ts';
import { asObject, asText } from '../text/json.ts';
import { composeMessageId, renderMail } from './emailMessage.ts';
import type { DestinationServices } from './services.ts';

/** A server can take minutes for the end of the data (RFC 5321, 4.5.3.2.6). A function has less. */
const TIMEOUT_MS = 60_000;
const CONNECT_MS = 15_000;
const TLS_PORT = 465;

const FIXES: Record<string, string> = {
  login_refused: 'The server refused the login. Check "user" and "password".',
  address_refused: 'The server refused the sender or all receivers. Check "from" and "to".',
  tls: 'The connection is not encrypted, or the certificate is not trusted. Use port 587 with STARTTLS, or port 465.',
  connection:
    'The server did not answer. Check "host" and "port", and that the function can reach them: Google Cloud blocks port 25.',
  refused: 'The server refused the message.',
  busy: 'The server takes no messages now.',
};

/** Makes the destination. Loads nodemailer. */
export const createEmail =
  ({ mailAuthority }: Pick<DestinationServices, 'mailAuthority'>): CreateDestination<EmailSettings> =>
  async ({ host, port = 587, user, password, from, to }) => {
    const { default: nodemailer } = await import('nodemailer');
    const isSecure = port === TLS_PORT;
    const options: SMTPTransportOptions = {
      host,
      port,
      secure: isSecure,
      requireTLS: !isSecure,
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      ...(mailAuthority === undefined ? {} : { tls: { ca: mailAuthority } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: TIMEOUT_MS - CONNECT_MS,
      // A message has no attachments, and none of its texts is a path.
      disableFileAccess: true,
      disableUrlAccess: true,
    };

    return {
      kind: 'email',
      capabilities: {
        update: false,
        thread: true,
        buttons: false,
        probe: false,
        key: false,
        isRepeatSafe: false,
      },
      timeoutMs: TIMEOUT_MS,
      preview: (outgoing) => renderMail(outgoing, from),
      async send(outgoing) {
        const watch = watchForData();
        const transport = nodemailer.createTransport({
          ...options,
          transactionLog: true,
          logger: watch.logger,
        });
        try {
          await transport.sendMail({ ...renderMail(outgoing, from), from, to });
          return { outcome: 'sent', ref: composeMessageId(outgoing.id, from) };
        } catch (error) {
          return toSmtpResult(error, watch.hasData());
        } finally {
          transport.close();
        }
      },
      async check() {
        const transport = nodemailer.createTransport(options);
        try {
          await transport.verify();
          return [];
        } catch (error) {
          return [toSmtpResult(error, false).failure];
        } finally {
          transport.close();
        }
      },
    };
  };

/** Notices when the command DATA is sent: nodemailer's errors of a closed connection do not name the step. */
function watchForData(): {
  logger: NonNullable<Exclude<SMTPTransportOptions['logger'], boolean>>;
  hasData: () => boolean;
} {
  let hasData = false;
  const ignore = () => {};
  const debug = (entry?: unknown, text?: unknown) => {
    if (asObject(entry).tnx === 'client' && text === 'DATA') hasData = true;
  };
  const logger = { trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore };
  return { logger, hasData: () => hasData };
}

/** An answer of the server is final. Without one it was not accepted, unless its data was on the way. */
function toSmtpResult(error: unknown, hasData: boolean): Exclude<SendResult, { outcome: 'sent' | 'gone' }> {
  const { code, responseCode } = asObject(error);
  const failure = describeSmtpFailure(error);
  if (typeof responseCode === 'number') {
    return responseCode >= 500
      ? { outcome: 'refused', failure }
      : { outcome: 'retry', failure: { ...failure, code: 'busy' }, retryAfterMs: null };
  }
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'ECONFIG') return { outcome: 'refused', failure };
  return hasData ? { outcome: 'unknown', failure } : { outcome: 'retry', failure, retryAfterMs: null };
}

function describeSmtpFailure(error: unknown): DeliveryFailure {
  const { code, responseCode } = asObject(error);
  // The words of the server follow those of nodemailer.
  const words = quoteText(errorMessage(error).replace(/\s+/g, ' '), 250);
  const name = readSmtpCode(asText(code), responseCode, words);
  return { code: name, message: `${FIXES[name]} ${words}` };
}

function readSmtpCode(code: string | undefined, responseCode: unknown, words: string): string {
  if (code === 'EAUTH') return 'login_refused';
  if (code === 'EENVELOPE') return 'address_refused';
  if (code === 'ETLS' || /certificate/i.test(words)) return 'tls';
  return typeof responseCode === 'number' ? 'refused' : 'connection';
}
