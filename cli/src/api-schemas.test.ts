import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChannelCreate } from '../../gateway/src/schemas/alert-channel.ts';
import { schemasOf } from '../../gateway/src/schemas/disruption.ts';
import { MonitorCreate } from '../../gateway/src/schemas/monitor.ts';
import { PageCreate } from '../../gateway/src/schemas/status-page.ts';
import { StructureInput } from '../../gateway/src/schemas/structure.ts';
import { WebhookCreate } from '../../gateway/src/schemas/webhook.ts';

/** Returns a schema as the OpenAPI document shows it, including its variants. */
const withVariants = (schema: object): unknown => Reflect.get(schema, 'x-document') ?? schema;

// Run `npx vitest run --project unit cli/src/api-schemas.test.ts --update` to write api-schemas.json.
test('api-schemas.json contains the current schemas of the API', async () => {
  const schemas = {
    monitor: withVariants(MonitorCreate),
    alert_channel: withVariants(ChannelCreate),
    status_page: PageCreate,
    structure: StructureInput,
    disruption: schemasOf('disruption').Create,
    webhook: WebhookCreate,
  };
  const text = `${JSON.stringify(schemas, null, 1)}\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'api-schemas.json'));
});
