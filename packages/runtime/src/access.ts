import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { grants } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { type Access, access } from '@tocsin/proto/access/v1/access';
import { Health } from '@tocsin/proto/grpc/health/v1/health';
import { ServerReflection } from '@tocsin/proto/grpc/reflection/v1/reflection';
import type { Caller } from './caller.ts';

/**
 * Services that the gRPC project defines. Their proto files have no access option, and tools call them without a token.
 */
const openServices: ReadonlySet<DescService> = new Set([Health, ServerReflection]);

type MethodAccess = Pick<Access, 'anonymous' | 'permission' | 'services' | 'acrossOrganizations'>;

/** Access options that were read. Reading an option from a descriptor takes longer than the rest of a check. */
const known = new WeakMap<DescMethod, MethodAccess>();

/**
 * Returns the access option of a method from its proto file.
 * @throws Error if the option is missing, so that no method is open to everyone by mistake.
 */
export function accessOf(method: DescMethod): MethodAccess {
  const found = known.get(method) ?? readAccess(method);
  known.set(method, found);
  return found;
}

function readAccess(method: DescMethod): MethodAccess {
  if (openServices.has(method.parent)) {
    return { anonymous: true, permission: '', services: [], acrossOrganizations: false };
  }
  const stated = getOption(method, access);
  const name = `${method.parent.typeName}/${method.name}`;
  if (!stated.anonymous && stated.permission === '' && stated.services.length === 0) {
    throw new Error(`${name} does not state who may call it: add option (tocsin.access.v1.access) to its proto file`);
  }
  return stated;
}

/**
 * Checks that a caller may call a method.
 * @throws ServiceError `forbidden` that names the missing permission.
 */
export function checkAccess(method: DescMethod, caller: Caller): void {
  const { permission, services, acrossOrganizations } = accessOf(method);
  if (caller.kind === 'service' && !services.includes(caller.service)) {
    const expected = services.length > 0 ? `only ${services.join(' or ')}` : 'no service, but only a credential,';
    throw new ServiceError('forbidden', `${expected} may call this method`);
  }
  if (caller.kind === 'credential') {
    if (permission === '') {
      throw new ServiceError('forbidden', `only ${services.join(' or ')} may call this method`);
    }
    if (!grants(caller.permissions, permission)) {
      throw new ServiceError('forbidden', `this credential lacks the permission ${permission}`);
    }
  }
  if (acrossOrganizations && caller.organizationId !== undefined) {
    throw new ServiceError('forbidden', 'this method crosses organizations, and the token is bound to one');
  }
  if (!acrossOrganizations && caller.organizationId === undefined) {
    throw new ServiceError('forbidden', 'this method needs a token that names an organization');
  }
}
