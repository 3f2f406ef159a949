import schemas from './api-schemas.json' with { type: 'json' };
import type { Schema } from './schema.ts';

/** Kinds of resources that have a request body schema in the API. */
export type Resource = 'monitor' | 'alert_channel' | 'status_page' | 'structure' | 'disruption' | 'webhook';

// The cast is valid because the file contains JSON Schemas, which a test compares with the gateway's.
export const apiSchemas = schemas as unknown as Readonly<Record<Resource, Schema>>;
