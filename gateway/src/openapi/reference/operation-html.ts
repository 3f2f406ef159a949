import { type Html, html, type Piece } from '@tocsin/html';
import type { Operation, Parameter, Response, Schema } from '../document/types.ts';
import { curl } from './curl.ts';
import { fieldsHtml, parametersHtml } from './fields-html.ts';
import { json, words } from './prose.ts';
import type { Resolve } from './resolve.ts';

const JSON_TYPE = 'application/json';

export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Renders an operation with its parameters and body, an example call and the responses. */
export function operationHtml(
  { method, path, operation }: DescribedOperation,
  baseUrl: string,
  resolve: Resolve,
): Html {
  const { operationId = '', summary = '', parameters = [], requestBody, responses } = operation;
  const { 'x-permission': permission, 'x-rate-bucket': bucket } = operation;
  const body = requestBody?.content[JSON_TYPE];
  const shown = Object.entries(responses).map(([status, response]) => ({
    status,
    response: resolve<Response>(response),
  }));
  const success = shown.find(({ status }) => status < '300');
  const answered = success?.response.content?.[JSON_TYPE];
  return html`
    <article class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
      <div class="said">
        <h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
        <p class="call">${methodHtml(method)} <code>${path.split('/').flatMap((part, index) => (index === 0 ? [part] : ['/', html`<wbr>`, part]))}</code></p>
        <dl class="facts">
          <div><dt>Permission</dt><dd>${permission ? html`<code>${permission}</code>` : operation.security?.length === 0 ? 'none' : 'any valid credential'}</dd></div>
          <div><dt>Rate bucket</dt><dd>${bucket ? html`<code>${bucket}</code>` : 'none'}</dd></div>
          <div><dt>Operation</dt><dd><code>${operationId}</code></dd></div>
        </dl>
        ${
          parameters.length > 0
            ? section(
                'Parameters',
                parametersHtml(
                  parameters.map((part) => resolve<Parameter>(part)),
                  resolve,
                ),
              )
            : undefined
        }
        ${body ? section('Body', fieldsHtml(resolve<Schema>(body.schema), 'sent', resolve)) : undefined}
        ${section('Responses', responsesHtml(shown, resolve))}
      </div>
      <div class="shown">
        ${example('Call', html`<pre tabindex="0"><code>${curl(baseUrl, method, path, operation)}</code></pre>`)}
        ${answered && success ? example(`Response ${success.status}`, json(answered.example)) : undefined}
      </div>
    </article>`;
}

export function methodHtml(method: string): Html {
  return html`<span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span>`;
}

function responsesHtml(responses: readonly { status: string; response: Response }[], resolve: Resolve): Html {
  return html`<ul class="answers">${responses.map(({ status, response }) => {
    const schema = response.content?.[JSON_TYPE]?.schema;
    return html`
      <li>
        ${status < '400' ? statusHtml(status) : html`<a href="#error-${status}">${statusHtml(status)}</a>`}
        <div>
          <p>${words(response.description)}</p>
          ${schema && status < '300' ? html`<details><summary>Fields</summary>${fieldsHtml(resolve(schema), 'answered', resolve)}</details>` : undefined}
        </div>
      </li>`;
  })}</ul>`;
}

export function statusHtml(status: string): Html {
  return html`<span class="status s${status.charAt(0)}">${status}</span>`;
}

function section(title: string, content: Piece): Html {
  return html`<h4>${title}</h4>${content}`;
}

function example(title: string, content: Html): Html {
  return html`<figure><figcaption>${title}</figcaption>${content}</figure>`;
}
