export { type AllowedTargets, parseAllowedTargets, parseClosedPorts } from './allowed-targets.ts';
export {
  type ConnectivityGuard,
  type ConnectivityGuardOptions,
  createConnectivityGuard,
} from './connectivity-guard.ts';
export type { TlsOptions } from './dial.ts';
export { peerOf, type Target, wordsFor } from './error-words.ts';
export { BlockedAddressError, OutboundTimeoutError } from './errors.ts';
export type { FetchOptions, FetchResponse } from './guarded-fetch.ts';
export type { Address, Resolve } from './host.ts';
export { pinnedLookup } from './lookup.ts';
export { askNameServers, type NameServersOptions, parseNameServers } from './name-servers.ts';
export { type ConnectOptions, createNetguard, type Netguard, type NetguardOptions } from './netguard.ts';
export { reachAny } from './reach-any.ts';
export { PUBLIC_RESOLVERS, parseReferences, type Reference } from './reference.ts';
