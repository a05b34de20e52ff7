// The OpenAPI document as a page: every route with parameters and responses. HTML that loads nothing.

import { html, raw } from 'hono/html';
import { asArray, asObject, isObject } from '../../text/json.ts';

type Html = ReturnType<typeof html>;

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}' +
  'code,pre{font:14px/1.45 ui-monospace,monospace}summary{padding:.4rem 0;cursor:pointer;border-top:1px solid #ccc}' +
  'b{display:inline-block;min-width:3.5rem}summary span{display:block;margin-left:1.1rem;color:#555}' +
  'details>div{margin:0 0 1rem 1.1rem}pre{overflow-x:auto;background:#f3f3f3;padding:.6rem}th,td{text-align:left;padding:.1rem 1rem .1rem 0;vertical-align:top}' +
  '@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}pre{background:#242424}summary{border-color:#444}summary span{color:#aaa}}';

/** The content security policy of the page: only its own style. */
export const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The page of a document that `openApiDocument` made. */
export function openApiPage({ info, paths }: Record<string, unknown>): Html {
  const { title, description } = asObject(info);
  const routes = Object.entries(asObject(paths)).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, operation]) =>
      renderRoute(method, path, asObject(operation)),
    ),
  );
  return html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} API</title><style>${raw(STYLE)}</style><h1>${title}</h1><p>${description}</p><p>The same for programs: <a href="/v1/openapi.json">/v1/openapi.json</a> (OpenAPI 3.1)</p>${routes}</html>`;
}

function renderRoute(method: string, path: string, operation: Record<string, unknown>): Html {
  const { summary, description, parameters, requestBody, responses } = operation;
  const rows = asArray(parameters).map((parameter) => {
    const { name, in: where, required, description: what = '', schema } = asObject(parameter);
    const { type = '', default: otherwise } = asObject(schema);
    const notes = [what, required ? 'required' : '', otherwise === undefined ? '' : `default ${otherwise}`];
    return html`<tr><td><code>${name}</code><td>${where}<td>${type}<td>${notes.filter((one) => one !== '').join('; ')}`;
  });
  const answers = Object.entries(asObject(responses)).map(([status, answer]) => {
    const { description: what, content } = asObject(answer);
    const [type, first] = Object.entries(asObject(content))[0] ?? [];
    if (Number(status) >= 400) return html`<p><b>${status}</b> ${what}</p>`;
    return html`<p><b>${status}</b> ${type}</p>${renderSchema(asObject(first).schema)}`;
  });
  const body = Object.values(asObject(asObject(requestBody).content))[0];
  return html`<details><summary><b>${method.toUpperCase()}</b> <code>${path}</code><span>${summary}</span></summary><div><p>${description}</p><table>${rows}</table>${body === undefined ? '' : html`<p>Body</p>${renderSchema(asObject(body).schema)}`}${answers}</div></details>`;
}

function renderSchema(schema: unknown): Html {
  const isEmpty = !isObject(schema) || Object.keys(schema).length === 0;
  if (isEmpty) return html`<p>Any content.</p>`;
  return html`<details><summary>Schema</summary><pre>${JSON.stringify(schema, null, 1)}</pre></details>`;
}
