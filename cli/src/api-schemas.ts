import schemas from './api-schemas.json' with { type: 'json' };
import type { Schema } from './schema.ts';

/** Kinds of resources for whose request bodies the API has a schema. */
export type Resource = 'monitor' | 'alert_channel' | 'status_page' | 'structure' | 'disruption' | 'webhook';

// The cast is valid because the file contains JSON Schemas, which a test compares with those of the gateway.
export const apiSchemas = schemas as unknown as Readonly<Record<Resource, Schema>>;
