import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { downloadModule } from './helm.ts';
import type { KubernetesObject } from './objects.ts';

/** Go modules that contain the schemas, and the files with the custom resource definitions. */
const KUBERNETES = 'k8s.io/kubernetes@v1.34.4';
export const GATEWAY_API = 'sigs.k8s.io/gateway-api@v1.5.1';
const CUSTOM_RESOURCES = {
  [GATEWAY_API]: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  'github.com/prometheus-operator/prometheus-operator@v0.90.1': [
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  ],
  'github.com/kedacore/keda/v2@v2.18.3': ['config/crd/bases/keda.sh_scaledobjects.yaml'],
};

interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  oneOf?: object[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Validates objects against the schemas of Kubernetes and of the custom resources. */
export class KubernetesSchema {
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  /**
   * Schemas by API version and kind. A schema is compiled when it is first needed, because Kubernetes has hundreds of
   * schemas.
   */
  readonly #schemas = new Map<string, object>();
  readonly #validators = new Map<string, ValidateFunction>();

  static async load(): Promise<KubernetesSchema> {
    const schema = new KubernetesSchema();
    const folder = await downloadModule(KUBERNETES);
    schema.#addDefinitions(JSON.parse(await readFile(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')));
    for (const [module, files] of Object.entries(CUSTOM_RESOURCES)) {
      const source = await downloadModule(module);
      for (const file of files) schema.#addCustomResource(await readFile(join(source, file), 'utf8'));
    }
    return schema;
  }

  /** Returns the errors of an object, each with the path of the invalid value. An unknown kind is an error. */
  errorsOf(object: KubernetesObject): string[] {
    const kind = `${object.apiVersion} ${object.kind}`;
    const schema = this.#schemas.get(kind);
    if (!schema) return [`there is no kind ${object.kind} in ${object.apiVersion}`];
    const validate = this.#validators.get(kind) ?? this.#ajv.compile(schema);
    this.#validators.set(kind, validate);
    validate(object);
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath} ${message} ${JSON.stringify(params)}`;
    });
  }

  #addDefinitions({ definitions }: { definitions: Record<string, Schema> }): void {
    for (const [name, schema] of Object.entries(definitions)) closeObjects(schema, name);
    this.#ajv.addSchema({ $id: 'kubernetes', definitions });
    for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions)) {
      for (const { group, version, kind } of kinds) {
        this.#schemas.set(`${group ? `${group}/` : ''}${version} ${kind}`, {
          $ref: `kubernetes#/definitions/${name}`,
        });
      }
    }
  }

  #addCustomResource(text: string): void {
    for (const document of parseAllDocuments(text)) {
      const { group, names, versions } = document.toJS().spec;
      for (const { name, schema } of versions) {
        closeObjects(schema.openAPIV3Schema, '');
        // The schema of a custom resource leaves out the content of `metadata`.
        schema.openAPIV3Schema.properties.metadata = { type: 'object' };
        this.#schemas.set(`${group}/${name} ${names.kind}`, schema.openAPIV3Schema);
      }
    }
  }
}

/**
 * Changes a schema so that unknown fields are errors, as they are for `kubectl apply` and for the API server's strict
 * validation. Also allows numbers and strings for quantities and ports.
 */
function closeObjects(schema: Schema, name: string): void {
  // Patterns are in Go's syntax for regular expressions, which differs from JavaScript's.
  delete schema.pattern;
  if (schema.format === 'int-or-string' || schema['x-kubernetes-int-or-string'] || name.endsWith('.Quantity')) {
    delete schema.type;
    schema.oneOf = [{ type: 'string' }, { type: 'number' }];
  }
  if (schema.properties && !schema.additionalProperties && !schema['x-kubernetes-preserve-unknown-fields']) {
    schema.additionalProperties = false;
  }
  for (const property of Object.values(schema.properties ?? {})) closeObjects(property, '');
  if (schema.items) closeObjects(schema.items, '');
  if (typeof schema.additionalProperties === 'object') closeObjects(schema.additionalProperties, '');
}
