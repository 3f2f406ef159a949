import { type ContextValues, createContextKey, createContextValues, type HandlerContext } from '@connectrpc/connect';

const peerKey = createContextKey('', { description: 'address of the connection' });

/** Returns context values with the address of the connection on which a request arrived. */
export function withPeerAddress(request: {
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}): ContextValues {
  return fromAddress(request.socket?.remoteAddress ?? '');
}

/** Returns context values for a call that arrived from an address. */
export function fromAddress(address: string): ContextValues {
  return createContextValues().set(peerKey, address);
}

/**
 * Returns the address of the connection on which a call arrived. This is the address of the proxy if the call came
 * through one.
 */
export function peerAddress(context: HandlerContext): string {
  return context.values.get(peerKey);
}
