/** The parts of OpenAPI 3.1 that the document uses. */
export interface Document {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
    readonly license?: { readonly name: string; readonly identifier?: string };
  };
  readonly servers?: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Requests that Tocsin sends to webhook subscriptions. */
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Components;
}

export interface Components {
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly responses?: Readonly<Record<string, Response>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Empty if the operation needs no credential. */
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** Absent if any valid credential is accepted. */
  readonly 'x-permission'?: string;
  readonly 'x-rate-bucket'?: string;
  readonly 'x-max-body-bytes'?: number;
}

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly title?: string;
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}
