/** A limit of a group of messages. */
export interface GroupLimit {
  readonly messages: number;
  readonly bytes: number;
}

/** Returns how many of the first messages fit into a limit: at least one, unless there are none. */
export function countFitting<Message>(
  messages: readonly Message[],
  bytesOf: (message: Message) => number,
  limit: GroupLimit,
): number {
  let bytes = 0;
  const end = messages.findIndex((message, index) => {
    bytes += bytesOf(message);
    return index > 0 && (bytes > limit.bytes || index >= limit.messages);
  });
  return end === -1 ? messages.length : end;
}
