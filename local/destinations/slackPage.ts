// A page that shows the messages that a channel of the stand-in for Slack holds, for `start --slack`. Its
// buttons press those of messages, and its fields mention the app in a thread. It reloads itself while its
// fields are empty, and all texts are escaped.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { escapeHtml } from '../../shared/destinations/render/inertText.ts';
import { asArray, asObject, asText, type JsonObject } from '../../shared/text/json.ts';
import { boundPort } from '../processes/ports.ts';
import type { SlackPost } from './slackServer.ts';

const RELOAD_S = 3;
/** The page shows sessions: no other site can read it through a name for this machine. */
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;
/** A reload would remove a reply that a person writes. */
const SCRIPT = `setInterval(()=>{if([...document.querySelectorAll('input[name=text]')].every((field)=>field.value===''))location.reload()},${RELOAD_S * 1_000})`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
};
const STYLE = `body{font:15px/1.5 system-ui;max-width:46rem;margin:2rem auto;padding:0 1rem;background:#fff;color:#1d1c1d}
article{border-left:4px solid #ddd;padding:.25rem 1rem;margin:1rem 0}article article{margin-left:1rem}
h2{font-size:1.05rem;margin:.25rem 0;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:.5rem}
p{margin:.25rem 0;overflow-wrap:anywhere}.rich{white-space:pre-wrap}small{color:#616061}button,input{font:inherit;padding:.25rem .75rem}form{display:inline}`;

interface SlackPage {
  url: string;
  stop(): Promise<void>;
}

interface SlackActs {
  /** Presses the button `actionId` of a message. */
  press(post: SlackPost, actionId: string): Promise<void>;
  /** Mentions the app in the thread of a message. */
  mention(root: SlackPost, text: string): Promise<void>;
  /** Mentions the app in a message of the channel. Absent: the page has no field for it. */
  ask?(text: string): Promise<void>;
}

/** Longer bodies of forms are refused, in bytes. */
const MAX_FORM = 50_000;

/** Serves the page on a free port of 127.0.0.1. @param acts absent: its buttons have no effect. */
export async function serveSlackPage(posts: readonly SlackPost[], acts?: SlackActs): Promise<SlackPage> {
  const server = createServer((request, response) => {
    const { host, origin } = request.headers;
    if (!LOCAL_HOST.test(host ?? '')) return void response.writeHead(403).end();
    if (request.method !== 'POST')
      return void response.writeHead(200, HEADERS).end(renderSlackPage(posts, acts));
    // Every browser names the origin of a form: pages of other sites press nothing.
    if (origin !== `http://${host}` || acts === undefined) return void response.writeHead(403).end();
    performAct(request, posts, acts).then(
      () => response.writeHead(303, { location: '/' }).end(),
      () => response.writeHead(502).end('The system did not accept it. Is it running?'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${boundPort(server)}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function performAct(
  request: IncomingMessage,
  posts: readonly SlackPost[],
  acts: SlackActs,
): Promise<void> {
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > MAX_FORM) throw new RangeError('the form is too long');
  }
  const form = new URLSearchParams(body);
  const post = posts.find(({ ts }) => ts === form.get('ts'));
  const [action, text] = [form.get('action'), form.get('text')?.trim()];
  if (!form.has('ts') && text) await acts.ask?.(text);
  if (post !== undefined && action) await acts.press(post, action);
  if (post !== undefined && text) await acts.mention(post, text);
}

function renderSlackPage(posts: readonly SlackPost[], acts: SlackActs | undefined): string {
  const roots = posts.filter(({ threadTs }) => threadTs === undefined).toReversed();
  const shown = roots.map((root) => {
    const replies = posts.filter(({ threadTs, channel }) => threadTs === root.ts && channel === root.channel);
    const field = acts === undefined ? '' : renderReplyField(root);
    return renderSlackPost(root, acts, replies.map((reply) => renderSlackPost(reply, acts)).join('') + field);
  });
  const messages = shown.length === 0 ? '<p>No message yet. Publish an alert.</p>' : shown.join('');
  const body = `${acts?.ask === undefined ? '' : ASK_FIELD}${messages}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><noscript><meta http-equiv="refresh" content="${RELOAD_S}"></noscript><meta name="viewport" content="width=device-width"><title>Slack stand-in</title><style>${STYLE}</style></head><body><h1>Messages for Slack</h1><p><small>A stand-in on this machine: nothing was sent.${acts === undefined ? ' Buttons have no effect here.' : ''}</small></p>${body}<script>${SCRIPT}</script></body></html>`;
}

/** A field that mentions the app in the channel. */
const ASK_FIELD =
  '<form method="post" action="/"><input name="text" aria-label="Message that mentions the app" placeholder="@inquest why …?" autocomplete="off"> <button>Ask</button></form>';

function renderSlackPost(post: SlackPost, acts: SlackActs | undefined, below = ''): string {
  const { channel, blocks, text, edits } = post;
  const ts = acts === undefined ? undefined : post.ts;
  const words = text.replace(/<@[A-Z0-9]+>/g, '@inquest');
  const shown = blocks.map((block) => renderSlackBlock(block, ts)).join('') || paragraph(words);
  const changed = edits === 0 ? '' : edits === 1 ? ', edited once' : `, edited ${edits} times`;
  return `<article>${shown}<p><small>${escapeHtml(channel)}${changed}</small></p>${below}</article>`;
}

/** A field that mentions the app in the thread of a message. */
function renderReplyField({ ts }: SlackPost): string {
  return `<form method="post" action="/"><input type="hidden" name="ts" value="${escapeHtml(ts)}"><input name="text" aria-label="Reply that mentions the app" placeholder="@inquest …" autocomplete="off"> <button>Reply</button></form>`;
}

/** @param ts the message whose buttons can be pressed; undefined: none. */
function renderSlackBlock(block: JsonObject, ts: string | undefined): string {
  switch (block.type) {
    case 'header':
      return `<h2>${escapeHtml(readElementText(block.text))}</h2>`;
    case 'section':
      return paragraph(readElementText(block.text));
    case 'actions':
      return `<p>${asArray(block.elements)
        .map((button) => renderSlackButton(button, ts))
        .join(' ')}</p>`;
    default:
      return asArray(block.elements).map(renderSlackElement).join('');
  }
}

/** A part of `rich_text`, or an element of `context`. */
function renderSlackElement(value: unknown): string {
  const element = asObject(value);
  if (element.type === 'rich_text_preformatted') return `<pre>${escapeHtml(readElementText(element))}</pre>`;
  if (element.type !== 'rich_text_section') return paragraph(readElementText(element));
  return `<p class="rich">${asArray(element.elements).map(renderInlineText).join('')}</p>`;
}

/** A text of a section, with its style. */
function renderInlineText(value: unknown): string {
  const { style, type, url } = asObject(value);
  const text = escapeHtml(readElementText(value));
  if (type === 'link') return `<a href="${escapeHtml(asText(url) ?? '')}" rel="noreferrer">${text}</a>`;
  const { bold, code } = asObject(style);
  return bold ? `<b>${text}</b>` : code ? `<code>${text}</code>` : text;
}

function renderSlackButton(value: unknown, ts: string | undefined): string {
  const { text, url, action_id } = asObject(value);
  const label = escapeHtml(readElementText(text));
  const action = asText(action_id) ?? '';
  if (asText(url) !== undefined)
    return `<a href="${escapeHtml(asText(url) ?? '')}" rel="noreferrer">${label}</a>`;
  if (ts === undefined) return `<button disabled>${label}</button>`;
  return `<form method="post" action="/"><input type="hidden" name="ts" value="${escapeHtml(ts)}"><button name="action" value="${escapeHtml(action)}">${label}</button></form>`;
}

const paragraph = (text: string): string => (text === '' ? '' : `<p>${escapeHtml(text)}</p>`);

function readElementText(value: unknown): string {
  const { text, elements, url } = asObject(value);
  if (typeof text === 'object') return readElementText(text);
  const own = asText(text) ?? asText(url) ?? '';
  return own + asArray(elements).map(readElementText).join('');
}
