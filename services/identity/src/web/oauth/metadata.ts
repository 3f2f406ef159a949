import { PERMISSIONS } from '@tocsin/enums';
import { GRANT_TYPES } from '../../domain/oauth/client.ts';

/** Returns the metadata of the authorization server (RFC 8414 §2). */
export function serverMetadata(baseUrl: string, { registration }: { registration: boolean }): object {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    device_authorization_endpoint: `${baseUrl}/oauth/device/code`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    ...(registration && { registration_endpoint: `${baseUrl}/oauth/register` }),
    scopes_supported: PERMISSIONS,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    introspection_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs`,
  };
}

/** Returns the metadata of the API as a protected resource (RFC 9728 §2). */
export function resourceMetadata(baseUrl: string): object {
  return {
    resource: baseUrl,
    authorization_servers: [baseUrl],
    scopes_supported: PERMISSIONS,
    bearer_methods_supported: ['header'],
    resource_name: 'Tocsin API',
    resource_documentation: `${baseUrl}/docs`,
  };
}
