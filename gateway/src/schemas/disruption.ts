import type { MessageInitShape } from '@bufbuild/protobuf';
import { disruptionResource, disruptionTypeNames, type Noun } from '@tocsin/api-json';
import {
  componentStatuses,
  disruptionImpacts,
  disruptionStatuses,
  MAX_ENTERED_BYTES,
  MAX_TIMELINE_BYTES,
  MAX_UPDATES,
} from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import type {
  ComponentsInputSchema,
  CreateDisruptionRequestSchema,
  Disruption,
  ListDisruptionsRequestSchema,
  UpdateDisruptionRequestSchema,
} from '@tocsin/proto/disruption/v1/disruption';
import { type Static, Type } from 'typebox';
import { Id, idInput, MARKDOWN, Name, nullable, oneOf, pageQuery, Timestamp } from './common.ts';
import { MAX_COMPONENTS } from './component.ts';
import { Moment, momentsOf } from './moment.ts';

const Status = oneOf(disruptionStatuses.names, {
  description: 'The last three are those of maintenance, the others are those of everything else',
});

const AffectedInput = Type.Object({
  id: Type.Optional(idInput('UUID of a component of the page; required')),
  component_id: Type.Optional(idInput('Another name of `id`; with both, the same value')),
  status: Type.Optional(oneOf(componentStatuses.names, { description: 'Required' })),
  severity: Type.Optional(
    oneOf(componentStatuses.names, { description: 'Another name of `status`; with both, the same value' }),
  ),
});

const Message = Type.String({
  maxLength: 10_000,
  description: `Text of a new timeline entry; absent: a default text in the language of each page. ${MARKDOWN}. All texts of a timeline have at most ${MAX_TIMELINE_BYTES / 1024} KB`,
});

const EndsAt = Type.Optional(
  nullable({ ...Moment, description: 'Only for maintenance: when it completes by itself, after started_at' }),
);

const Notify = Type.Boolean({
  default: true,
  description: 'Whether webhook subscriptions, and subscribers of the status pages, get a message about it',
});

const COMPONENTS = 'All components of the page that are affected; together with status_page_id';

const publication = {
  status_page_id: Type.Optional(idInput('UUID of the status page to publish to; together with `components`')),
  components: Type.Optional(
    Type.Array(AffectedInput, {
      maxItems: MAX_COMPONENTS,
      description: COMPONENTS,
    }),
  ),
};

/** Fields with which a caller records what happened before the request, such as updates that were posted elsewhere. */
const history = {
  status: Type.Optional(
    Type.Unsafe<Static<typeof Status>>({
      ...Status,
      description:
        'Default: `resolved` or `completed` with `resolved_at`, else that of the last of `updates`; without both, `investigating`, `scheduled` or `in_progress`',
    }),
  ),
  resolved_at: Type.Optional(
    nullable({
      ...Moment,
      description:
        'When it ended, not in the future and not before `started_at`; only with the status `resolved` or `completed`',
    }),
  ),
  updates: Type.Optional(
    Type.Array(
      Type.Object({
        status: Status,
        message: Type.Optional(Type.String({ maxLength: 10_000, description: `Absent: a default text. ${MARKDOWN}` })),
        posted_at: Type.String({
          ...Moment,
          description:
            'Not before that of the previous update, not in the future, and before `started_at` only with the status `scheduled`',
        }),
      }),
      {
        maxItems: MAX_UPDATES,
        description: `The timeline so far, oldest first, with at most ${MAX_ENTERED_BYTES / 1024} KB of messages in all; instead of \`message\``,
      },
    ),
  ),
};

/** Returns the schemas of the resource under the name `disruption` or `incident`. */
export function schemasOf(noun: Noun) {
  const Kind = oneOf(disruptionTypeNames.all(noun));
  const fields = {
    type: Type.Optional(oneOf(disruptionTypeNames.all(noun), { default: noun })),
    impact: Type.Optional(oneOf(disruptionImpacts.names, { default: 'major' })),
    message: Type.Optional(Message),
    ends_at: EndsAt,
    notify: Type.Optional(Notify),
    ...publication,
  };
  return {
    ResourceSchema: Type.Object({
      id: Id,
      title: Name,
      type: Kind,
      status: Status,
      impact: oneOf(disruptionImpacts.names),
      auto_created: Type.Boolean({ description: 'Opened by the system after a monitor went down' }),
      started_at: Timestamp,
      ends_at: nullable({ ...Timestamp, description: 'Planned end of a maintenance' }),
      resolved_at: nullable(Timestamp),
      acknowledged_at: nullable({ ...Timestamp, description: 'When somebody first acknowledged it; null until then' }),
      acknowledged_by: nullable(
        Type.String({ maxLength: 320, description: 'Who acknowledged it, usually a mail address' }),
      ),
      updates: Type.Array(
        Type.Object({
          id: Id,
          status: Status,
          body: Type.String({ maxLength: 10_000 }),
          explanation: nullable(
            Type.String({ maxLength: 10_000, description: 'What the checks saw; not shown on status pages' }),
          ),
          posted_at: Timestamp,
          posted_by: Type.String({ maxLength: 320, description: 'Mail address', examples: ['jane@example.com'] }),
          edited_at: nullable({ ...Timestamp, description: 'When the text was last changed' }),
        }),
        // The maximum is one more than the limit, because an update that ends the disruption is accepted even at the
        // limit.
        { maxItems: MAX_UPDATES + 1, description: 'Newest first' },
      ),
      affected_components: Type.Array(Type.Object({ id: Id, name: Name, status: oneOf(componentStatuses.names) }), {
        maxItems: 10_000,
        description: 'Worst first',
      }),
      inserted_at: Timestamp,
      updated_at: Timestamp,
    }),
    Create: Type.Object({ title: Name, ...fields, ...history }),
    Patch: Type.Object({
      title: Type.Optional(Name),
      type: Type.Optional(oneOf(disruptionTypeNames.all(noun), { description: "Can't be changed" })),
      impact: Type.Optional(oneOf(disruptionImpacts.names)),
      status: Type.Optional(Status),
      message: Type.Optional(Message),
      started_at: Type.Optional(Moment),
      ends_at: EndsAt,
      notify: Type.Optional(Notify),
      status_page_id: publication.status_page_id,
      components: Type.Optional(
        nullable({
          ...publication.components,
          description: `${COMPONENTS}; null takes it off the page`,
        }),
      ),
    }),
    UpdatePatch: Type.Object({
      message: Type.String({ minLength: 1, maxLength: 10_000, description: `New text of the entry. ${MARKDOWN}` }),
      notify: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            'Whether webhook subscriptions get a message about it; subscribers of status pages get none about edits',
        }),
      ),
    }),
    Filter: Type.Object({
      status: Type.Optional(Status),
      type: Type.Optional(Kind),
      auto_created: Type.Optional(Type.Boolean()),
      ...pageQuery,
    }),
  };
}

type Schemas = ReturnType<typeof schemasOf>;

export function toDisruptionJson(noun: Noun, disruption: Disruption): Static<Schemas['ResourceSchema']> {
  return disruptionResource(noun, disruption);
}

/** Maps a new disruption to its protobuf form. `started_at` of an incident is ignored. */
export function newDisruption(
  noun: Noun,
  body: Static<Schemas['Create']> & { readonly started_at?: string },
): MessageInitShape<typeof CreateDisruptionRequestSchema> {
  const { updates = [] } = body;
  const sent: Record<string, string | null | undefined> = {
    started_at: noun === 'disruption' ? body.started_at : undefined,
    ends_at: body.ends_at,
    resolved_at: body.resolved_at,
    ...Object.fromEntries(updates.map(({ posted_at }, index) => [postedAtPath(index), posted_at])),
  };
  const moments = momentsOf(sent);
  return {
    title: body.title,
    type: disruptionTypeNames.toValue(noun, body.type),
    impact: disruptionImpacts.toValue(body.impact),
    startedAt: moments.started_at,
    endsAt: moments.ends_at,
    message: body.message,
    status: disruptionStatuses.toValue(body.status),
    resolvedAt: moments.resolved_at,
    silent: body.notify === false,
    updates: updates.map(({ status, message }, index) => ({
      status: disruptionStatuses.toValue(status),
      message,
      postedAt: moments[postedAtPath(index)],
    })),
    statusPageId: body.status_page_id,
    components: componentsOf(body.components),
  };
}

const postedAtPath = (index: number) => `updates.${index}.posted_at`;

/** Maps changes of a disruption to their protobuf form. */
export function disruptionChanges(
  noun: Noun,
  body: Static<Schemas['Patch']>,
): MessageInitShape<typeof UpdateDisruptionRequestSchema> {
  const { started_at: startedAt, ends_at: endsAt } = momentsOf({ started_at: body.started_at, ends_at: body.ends_at });
  return {
    title: body.title,
    type: disruptionTypeNames.toValue(noun, body.type),
    impact: disruptionImpacts.toValue(body.impact),
    status: disruptionStatuses.toValue(body.status),
    message: body.message,
    startedAt,
    // An absent field keeps the value, null clears it.
    endsAt: body.ends_at === undefined ? undefined : { value: endsAt },
    silent: body.notify === false,
    ...publicationChange(body),
  };
}

export function disruptionFilter(
  noun: Noun,
  { status, type, auto_created: autoCreated, limit, cursor }: Static<Schemas['Filter']>,
): MessageInitShape<typeof ListDisruptionsRequestSchema> {
  return {
    status: disruptionStatuses.toValue(status),
    type: disruptionTypeNames.toValue(noun, type),
    autoCreated,
    limit,
    cursor,
  };
}

/** Maps a publication to its protobuf form. With `components: null` the disruption is taken off the page. */
function publicationChange({ status_page_id: pageId, components }: Static<Schemas['Patch']>) {
  if (components === null && pageId !== undefined) return { unpublishedPageId: pageId };
  return { statusPageId: pageId, components: componentsOf(components === null ? [] : components) };
}

/** Returns whether both names of a field were sent, with different values. Ids are not case-sensitive. */
function differs(value: string | undefined, alias: string | undefined): boolean {
  return value !== undefined && alias !== undefined && value.toLowerCase() !== alias.toLowerCase();
}

/**
 * Maps the affected components of a request to their protobuf form.
 * @throws ServiceError `invalid` if the two names of a field have different values.
 */
function componentsOf(
  components: readonly Static<typeof AffectedInput>[] | undefined,
): MessageInitShape<typeof ComponentsInputSchema> | undefined {
  const problems = new FieldErrorCollector();
  for (const [index, { id, component_id, status, severity }] of components?.entries() ?? []) {
    const path = `components.${index}`;
    if (differs(id, component_id)) problems.add(`${path}.component_id`, 'must equal id, of which it is another name');
    if (differs(status, severity)) problems.add(`${path}.severity`, 'must equal status, of which it is another name');
  }
  problems.throwIfAny();
  return (
    components && {
      components: components.map(({ id, component_id, status, severity }) => ({
        id: id ?? component_id ?? '',
        status: componentStatuses.toValue(status ?? severity),
      })),
    }
  );
}
