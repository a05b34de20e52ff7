// A page that shows what a channel of the stand-in for Slack holds, for `start --slack`. It has no script: it reloads itself,
// and all texts are escaped.

import { createServer } from 'node:http';
import { escapeHtml } from '../../shared/destinations/render/inertText.ts';
import { asArray, asObject, asText, type JsonObject } from '../../shared/text/json.ts';
import { boundPort } from '../processes/ports.ts';
import type { SlackPost } from './slackServer.ts';

const RELOAD_S = 3;
/** The page shows texts of sessions: no other site can read it through a name that resolves to this machine. */
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  'cache-control': 'no-store',
};
const STYLE = `body{font:15px/1.5 system-ui;max-width:46rem;margin:2rem auto;padding:0 1rem;background:#fff;color:#1d1c1d}
article{border-left:4px solid #ddd;padding:.25rem 1rem;margin:1rem 0}article article{margin-left:1rem}
h2{font-size:1.05rem;margin:.25rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:.5rem}
p{margin:.25rem 0;overflow-wrap:anywhere}small{color:#616061}button{font:inherit;padding:.25rem .75rem}`;

/** A served page. */
interface SlackPage {
  url: string;
  stop(): Promise<void>;
}

/** Serves the page on a free port of 127.0.0.1. */
export async function serveSlackPage(posts: readonly SlackPost[]): Promise<SlackPage> {
  const server = createServer((request, response) => {
    if (!LOCAL_HOST.test(request.headers.host ?? '')) return void response.writeHead(403).end();
    response.writeHead(200, HEADERS).end(pageOf(posts));
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

function pageOf(posts: readonly SlackPost[]): string {
  const roots = posts.filter(({ threadTs }) => threadTs === undefined).toReversed();
  const shown = roots.map((root) => {
    const replies = posts.filter(({ threadTs, channel }) => threadTs === root.ts && channel === root.channel);
    return postOf(root, replies.map((reply) => postOf(reply)).join(''));
  });
  const body = shown.length === 0 ? '<p>No message yet. Publish an alert.</p>' : shown.join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="${RELOAD_S}"><meta name="viewport" content="width=device-width"><title>Slack stand-in</title><style>${STYLE}</style></head><body><h1>Messages for Slack</h1><p><small>A stand-in on this machine: nothing was sent. Buttons have no effect here.</small></p>${body}</body></html>`;
}

function postOf({ channel, blocks, text, edits }: SlackPost, replies = ''): string {
  const shown = blocks.map(blockOf).join('') || paragraph(text);
  const changed = edits === 0 ? '' : `, edited ${edits} times`;
  return `<article>${shown}<p><small>${escapeHtml(channel)}${changed}</small></p>${replies}</article>`;
}

function blockOf(block: JsonObject): string {
  switch (block.type) {
    case 'header':
      return `<h2>${escapeHtml(textOf(block.text))}</h2>`;
    case 'section':
      return paragraph(textOf(block.text));
    case 'actions':
      return `<p>${asArray(block.elements).map(buttonOf).join(' ')}</p>`;
    default:
      return asArray(block.elements).map(elementOf).join('');
  }
}

/** A part of `rich_text`, or an element of `context`. */
function elementOf(value: unknown): string {
  const element = asObject(value);
  const text = textOf(element);
  return element.type === 'rich_text_preformatted' ? `<pre>${escapeHtml(text)}</pre>` : paragraph(text);
}

function buttonOf(value: unknown): string {
  return `<button disabled>${escapeHtml(textOf(asObject(value).text))}</button>`;
}

const paragraph = (text: string): string => (text === '' ? '' : `<p>${escapeHtml(text)}</p>`);

/** The text of an element, with the texts of its parts. */
function textOf(value: unknown): string {
  const { text, elements, url } = asObject(value);
  if (typeof text === 'object') return textOf(text);
  const own = asText(text) ?? asText(url) ?? '';
  return own + asArray(elements).map(textOf).join('');
}
