import { type Html, html, type Piece } from '@tocsin/html';
import type { Operation, Parameter, Response, Schema } from '../document/types.ts';
import { fieldsHtml, type PageObjects, parametersHtml } from './fields-html.ts';
import { json, words } from './prose.ts';
import type { Resolve } from './resolve.ts';
import { type ExampleCall, exampleCall } from './samples/example-call.ts';
import { LANGUAGES } from './samples/samples.ts';

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
  objects: PageObjects,
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
        <h2 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h2>
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
        ${section('Responses', responsesHtml(shown, resolve, objects))}
      </div>
      <div class="shown">
        ${samplesHtml(operationId, exampleCall(baseUrl, method, path, operation))}
        ${answered && success && html`<figure><figcaption>Response ${success.status}</figcaption>${json(answered.example)}</figure>`}
      </div>
    </article>`;
}

export function methodHtml(method: string): Html {
  return html`<span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span>`;
}

function responsesHtml(
  responses: readonly { status: string; response: Response }[],
  resolve: Resolve,
  objects: PageObjects,
): Html {
  return html`<ul class="responses">${responses.map(({ status, response }) => {
    const schema = response.content?.[JSON_TYPE]?.schema;
    return html`
      <li>
        ${status < '400' ? statusHtml(status) : html`<a href="/docs#error-${status}">${statusHtml(status)}</a>`}
        <div>
          <p>${words(response.description)}</p>
          ${schema && status < '300' ? fieldsHtml(resolve(schema), 'answered', resolve, objects) : undefined}
        </div>
      </li>`;
  })}</ul>`;
}

export function statusHtml(status: string): Html {
  return html`<span class="status s${status.charAt(0)}">${status}</span>`;
}

function section(title: string, content: Piece): Html {
  return html`<h3>${title}</h3>${content}`;
}

/**
 * Renders the samples of a call in all languages. The style sheet shows only the sample in the chosen language.
 * Browsers without `:has()` show all samples, one after the other.
 */
function samplesHtml(operationId: string, call: ExampleCall): Html {
  return html`<figure class="samples">
          <fieldset><legend>Language</legend>${LANGUAGES.map(
            ({ id, name }, index) =>
              html`<label><input type="radio" name="language-${operationId}" value="${id}"${index === 0 && html` checked`}> ${name}</label>`,
          )}</fieldset>
          ${LANGUAGES.map(({ id, sample }) => html`<pre tabindex="0" class="sample-${id}"><code>${sample(call)}</code></pre>`)}
        </figure>`;
}
